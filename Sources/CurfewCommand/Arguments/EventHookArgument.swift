import CurfewEngine

/// `EVENT=COMMAND` of `--exec-on`.
public enum EventHookArgument {
    static let accepted = "EVENT=COMMAND, such as didEnterBackground='sync'"

    public static func parse(_ text: String) throws(BadValue) -> EventHook {
        let pair = try KeyValue(text, accepted: accepted)
        let event = try EventName.heard(pair.key)
        guard !isBlank(pair.value) else { throw BadValue("\(event) has no COMMAND; accepted is \(accepted)") }
        return EventHook(event: event, command: pair.value)
    }

    private static func isBlank(_ command: String) -> Bool {
        command.utf8.allSatisfy { $0 == 0x20 || (0x09...0x0d).contains($0) }
    }
}
