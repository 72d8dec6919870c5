import ArgumentParser

/// `curfew history`.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show past runs of a server's apps.",
        usage: "curfew history [options] [NAME]",
        discussion: """
            One line for each run: when it began and how long it lasted, the CPU time and the most memory it used, and why it \
            ended: a reason as `curfew report` has it, or exit and a status where it ended by itself.

            Example:
              curfew history mail --json | jq -r '.[] | .reason'

            \(HelpText.serving)
            """)

    @Argument(
        help: ArgumentHelp("One app's runs only.", valueName: "NAME"), completion: .shellCommand(AppValue.known))
    var app: AppValue?

    @OptionGroup var chosen: ServerOptions

    @Flag(help: "Print a JSON array, an object for each run.")
    var json = false
}
