import CurfewWire

/// One line of what a server's apps have scheduled.
struct ScheduledThing {
    private let fields: Message

    init(_ message: Message) { fields = message }

    private subscript(key: String) -> String { fields[key] ?? "" }

    // MARK: For people

    static func table(_ all: [ScheduledThing], width: Int?) -> [String] {
        var table = Table(columns: [
            .init(title: "APP"), .init(title: "KIND"), .init(title: "ID"), .init(title: "NEXT"), .init(title: "ZONE"),
            .init(title: "REPEAT"), .init(title: "WAITS"), .init(title: "TITLE"),
        ])
        table.maximumWidth = width
        table.rows = all.map { thing in
            [
                thing["app"], thing["kind"], thing.id, thing["shown"], thing["zone"], thing.repetition,
                thing.obstacle, thing["title"],
            ]
        }
        return table.lines()
    }

    private var id: String { fields["notification"] ?? fields["request"] ?? self["push"] }

    private var repetition: String {
        Int64(self["repeat"]).map { HumanText.duration(nanoseconds: $0 * 1_000_000_000) } ?? self["repeat"]
    }

    /// That its time hasn't come its time tells.
    private var obstacle: String {
        switch self["waits"] {
        case "too-early": ""
        case "app-removed": "it was removed"
        case "app-in-front": "it is in front"
        case "cant-be-launched": "it can't be launched"
        case "short-of-cpu": "processors are busy"
        case "short-of-memory": "memory is short"
        case "battery-low": "the battery is low"
        case "on-battery": "it needs power"
        case "machine-in-use": "the machine is used"
        case "other-runs": "another of its runs"
        case "runs": "it runs now"
        case let word: word
        }
    }

    // MARK: For programs

    /// Source: docs/json.md, "curfew schedule".
    var json: JSON {
        var members: [(key: String, value: JSON)] = [
            ("app", .string(self["app"])), ("kind", .string(self["kind"])),
        ]
        if let id = fields["notification"] ?? fields["request"] ?? fields["push"] {
            members.append(("id", .string(id)))
        }
        members += [("due", Field.seconds(self["due"])), ("shown", .string(self["shown"]))]
        for key in ["zone", "repeat", "waits"] { if let text = fields[key] { members.append((key, .string(text))) } }
        if fields["earliest"] != nil { members.append(("earliest", Field.seconds(self["earliest"]))) }
        for key in ["needs-network", "needs-power"] where fields[key] == "1" { members.append((key, .bool(true))) }
        if let badge = Int64(self["badge"]) { members.append(("badge", .integer(badge))) }
        if let title = fields["title"] { members.append(("title", .string(title))) }
        return .object(members)
    }
}
