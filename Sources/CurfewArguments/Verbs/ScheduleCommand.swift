import ArgumentParser
import CurfewCommand

/// `curfew schedule`.
struct ScheduleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        abstract: "Show what a server's apps have scheduled.",
        usage: "curfew schedule [options] [NAME]",
        discussion: """
            The soonest first: when it is due by the machine's clock, and how far that is ahead of UTC then; whose clocks it goes by, \
            where it goes by clocks; and what else it waits for. --run has a request that waits run now, whatever the machine is like, \
            and --expire ends the one that an app works on as the machine would that is needed: so apps are tried.

            Examples:
              curfew schedule photos --run index && curfew schedule photos --expire index
              curfew schedule --json | jq -r '.[] | [.app, .shown, .title] | @tsv'

            \(HelpText.serving)
            """)

    @Argument(
        help: ArgumentHelp("One app's only.", valueName: "NAME"), completion: .shellCommand(AppValue.known))
    var app: AppValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Have that request of the app, as `curfew submit` has made it, run now.", valueName: "ID"))
    var run: NotificationIDValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Tell the app that its time for that request is nearly over.", valueName: "ID"))
    var expire: NotificationIDValue?

    @OptionGroup var chosen: ServerOptions

    @Flag(help: "Print a JSON array, an object for each.")
    var json = false

    mutating func validate() throws {
        try ScheduleArguments.checkTogether(name: app != nil, run: run != nil, expire: expire != nil)
    }
}
