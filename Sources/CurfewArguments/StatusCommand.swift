import ArgumentParser

/// `curfew status`.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show all there is to know of an app.",
        usage: "curfew status [options] [APP]",
        discussion: """
            Example:
              curfew status backup

            Exit status: 0 shown, 64 wrong usage, 69 no such app is running.
            """)

    @Argument(
        help: ArgumentHelp(
            "The app's name or its pid (default: the app this runs in, else the only one).", valueName: "APP"))
    var app: AppValue?

    @Flag(help: "Print JSON; durations in seconds, null for an infinite one, and sizes in bytes.")
    var json = false
}
