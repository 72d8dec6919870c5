import ArgumentParser

/// `curfew sleep`.
struct SleepCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sleep",
        abstract: "Stop an app where it is, until it is needed.",
        usage: "curfew sleep [options] APP\n       curfew sleep [options] --all",
        discussion: """
            Every process of it is stopped, and nothing is told to it: unlike home it keeps its place, and where it is in \
            front of a terminal the shell notices nothing. What `curfew run --wake-on` names wakes it: a connection, a key, \
            data in a pipe. So do `curfew open`, `home`, `wake` and `quit`, a signal of its terminal, a background task that \
            begins, and its keep-alive. Returns when every process has stopped and its input is waited for.

            With --stay no input wakes it: it sleeps until somebody opens it (`curfew open`, `fg`), wakes it or ends it, and the \
            shell gets its prompt.

            An app can't sleep now (status 75) that has a background task open, owes an acknowledgement, is interrupted or \
            held by a debugger, was started with --exits-on-suspend, or has input that is to wake it and can't be waited for.

            Examples:
              curfew run --wake-on connections --name cache -- redis-server &
              curfew sleep cache       the next connection wakes it
              curfew sleep --all --stay

            \(HelpText.driving)
            """)

    @Argument(help: ArgumentHelp("The app's name or its pid.", valueName: "APP"))
    var app: AppValue?

    @Flag(help: "Every app of this user that runs.")
    var all = false

    @Flag(help: "Until it is opened, whatever comes for it.")
    var stay = false

    @Flag(help: "Print the state the app is in now, as JSON; with --all of each.")
    var json = false
}
