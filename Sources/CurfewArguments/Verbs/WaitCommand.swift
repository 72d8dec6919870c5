import ArgumentParser
import CurfewCore

/// `curfew wait`.
struct WaitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Wait until an app is in a state.",
        usage: "curfew wait [options] APP STATE",
        discussion: """
            Returns at once if it is, else as soon as it is told, without looking again and again: for scripts. An app that \
            nobody holds is notRunning. One that ends before it was in the state never will be, and this says so; one of a \
            server can be launched again, and is waited for.

            Examples:
              curfew home backup && curfew wait backup suspended
              curfew wait --limit 30s server background || echo "it is still in front"

            Exit status:
               0  it is in that state
               1  refused, as to a process inside another app
              64  wrong usage
              69  no such app is running, or it has ended before
             124  --limit is over
            """)

    @Argument(help: ArgumentHelp("The app's name or its pid.", valueName: "APP"))
    var app: AppValue

    @Argument(help: ArgumentHelp("The state it is to be in.", valueName: "STATE"))
    var state: LifecycleState

    @Option(help: ArgumentHelp("How long at most: a duration such as 90, 1.5s or 10m (default: inf).", valueName: "D"))
    var limit: DurationValue?

    @OptionGroup var chosen: ServerOptions

    @Flag(help: "Print the state the app is in now, as JSON.")
    var json = false
}
