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

    private static let infoPrefix = "info."
}

extension Field {
    private static let integers: Set = [
        "pid", "front", "supervisor", "open-tasks", "processes", "footprint", "memory-limit", "number", "seq", "task",
        "status", "signal", "main-pid", "memory-high", "resident", "swapped", "available",
        "info-left-out",
    ]
    private static let durations: Set = [
        "since", "remaining", "budget", "cpu", "running-for", "time-limit", "time", "watchdog", "grace", "seconds",
    ]
    private static let flags: Set = ["aware", "traced", "terminating", "ready", "stopping", "throttled"]
    private static let lists: Set = ["kept-changes", "unacknowledged"]

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

    public static func seconds(_ text: String) -> JSON {
        text == "inf" ? .null : Double(text).map { .number($0) } ?? .null
    }
}
