import CurfewCore
import CurfewWire

/// The pairs that travel with an event, as people type them: `KEY=VALUE`.
public enum InfoArgument {
    static let accepted = "KEY=VALUE, such as reason=nightly"

    /// One pair; VALUE is whatever follows the first `=`, and may be nothing.
    public static func parse(_ text: String) throws(BadValue) -> Info {
        let pair = try KeyValue(text, accepted: accepted)
        guard Event.isWord(pair.key) else { throw BadValue(pair.key, isNot: "a KEY: \(EventName.accepted)") }
        return Info(pair.key, pair.value)
    }

    /// Of a KEY given twice the last one counts; throws for one pair too many.
    public static func add(_ pair: Info, to pairs: inout [Info]) throws(BadValue) {
        if let index = pairs.firstIndex(where: { $0.key == pair.key }) {
            pairs[index] = pair
            return
        }
        guard pairs.count < Info.maximumCount else {
            throw BadValue("\"\(pair.key)\" is one too many: an event carries \(Info.maximumCount) pairs at most")
        }
        pairs.append(pair)
    }

    /// Throws when the pairs don't fit the line of the launch's event. `wake`: the event it is launched for.
    public static func checkLaunch(_ pairs: [Info], wake: String?) throws(BadValue) {
        if areShort(pairs) { return }
        let launch = [Field("launched", "background"), Field("wake", wake ?? ""), Field("containment", containment)]
        try check(pairs, frame(LifecycleEvent.didFinishLaunching.rawValue) + launch)
    }

    /// Throws when the pairs don't fit the line of a posted event.
    public static func checkPosted(_ pairs: [Info], name: String) throws(BadValue) {
        if areShort(pairs) { return }
        try check(pairs, frame(name) + [Field("kind", "change")])
    }

    /// Whether the pairs fit any event's line, however they are written there: a byte takes four at most.
    private static func areShort(_ pairs: [Info]) -> Bool {
        var bytes = 0
        for pair in pairs { bytes += pair.key.utf8.count + 4 * pair.value.utf8.count + " info.=\"\"".utf8.count }
        return bytes < LineReader.maximumLineBytes / 2
    }

    /// A line that would be too long is written with its longest value cut, and reads differently then.
    private static func check(_ pairs: [Info], _ frame: [Field]) throws(BadValue) {
        let message = Message("event", frame + pairs.map { Field("info." + $0.key, $0.value) })
        guard (try? Message.parse(message.line)) != message else { return }
        throw BadValue("the pairs are too long: an event has \(LineReader.maximumLineBytes) bytes at most, all in all")
    }

    /// The longest of what else stands in any event's line. Source: docs/protocol.md, "Events".
    private static func frame(_ name: String) -> [Field] {
        [
            Field("name", name), Field("seq", String(Int.max)), Field("ack", "required"),
            Field("seconds", Seconds.text(nanoseconds: .max - 1)),
        ]
    }

    /// As long as the name of any containment.
    private static let containment = String(repeating: "-", count: 64)
}
