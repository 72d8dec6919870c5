import CurfewWire

/// One run of a server's history.
struct PastRun {
    private let fields: Message

    init(_ message: Message) { fields = message }

    private subscript(key: String) -> String { fields[key] ?? "" }

    // MARK: For people

    static func table(_ runs: [PastRun]) -> [String] {
        var table = Table(columns: [
            .init(title: "APP"), .init(title: "RUN", isNumber: true), .init(title: "BEGAN"),
            .init(title: "LASTED", isNumber: true), .init(title: "CPU", isNumber: true),
            .init(title: "PEAK", isNumber: true), .init(title: "END"),
        ])
        table.rows = runs.map { run in
            [run["app"], run["number"], run.began, run.length, run.cpu, run.peak, run.end]
        }
        return table.lines()
    }

    private var began: String {
        Seconds.parse(self["began"]).flatMap { TimeOfDay.dateAndTime($0 / 1_000_000_000) } ?? "-"
    }

    private var length: String {
        guard let began = Seconds.parse(self["began"]), let ended = Seconds.parse(self["ended"]) else { return "" }
        return HumanText.duration(nanoseconds: max(0, ended - began))
    }

    private var cpu: String { Seconds.parse(self["cpu"]).map { HumanText.duration(nanoseconds: $0) } ?? "" }

    private var peak: String { UInt64(self["memory-peak"]).map { HumanText.size(bytes: $0) } ?? "" }

    private var end: String {
        fields["ended"] == nil ? "runs" : Self.end(reason: fields["reason"], status: fields["status"])
    }

    /// A status is told only where nobody has ended the app.
    static func end(reason: String?, status: String?) -> String {
        guard let reason, !reason.isEmpty else { return "" }
        return reason == "exit" ? "exit " + (status ?? "?") : reason
    }

    // MARK: For programs

    /// Source: docs/json.md, "curfew history".
    var json: JSON {
        var members: [(key: String, value: JSON)] = [("app", .string(self["app"]))]
        if let number = Int64(self["number"]) { members.append(("number", .integer(number))) }
        for key in ["began", "ended"] { if let time = fields[key] { members.append((key, Field.seconds(time))) } }
        if let reason = fields["reason"] { members.append(("reason", .string(reason))) }
        if let status = Int64(self["status"]) { members.append(("status", .integer(status))) }
        if let cpu = fields["cpu"] { members.append(("cpu", Field.seconds(cpu))) }
        if let peak = Int64(self["memory-peak"]) { members.append(("memoryPeak", .integer(peak))) }
        return .object(members)
    }
}
