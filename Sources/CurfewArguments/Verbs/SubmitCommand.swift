import ArgumentParser
import CurfewCommand

/// `curfew submit`.
struct SubmitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit",
        abstract: "Have a server launch an app for some work when it suits the machine.",
        usage: "curfew submit [options] NAME [ID]",
        discussion: """
            Once: the app is woken, or launched into background, for the event refresh or processing, which says ID. For --refresh it \
            has --wake-limit, for --processing --processing-limit; it is told taskWillExpire before that is over. Processing waits \
            until nobody needs the machine, and is ended when somebody does. An app has one refresh and ten processing requests \
            waiting at most; one of the same ID takes the other's place. This returns once it is kept for good.

            Examples:
              curfew submit mail inbox --refresh --in 1h
              curfew submit photos index --processing --needs-power
              curfew schedule photos && curfew schedule photos --run index
              curfew submit photos --cancel index

            \(HelpText.serving)
            """)

    @Argument(help: ArgumentHelp("The app.", valueName: "NAME"), completion: .shellCommand(AppValue.known))
    var app: AppValue

    @Argument(help: ArgumentHelp("What the app knows the work by.", valueName: "ID"))
    var id: NotificationIDValue?

    @Flag(help: "To be up to date when it is opened; its manifest needs the mode fetch.")
    var refresh = false

    @Flag(help: "For work of minutes; its manifest needs the mode processing.")
    var processing = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Not before that time, as --at of `curfew notify`.", valueName: "TIME"))
    var earliest: NotificationTimeValue?

    @Option(
        name: .customLong("in"), parsing: .unconditional,
        help: ArgumentHelp("Not before so much time has passed, such as 90, 10m or 1h30min.", valueName: "D"))
    var after: NotificationSpanValue?

    @Flag(help: "Only while there is a way to anywhere else.")
    var needsNetwork = false

    @Flag(help: "Only while the machine doesn't run on a battery.")
    var needsPower = false

    @Option(parsing: .unconditional, help: ArgumentHelp("Have that one wait no more.", valueName: "ID"))
    var cancel: NotificationIDValue?

    @Flag(help: "Have none of the app's wait any more.")
    var cancelAll = false

    @OptionGroup var chosen: ServerOptions

    @Flag(help: "Print its id as JSON.")
    var json = false

    mutating func validate() throws {
        try SubmitArguments.checkTogether(
            id: id != nil, refresh: refresh, processing: processing, earliest: earliest != nil, in: after != nil,
            needs: needsNetwork || needsPower, cancel: cancel != nil, cancelAll: cancelAll)
    }
}
