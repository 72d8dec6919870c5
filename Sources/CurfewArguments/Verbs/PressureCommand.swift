import ArgumentParser
import CurfewCommand
import CurfewCore

/// `curfew pressure`.
struct PressureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pressure",
        abstract: "Have the machine taken to be short of memory.",
        usage: "curfew pressure [options] APP LEVEL",
        discussion: """
            What is done then is done, as if that had been measured: APP is warned, at critical it is killed unless it is in \
            front, and half a second later there too; so is one over its soft limit. Nothing is measured until LEVEL is \
            normal again.

            Examples:
              curfew pressure backup critical
              curfew pressure backup normal

            \(HelpText.driving)
            """)

    @Argument(help: ArgumentHelp("The app's name or its pid.", valueName: "APP"))
    var app: AppValue

    @Argument(help: ArgumentHelp("How short it is.", valueName: "LEVEL"))
    var level: PressureLevel

    @Flag(help: "Print the state the app is in now, as JSON.")
    var json = false
}
