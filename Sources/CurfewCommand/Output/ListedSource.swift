import CurfewWire

/// One source of a server.
struct ListedSource {
    private let fields: Message

    init(_ message: Message) { fields = message }

    private subscript(key: String) -> String { fields[key] ?? "" }

    // MARK: For people

    static func table(_ sources: [ListedSource], width: Int?) -> [String] {
        var table = Table(columns: [
            .init(title: "NAME"), .init(title: "STATE"), .init(title: "PID", isNumber: true),
            .init(title: "RESTARTS", isNumber: true), .init(title: "FOR APPS"), .init(title: "LAST PROBLEM"),
        ])
        table.maximumWidth = width
        table.rows = sources.map { source in
            [
                source["name"], source["state"], source["pid"], source["restarts"],
                source.apps, source["problem"],
            ]
        }
        return table.lines()
    }

    private var apps: String {
        fields["apps"].map { String($0.map { (letter: Character) in letter == "," ? " " : letter }) } ?? "all"
    }

    // MARK: For programs

    /// Source: docs/json.md, "curfew apps --sources".
    var json: JSON {
        var members: [(key: String, value: JSON)] = [
            ("name", .string(self["name"])), ("state", .string(self["state"])),
        ]
        for key in ["pid", "restarts"] { if let number = Int64(self[key]) { members.append((key, .integer(number))) } }
        if let pause = fields["restart-in"] { members.append(("restartIn", Field.seconds(pause))) }
        if let apps = fields["apps"] {
            members.append(("apps", .array(apps.split(separator: ",").map { .string(String($0)) })))
        }
        if let problem = fields["problem"] { members.append(("problem", .string(problem))) }
        members.append(("command", .string(self["command"])))
        return .object(members)
    }
}
