import ArgumentParser
import CurfewCommand

/// `curfew notify`.
struct NotifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "Have a server show a notification of an app, now or when it is time.",
        usage: "curfew notify [options] NAME [BODY]",
        discussion: """
            A server keeps it until it is due, whether the app runs by then or not; nothing runs while it waits. An app that is \
            in front and speaks Curfew's protocol is told of it, by the event didReceiveLocalNotification; for any other it is shown \
            on the desktop by notify-send, or told on the server's standard error where that can't be. Pressing its button \
            opens the app, or launches it, with the notification. Its id is printed once it is kept for good.

            A time is what the machine's clock shows, wherever that is by then; one with Z or an offset is a moment. --zone names the \
            place whose clocks count. Without --at and --in it is due at once. Of an app the soonest 64 are kept.

            Examples:
              curfew notify tea --in 4m "The tea is ready"
              curfew notify mail --at "2026-12-01 08:00" --zone Europe/Berlin --repeat daily --title Mail "Have a look"
              curfew notify mail --badge 3
              curfew notify mail --cancel n1

            \(HelpText.serving)
            """)

    @Argument(help: ArgumentHelp("The app.", valueName: "NAME"), completion: .shellCommand(AppValue.known))
    var app: AppValue

    @Argument(help: ArgumentHelp("Its text.", valueName: "BODY"))
    var body: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "When: 08:00, 2026-12-01 08:00, 2026-12-01T08:00:00Z, 2026-12-01T08:00+01:00 or @1796112000.",
            valueName: "TIME"))
    var at: NotificationTimeValue?

    @Option(
        name: .customLong("in"), parsing: .unconditional,
        help: ArgumentHelp("How long from now: a duration such as 90, 1.5s, 10m or 1h30min.", valueName: "D"))
    var after: NotificationSpanValue?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Whose clocks --at means: local, or a name such as Europe/Berlin.", valueName: "ZONE"))
    var zone: String?

    @Option(
        name: .customLong("repeat"), parsing: .unconditional,
        help: ArgumentHelp(
            "Again and again: daily, weekly, monthly, yearly, or each time so much has passed, 1m or more.",
            valueName: "HOW"))
    var repetition: NotificationRepetitionValue?

    @Option(parsing: .unconditional, help: ArgumentHelp("Its title.", valueName: "TEXT"))
    var title: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("What its button says; none: it can only be closed (default: Open).", valueName: "WORD"))
    var action: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number at the app's name from then on; 0: none.", valueName: "N"))
    var badge: NotificationBadgeValue?

    @Option(parsing: .unconditional, help: ArgumentHelp("The desktop's name of a sound.", valueName: "NAME"))
    var sound: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("What goes with it: 8 pairs at most.", valueName: "KEY=VALUE"))
    var info: [InfoValue] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Its id, in place of one that has it already (default: a new one).", valueName: "ID"))
    var id: NotificationIDValue?

    @Option(parsing: .unconditional, help: ArgumentHelp("Have that one wait no more.", valueName: "ID"))
    var cancel: NotificationIDValue?

    @Flag(help: "Have none of the app's wait any more.")
    var cancelAll = false

    @OptionGroup var chosen: ServerOptions

    @Flag(help: "Print its id, and when it is due, as JSON.")
    var json = false

    mutating func validate() throws {
        try NotifyValues.checkTogether(
            at: at != nil, in: after != nil, cancel: cancel != nil, cancelAll: cancelAll, body: body != nil)
    }
}
