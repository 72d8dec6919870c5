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
        let members = fields.fields.filter { $0.key != "id" }
            .map { (key: Self.camelCase($0.key), value: Self.value($0)) }
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
        "status", "signal",
    ]
    private static let durations: Set = ["since", "remaining", "budget", "cpu", "running-for", "time-limit", "time"]

    private static let flags: Set = ["aware", "traced", "terminating"]

    /// Numbers as numbers, an infinite duration as null; a command called `true` stays a string.
    static func value(_ field: Field) -> JSON {
        if integers.contains(field.key), let number = Int64(field.value) { return .integer(number) }
        if durations.contains(field.key) { return seconds(field.value) }
        if flags.contains(field.key) { return .bool(field.value == "true") }
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
