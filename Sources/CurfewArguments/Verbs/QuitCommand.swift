import ArgumentParser

/// `curfew quit`.
struct QuitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quit",
        abstract: "End an app.",
        usage: "curfew quit [options] APP",
        discussion: """
            A running app is asked first, by willTerminate or SIGTERM, and killed when its limit is over; a \
            suspended one is killed at once. Returns when no process of it is left.

            Example:
              curfew quit backup

            \(HelpText.driving)
            """)

    @Argument(help: ArgumentHelp("The app's name or its pid.", valueName: "APP"))
    var app: AppValue

    @Flag(help: "Print the state the app is in now, as JSON.")
    var json = false
}
