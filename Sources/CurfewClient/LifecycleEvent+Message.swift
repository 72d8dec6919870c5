import CurfewWire

extension LifecycleEvent {
    private static let infoPrefix = "info."

    /// From a line of the control channel; nil for one without a name.
    ///
    /// Source: docs/protocol.md, "Events".
    init?(_ message: Message, stateDirectory: String?) {
        guard let name = message["name"] else { return nil }
        let kind = LifecycleEvent.kind(named: name, kind: message["kind"])
        let info = LifecycleEvent.info(message)
        self.init(
            kind, name: name,
            sequence: message["seq"].flatMap { Int($0) } ?? 0,
            seconds: LifecycleEvent.seconds(message["seconds"]),
            task: message["task"].flatMap { Int($0) }.map(BackgroundTaskIdentifier.init(rawValue:)),
            memoryWarningLevel: kind == .didReceiveMemoryWarning ? LifecycleEvent.level(message["level"]) : nil,
            launchOptions: message["launched"].map {
                LaunchOptions(
                    isInBackground: $0 == "background", wakingEvent: message["wake"], info: info,
                    stateDirectory: stateDirectory)
            },
            info: info,
            requiresAcknowledgement: message["ack"] == "required")
    }

    private static func kind(named name: String, kind: String?) -> Kind {
        switch kind {
        case "change": .change
        case "wake": .wake
        case nil: namedKinds[name] ?? .other
        default: .other
        }
    }

    /// Changes and waking events have names of their own.
    private static let namedKinds: [String: Kind] = {
        let kinds = Kind.allCases.filter { ![.change, .wake, .other].contains($0) }
        return Dictionary(uniqueKeysWithValues: kinds.map { ($0.rawValue, $0) })
    }()

    /// Seconds of the wire as UIKit has them; nil for what is none.
    static func seconds(_ text: String?) -> Double? {
        guard let nanoseconds = text.flatMap(Seconds.parse) else { return nil }
        return nanoseconds == .max ? .greatestFiniteMagnitude : Double(nanoseconds) / 1_000_000_000
    }

    /// A word that this version doesn't know is a warning all the same.
    private static func level(_ text: String?) -> MemoryWarningLevel {
        text.flatMap(MemoryWarningLevel.init(rawValue:)) ?? .warning
    }

    private static func info(_ message: Message) -> [String: String] {
        let pairs = message.fields.filter { $0.key.hasPrefix(infoPrefix) }
            .map { (String($0.key.dropFirst(infoPrefix.count)), $0.value) }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}
