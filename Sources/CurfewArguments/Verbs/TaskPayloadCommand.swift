import ArgumentParser
import CurfewCommand

/// `curfew task payload`.
struct TaskPayloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "payload",
        abstract: "Print what was pushed to this app.",
        usage: "curfew task payload N",
        discussion: """
            As it came, JSON of 4096 bytes at most, for an app that was told remote-notification or didReceiveRemoteNotification. The \
            last 64 are kept.

            Example:
              curfew task payload "$CURFEW_INFO_push" | jq .aps.alert

            \(HelpText.task)
            """)

    @Argument(help: ArgumentHelp("Its number, as the event has it: info.push.", valueName: "N"))
    var number: PushNumberValue
}

/// A push's number, read as the fast path reads it.
struct PushNumberValue: ExpressibleByArgument {
    init?(argument: String) { if TaskVerbs.pushNumber(argument) == nil { return nil } }
}
