import ArgumentParser

/// `curfew status`.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show all there is to know of an app.",
        usage: "curfew status [options] [APP]",
        discussion: """
            Its command and processes, its state and for how long, its background tasks and the time left for them, \
            what it uses of what it may, why it sleeps or is awake, what woke it last, and what holds it.

            Example:
              curfew status backup

            \(HelpText.seeing)
            """)

    @Argument(
        help: ArgumentHelp(
            "The app's name or its pid (default: the app this runs in, else the only one).", valueName: "APP"))
    var app: AppValue?

    @Flag(help: "Print JSON; durations in seconds, null for an infinite one, and sizes in bytes.")
    var json = false
}
