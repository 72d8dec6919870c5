/// What a supervisor says, as JSON has it. Source: docs/json.md.
extension Message {
    /// What was sent, by names as JSON has them; the pairs of an event under `info`, each by its own KEY.
    public var jsonMembers: [(key: String, value: JSON)] {
        let pairs = fields.filter { $0.key.hasPrefix(Self.infoPrefix) }
        let others = fields.filter { !$0.key.hasPrefix(Self.infoPrefix) }
            .map { (key: $0.jsonKey, value: $0.jsonValue) }
        guard !pairs.isEmpty else { return others }
        let info = pairs.map { (key: String($0.key.dropFirst(Self.infoPrefix.count)), value: JSON.string($0.value)) }
        return others + [("info", .object(info))]
    }

    /// Of an object that `jsonMembers` wrote, as it was sent; what that never writes is left out.
    public init(_ verb: String, json: JSON) {
        guard case .object(let members) = json else {
            self.init(verb)
            return
        }
        self.init(
            verb,
            members.flatMap { key, value in
                if key == "info", case .object(let pairs) = value {
                    return pairs.compactMap { Field(Self.infoPrefix + $0.key, json: $0.value) }
                }
                return Field(Field.wireKey(key), json: value).map { [$0] } ?? []
            })
    }

    private static let infoPrefix = "info."
}

extension Field {
    private static let integers: Set = [
        "pid", "front", "supervisor", "open-tasks", "processes", "footprint", "memory-limit", "number", "seq", "task",
        "status", "signal", "main-pid", "memory-high", "resident", "swapped", "available",
        "info-left-out", "woken", "badge", "notifications", "requests",
    ]
    private static let durations: Set = [
        "since", "remaining", "budget", "cpu", "running-for", "time-limit", "time", "watchdog", "grace", "seconds",
        "sleep-when-idle", "keep-alive", "keep-alive-left", "shortest-wait", "resumed-in",
    ]
    /// Told to the microsecond; the others to the millisecond.
    private static let fineDurations: Set = ["resumed-in"]
    private static let flags: Set = ["aware", "traced", "terminating", "ready", "stopping", "throttled"]
    private static let lists: Set = ["kept-changes", "unacknowledged", "background-modes"]

    /// Numbers as numbers, an infinite duration as null; a command called `true` stays a string.
    public var jsonValue: JSON {
        if Self.integers.contains(key), let number = Int64(value) { return .integer(number) }
        if Self.durations.contains(key) { return Self.seconds(value) }
        if Self.flags.contains(key) { return .bool(value == "true") }
        if Self.lists.contains(key) { return .array(value.split(separator: ",").map { .string(String($0)) }) }
        return .string(value)
    }

    /// In JSON's way of writing them: `memory-limit` is `memoryLimit`.
    public var jsonKey: String {
        let parts = key.split(separator: "-")
        return parts.dropFirst().reduce(String(parts.first ?? "")) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }

    fileprivate init?(_ key: String, json: JSON) {
        switch json {
        case .null where Self.durations.contains(key): self.init(key, "inf")
        case .null, .object: return nil
        case .bool(let flag): self.init(key, flag ? "true" : "false")
        case .integer(let number): self.init(key, String(number))
        case .number(let seconds):
            // Rounded: 5.001 is a little less as a Double.
            guard abs(seconds) < 9e9 else { return nil }
            if Self.fineDurations.contains(key) {
                self.init(key, Seconds.fineText(nanoseconds: Int64((seconds * 1_000_000).rounded()) * 1000))
            } else {
                self.init(key, Seconds.text(nanoseconds: Int64((seconds * 1000).rounded()) * 1_000_000))
            }
        case .string(let text): self.init(key, text)
        case .array(let items):
            self.init(
                key, items.map { if case .string(let text) = $0 { text } else { $0.text } }.joined(separator: ","))
        }
    }

    fileprivate static func wireKey(_ key: String) -> String {
        key.reduce(into: "") { key, letter in key += letter.isUppercase ? "-" + letter.lowercased() : String(letter) }
    }

    public static func seconds(_ text: String) -> JSON {
        text == "inf" ? .null : Double(text).map { .number($0) } ?? .null
    }
}
