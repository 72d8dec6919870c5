import ArgumentParser
import CurfewCommand

/// `curfew task fetch-interval`.
struct TaskFetchIntervalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch-interval",
        abstract: "Say how often this app is to be woken to fetch, at most.",
        usage: "curfew task fetch-interval D",
        discussion: """
            The server chooses when, shortly before the app is usually opened, and keeps it; it counts more than the manifest's \
            minimum-fetch-interval. The app is told the event fetch.

            Examples:
              curfew task fetch-interval 1h
              curfew task fetch-interval minimum    as often as may be
              curfew task fetch-interval never

            \(HelpText.task)
            """)

    @Argument(help: ArgumentHelp("How often: a duration such as 3600 or 1h; minimum, or never.", valueName: "D"))
    var time: FetchIntervalValue
}

/// How often, read as the fast path reads it.
struct FetchIntervalValue: ExpressibleByArgument {
    init?(argument: String) { if TaskVerbs.fetchInterval(argument) == nil { return nil } }
}
