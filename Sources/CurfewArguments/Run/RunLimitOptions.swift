import ArgumentParser
import CurfewCore

/// What the app is killed for.
struct RunLimitOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The whole run's limit; 0 is none (default: inf).", valueName: "D"))
    var timeLimit: DurationValue?

    @Option(
        parsing: .unconditional,
        help: HelpText.limit("Time for an aware app to acknowledge its launch", \.launchLimit))
    var launchLimit: DurationValue?

    @Option(
        parsing: .unconditional,
        help: HelpText.limit("Time for an aware app to acknowledge didEnterBackground", \.enterBackgroundLimit))
    var enterBackgroundLimit: DurationValue?

    @Option(
        parsing: .unconditional,
        help: HelpText.limit("Time to exit after willTerminate, or SIGTERM for a plain app", \.terminateLimit))
    var terminateLimit: DurationValue?

    @Option(
        parsing: .unconditional,
        help: HelpText.limit("Time to acknowledge a waking event, such as a fetch", \.wakeLimit))
    var wakeLimit: DurationValue?

    @Option(
        parsing: .unconditional,
        help: HelpText.limit("Time for the waking event processing, in its place", \.processingLimit))
    var processingLimit: DurationValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Demand a sign of life, sd_notify's WATCHDOG=1, at least this often; 0 is never (default: inf).",
            valueName: "D"))
    var watchdog: DurationValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Divide every duration, explicit ones too: with 60, ten minutes pass in ten seconds (0.001 to 1000000; \
            default: 1).
            """, valueName: "N"))
    var timeScale: ScaleValue?

    @Flag(
        help: """
            Hold the app's time: no budget, watchdog or limit that is a time runs but by `curfew advance`. For tests.
            """)
    var manualClock = false
}
