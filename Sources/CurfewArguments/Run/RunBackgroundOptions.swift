import ArgumentParser
import CurfewCore

/// What the app may do in background, and the era whose numbers hold where none is given.
struct RunBackgroundOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The version of iOS whose numbers hold; each can be set on its own.", valueName: "PROFILE"))
    var profile = Profile.ios4

    @Option(
        parsing: .unconditional,
        help: HelpText.limit("Background time while tasks are open; one clock for all of them", \.backgroundBudget))
    var budget: DurationValue?

    @Option(
        parsing: .unconditional,
        help: HelpText.limit("How long before the budget's end open tasks are warned", \.expirationLead))
    var expirationLead: DurationValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            How long a plain app runs on after home (default: it is stopped at once; with --on didEnterBackground or \
            willResignActive it has --enter-background-limit, with --background --wake-limit).
            """, valueName: "D"))
    var grace: DurationValue?

    @Flag(help: "Terminate it where another app would be suspended.")
    var exitsOnSuspend = false
}
