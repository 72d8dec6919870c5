import ArgumentParser
import CurfewCommand

/// `curfew history`.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show past runs of a server's apps.",
        usage: "curfew history [options] [NAME]",
        discussion: """
            One line for each of the latest 100 runs, or of as many as --limit says: when it began and how long it lasted, the CPU \
            time and the most memory it used, and why it ended: a reason as `curfew report` has it, or exit and a status where it \
            ended by itself.

            Examples:
              curfew history mail --json | jq -r '.[] | .reason'
              curfew history --limit 100000   all that are kept

            \(HelpText.serving)
            """)

    @Argument(
        help: ArgumentHelp("One app's runs only.", valueName: "NAME"), completion: .shellCommand(AppValue.known))
    var app: AppValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The latest N runs, 100000 at most (default: 100).", valueName: "N"))
    var limit: HistoryLimitValue?

    @OptionGroup var chosen: ServerOptions

    @Flag(help: "Print a JSON array, an object for each run.")
    var json = false
}

/// How many runs, read as the fast path reads it.
struct HistoryLimitValue: ExpressibleByArgument {
    init?(argument: String) { if (try? HistoryLimit.read(argument)) == nil { return nil } }
}
