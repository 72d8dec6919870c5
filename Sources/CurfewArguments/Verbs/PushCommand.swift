import ArgumentParser

/// `curfew push`.
struct PushCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Send an app of a server a remote notification.",
        usage: "curfew push [options] NAME [FILE]",
        discussion: """
            FILE, or standard input, holds JSON as Apple's push service takes it, 4096 bytes at most: {"aps": {"alert": …, "badge": N, \
            "sound": …, "content-available": 1}, …}. An alert is told to an app in front, and shown on the desktop for any other. \
            content-available wakes the app, or launches it into background, for the event remote-notification; of those that show \
            nothing three an hour are delivered, and the latest of the others when it may be. This returns when it is kept.

            Examples:
              echo '{"aps": {"alert": "Lunch?"}, "from": "ada"}' | curfew push chat
              curfew push mail --apns-id 7f3a sync.json

            \(HelpText.serving)
            """)

    @Argument(help: ArgumentHelp("The app.", valueName: "NAME"), completion: .shellCommand(AppValue.known))
    var app: AppValue

    @Argument(
        help: ArgumentHelp("Where the payload is (default: -, standard input).", valueName: "FILE"), completion: .file()
    )
    var file: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("What the sender calls it: of one that comes twice the second is ignored.", valueName: "ID"))
    var apnsId: String?

    @OptionGroup var chosen: ServerOptions

    @Flag(help: "Print its number, as JSON.")
    var json = false

    mutating func validate() throws {
        if let apnsId, !(1...64 ~= apnsId.utf8.count) { throw ValidationError("no id") }
    }
}
