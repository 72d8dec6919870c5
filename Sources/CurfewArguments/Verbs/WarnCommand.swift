import ArgumentParser
import CurfewCommand
import CurfewCore

/// `curfew warn`.
struct WarnCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "warn",
        abstract: "Give an app a memory warning.",
        usage: "curfew warn [options] APP [LEVEL]",
        discussion: """
            It hears didReceiveMemoryWarning, as when the machine runs short. LEVEL is warning, which is meant if none is \
            given, or critical. One that is suspended is told nothing, and this says so.

            Examples:
              curfew warn backup
              curfew warn backup critical

            \(HelpText.driving)
            """)

    @Argument(help: ArgumentHelp("The app's name or its pid.", valueName: "APP"))
    var app: AppValue

    @Argument(help: ArgumentHelp("How urgent it is.", valueName: "LEVEL"))
    var level = MemoryWarningLevel.warning

    @Flag(help: "Print the state the app is in now, as JSON.")
    var json = false
}
