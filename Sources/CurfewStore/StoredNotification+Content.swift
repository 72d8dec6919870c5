import CurfewWire

/// What a notification shows and carries, as JSON.
extension StoredNotification.Content {
    public var text: String {
        var members: [(key: String, value: JSON)] = [
            (key: "title", value: .string(title)), (key: "body", value: .string(body)),
        ]
        if let action { members.append((key: "action", value: .string(action))) }
        if let badge { members.append((key: "badge", value: .integer(Int64(badge)))) }
        if let sound { members.append((key: "sound", value: .string(sound))) }
        let info = info.map { JSON.array([.string($0.key), .string($0.value)]) }
        return JSON.object(members + [(key: "info", value: .array(info))]).text
    }

    /// Nil for what no server has written.
    public init?(_ text: String) {
        guard let json = try? JSON.parse(text), case .string(let title)? = json["title"],
            case .string(let body)? = json["body"], case .array(let pairs)? = json["info"]
        else { return nil }
        var info: [StoredNotification.Pair] = []
        for pair in pairs {
            guard let words = DatabaseTables.strings(pair), words.count == 2 else { return nil }
            info.append(StoredNotification.Pair(words[0], words[1]))
        }
        let badge: Int? = if case .integer(let badge)? = json["badge"] { Int(badge) } else { nil }
        self.init(
            title: title, body: body, action: Self.string(json["action"]), badge: badge,
            sound: Self.string(json["sound"]), info: info)
    }

    private static func string(_ value: JSON?) -> String? { if case .string(let text)? = value { text } else { nil } }
}
