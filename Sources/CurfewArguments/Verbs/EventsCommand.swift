import ArgumentParser

/// `curfew events`.
struct EventsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Show what has happened to an app.",
        usage: "curfew events [options] [APP]",
        discussion: """
            One line for each event, the oldest first, with its local time of day; as JSON with its time in seconds \
            since 1970. A supervisor remembers the last 256.

            Example:
              curfew events --follow --json backup | jq -r .name

            \(HelpText.seeing)
            """)

    @Argument(
        help: ArgumentHelp(
            "The app's name or its pid (default: the app this runs in, else the only one).", valueName: "APP"))
    var app: AppValue?

    @Flag(help: "Print a JSON object a line.")
    var json = false

    @Flag(help: "Go on with what happens from now, until the app has ended.")
    var follow = false
}
