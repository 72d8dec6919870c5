import CurfewWire

/// What a supervisor says of its app, ready to be shown.
package struct AppStatus {
    private let fields: Message
    let tasks: [Message]
    /// The server that holds it; nil where it has a supervisor of its own.
    let server: String?

    package init(_ answer: ControlClient.Answer, server: String? = nil) {
        self.server = server
        fields = answer.final
        tasks = answer.items.filter { $0.verb == "task" }
    }

    package subscript(key: String) -> String { fields[key] ?? "" }

    /// Whether it was sent, and says something.
    func has(_ key: String) -> Bool { !self[key].isEmpty }

    package var name: String { self["app"] }

    /// Whether it is never suspended.
    var isContinuous: Bool { self["background-modes"].split(separator: ",").contains("continuous") }

    /// Of one that has a supervisor of its own.
    func answers(toPid pid: String) -> Bool { ["pid", "front", "supervisor"].contains { self[$0] == pid } }

    /// A field as it was sent, for a person's terminal.
    func text(_ key: String) -> String { Printable.text(self[key]) }

    func duration(_ key: String) -> String {
        HumanText.duration(nanoseconds: Seconds.parse(self[key]) ?? 0)
    }

    func size(_ key: String) -> String { HumanText.size(bytes: UInt64(self[key]) ?? 0) }

    // MARK: JSON

    var json: JSON {
        let members = fields.jsonMembers.filter { $0.key != "id" }
        return .object(members + [("tasks", .array(tasks.map { Self.json(of: $0) }))])
    }

    static func json(of task: Message) -> JSON {
        .object([
            ("task", .integer(Int64(task["task"] ?? "") ?? 0)), ("name", .string(task["name"] ?? "")),
            ("ageSeconds", Field.seconds(task["age"] ?? "")),
        ])
    }
}
