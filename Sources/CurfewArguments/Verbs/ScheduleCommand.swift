import ArgumentParser

/// `curfew schedule`.
struct ScheduleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        abstract: "Show what a server's apps have scheduled.",
        usage: "curfew schedule [options] [NAME]",
        discussion: """
            The soonest first: when it is due by the machine's clock, and how far that is ahead of UTC then; whose clocks it goes by, \
            where it goes by clocks; and what else it waits for.

            Example:
              curfew schedule --json | jq -r '.[] | [.app, .shown, .title] | @tsv'

            \(HelpText.serving)
            """)

    @Argument(
        help: ArgumentHelp("One app's only.", valueName: "NAME"), completion: .shellCommand(AppValue.known))
    var app: AppValue?

    @OptionGroup var chosen: ServerOptions

    @Flag(help: "Print a JSON array, an object for each.")
    var json = false
}
