import ArgumentParser

/// `curfew quit`.
struct QuitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quit",
        abstract: "End an app, or every app.",
        usage: "curfew quit [options] APP\n       curfew quit [options] --all",
        discussion: """
            A running app is asked first, by willTerminate or SIGTERM, and killed when its limit is over; a \
            suspended one is killed at once. Returns when no process of it is left.

            With --all every app is asked before any is waited for.

            Examples:
              curfew quit backup
              curfew quit --all

            \(HelpText.driving)
            """)

    @Argument(help: ArgumentHelp("The app's name or its pid.", valueName: "APP"))
    var app: AppValue?

    @Flag(help: "Every app of this user that runs, those of servers too; with --server that server's alone.")
    var all = false

    @OptionGroup var chosen: ServerOptions

    @Flag(help: "Print the state the app is in now, as JSON; with --all of each.")
    var json = false
}
