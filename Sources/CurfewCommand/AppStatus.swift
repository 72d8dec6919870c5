import CurfewWire

/// What a supervisor says of its app, ready to be shown.
struct AppStatus {
    private let fields: Message
    let tasks: [Message]

    init(_ answer: ControlClient.Answer) {
        fields = answer.final
        tasks = answer.items.filter { $0.verb == "task" }
    }

    subscript(key: String) -> String { fields[key] ?? "" }

    /// Whether it was sent, and says something.
    func has(_ key: String) -> Bool { !self[key].isEmpty }

    var name: String { self["app"] }

    func answers(toPid pid: String) -> Bool { ["pid", "front", "supervisor"].contains { self[$0] == pid } }

    /// A field as it was sent, for a person's terminal.
    func text(_ key: String) -> String { Printable.text(self[key]) }

    func duration(_ key: String) -> String {
        HumanText.duration(nanoseconds: Seconds.parse(self[key]) ?? 0)
    }

    func size(_ key: String) -> String { HumanText.size(bytes: UInt64(self[key]) ?? 0) }

    // MARK: JSON

    var json: JSON {
        let members = Self.members(of: fields).filter { $0.key != "id" }
        return .object(members + [("tasks", .array(tasks.map { Self.json(of: $0) }))])
    }

    static func json(of task: Message) -> JSON {
        .object([
            ("task", .integer(Int64(task["task"] ?? "") ?? 0)), ("name", .string(task["name"] ?? "")),
            ("ageSeconds", seconds(task["age"] ?? "")),
        ])
    }

    private static let integers: Set = [
        "pid", "front", "supervisor", "open-tasks", "processes", "footprint", "memory-limit", "number", "seq", "task",
        "status", "signal", "main-pid", "memory-high", "resident", "swapped", "available",
    ]
    private static let durations: Set = [
        "since", "remaining", "budget", "cpu", "running-for", "time-limit", "time", "watchdog", "grace", "seconds",
    ]
    private static let flags: Set = ["aware", "traced", "terminating", "ready", "stopping", "throttled"]
    private static let lists: Set = ["kept-changes", "unacknowledged"]
    private static let infoPrefix = "info."

    /// What was sent, by names as JSON has them; the pairs of an event under `info`, each by its own KEY.
    static func members(of message: Message) -> [(key: String, value: JSON)] {
        let pairs = message.fields.filter { $0.key.hasPrefix(infoPrefix) }
        let others = message.fields.filter { !$0.key.hasPrefix(infoPrefix) }
            .map { (key: camelCase($0.key), value: value($0)) }
        guard !pairs.isEmpty else { return others }
        let info = pairs.map { (key: String($0.key.dropFirst(infoPrefix.count)), value: JSON.string($0.value)) }
        return others + [("info", .object(info))]
    }

    /// Numbers as numbers, an infinite duration as null; a command called `true` stays a string.
    static func value(_ field: Field) -> JSON {
        if integers.contains(field.key), let number = Int64(field.value) { return .integer(number) }
        if durations.contains(field.key) { return seconds(field.value) }
        if flags.contains(field.key) { return .bool(field.value == "true") }
        if lists.contains(field.key) { return .array(field.value.split(separator: ",").map { .string(String($0)) }) }
        return .string(field.value)
    }

    private static func seconds(_ text: String) -> JSON {
        text == "inf" ? .null : Double(text).map { .number($0) } ?? .null
    }

    static func camelCase(_ key: String) -> String {
        let parts = key.split(separator: "-")
        return parts.dropFirst().reduce(String(parts.first ?? "")) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }
}
