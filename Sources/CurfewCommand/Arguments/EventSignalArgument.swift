import CurfewEngine

/// `EVENT=SIGNAL` of `--on`.
public enum EventSignalArgument {
    static let accepted = "EVENT=SIGNAL, such as didEnterBackground=USR1"

    public static func parse(_ text: String) throws(BadValue) -> EventSignal {
        let pair = try KeyValue(text, accepted: accepted)
        let event = try EventName.heard(pair.key)
        return EventSignal(event: event, signal: try SignalArgument.telling(pair.value))
    }
}
