import CurfewWire

/// One line of a server's task list.
struct ListedApp {
    private let fields: Message

    init(_ message: Message) { fields = message }

    private subscript(key: String) -> String { fields[key] ?? "" }

    // MARK: For people

    static func table(_ apps: [ListedApp], width: Int?) -> [String] {
        var table = Table(columns: [
            .init(title: "NAME"), .init(title: "STATE"), .init(title: "FOR", isNumber: true),
            .init(title: "PID", isNumber: true), .init(title: "LAUNCHES", isNumber: true), .init(title: "LAST END"),
            .init(title: "NOTE"),
        ])
        table.maximumWidth = width
        table.rows = apps.map { app in
            [
                app["name"], app["state"], app.duration("since"), app["pid"], app["launches"], app.lastEnd, app.note,
            ]
        }
        return table.lines { row, column, cell in
            guard row >= 0, column == 1 else { return cell }
            let state = apps[row]["state"]
            return cell.hasPrefix(state) ? Output.state(state) + cell.dropFirst(state.count) : cell
        }
    }

    private func duration(_ key: String) -> String {
        Seconds.parse(self[key]).map { HumanText.duration(nanoseconds: $0) } ?? ""
    }

    /// Why its last run was over: a status only where that is all there is to say.
    private var lastEnd: String { PastRun.end(reason: fields["ended"], status: fields["status"]) }

    private var note: String {
        var notes: [String] = []
        if fields["restart-in"] != nil { notes.append("launched again in \(duration("restart-in"))") }
        if self["differs"] == "1" { notes.append("its manifest has changed since") }
        if self["removed"] == "1" { notes.append("removed") }
        if self["joined"] == "1" { notes.append("joined, by `curfew run`") }
        return notes.joined(separator: ", ")
    }

    // MARK: For programs

    /// Source: docs/json.md, "curfew apps".
    var json: JSON {
        var members: [(key: String, value: JSON)] = [
            ("name", .string(self["name"])), ("state", .string(self["state"])),
        ]
        members.append(("since", Field.seconds(self["since"])))
        for key in ["launches", "pid"] { if let number = Int64(self[key]) { members.append((key, .integer(number))) } }
        if let reason = fields["ended"] { members.append(("ended", .string(reason))) }
        if let status = Int64(self["status"]) { members.append(("status", .integer(status))) }
        if let pause = fields["restart-in"] { members.append(("restartIn", Field.seconds(pause))) }
        for key in ["differs", "removed", "joined"] { members.append((key, .bool(self[key] == "1"))) }
        return .object(members)
    }
}
