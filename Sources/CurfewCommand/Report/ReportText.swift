import CurfewEngine
import CurfewWire

/// A report for people: what happened, then all that is known, each section only where there is something in it.
struct ReportText {
    private let summary: ReportSummary
    private let report: ReportFields

    init(_ summary: ReportSummary, _ report: ReportFields) {
        self.summary = summary
        self.report = report
    }

    private typealias Line = (label: String, text: String)

    private static let margin = "  "

    /// `width`: of the terminal; nil for as wide as it gets.
    func lines(width: Int?) -> [String] {
        let lists = [("", facts), ("Limit crossed", crossed), ("All limits", limits)]
        let labels = lists.flatMap { $0.1.map(\.label.count) }.max() ?? 0
        var result = [title] + Self.lines(facts, labels)
        for (heading, lines) in lists.dropFirst() where !lines.isEmpty {
            result += ["", heading] + Self.lines(lines, labels)
        }
        for (heading, table, rest) in tables where !table.rows.isEmpty {
            var table = table
            table.maximumWidth = width.map { max(0, $0 - Self.margin.count) }
            result += ["", heading] + (table.lines() + rest).map { Self.margin + $0 }
        }
        return result
    }

    private static func lines(_ lines: [Line], _ width: Int) -> [String] {
        lines.map { label, text in
            margin + label + String(repeating: " ", count: width - label.count + 2) + text
        }
    }

    private static func line(_ label: String, _ text: String?) -> Line? { text.map { (label, $0) } }

    // MARK: What happened

    private var title: String {
        let reason = report.text("reason")
        let code = report.text("code").map { " (\($0))" } ?? ""
        let why = report.text("message") ?? reason.map { $0 + code }
        return "\(summary.app): " + (reason == nil ? why ?? "ended" : "killed: \(why ?? "")")
    }

    private var facts: [Line] {
        [
            ("when", when),
            Self.line("command", report.command("command")),
            Self.line("pid", report.integer("pid")),
            Self.line("state", state),
            Self.line("exit category", report.text("exitCategory")),
            Self.line("exit status", report.integer("status")),
            Self.line("program", program),
            Self.line("containment", report.text("containment")),
            Self.line("CPU time", report.duration("cpuSeconds")),
            Self.line("peak memory", report.size("peakMemoryBytes")),
            ("file", summary.stored.path),
        ].compactMap { $0 }
    }

    private var when: String {
        ReportSummary.when(summary.time) + (report.duration("seconds").map { ", after \($0)" } ?? "")
    }

    private var state: String? {
        let visibility = report.text("visibility")
        guard let state = report.text("state") else { return visibility }
        return state + (visibility.map { $0 == state ? "" : ", in \($0)" } ?? "")
    }

    private var program: String? {
        guard let leader = report.object("leader") else { return nil }
        if let code = leader.integer("exited") { return "exited with \(code)" }
        let dump = leader.isTrue("dumpedCore") ? ", and left a core dump" : ""
        return leader.integer("signal").map { "ended by signal \($0)\(dump)" }
    }

    // MARK: Limits

    /// What the key alone doesn't say.
    private static let crossedLabels = [
        "seconds": "limit", "memoryBytes": "memory limit", "cpuSeconds": "CPU time",
        "cpuLimitSeconds": "CPU limit",
    ]

    private var crossed: [Line] { Self.measures(report.object("limit"), named: Self.crossedLabels) }

    private var limits: [Line] { Self.measures(report.object("limits"), named: [:]) }

    /// Any key, so that one that is new is shown too.
    private static func measures(_ fields: ReportFields?, named labels: [String: String]) -> [Line] {
        (fields?.members ?? []).compactMap { key, value in
            let label = KeyLabel(key)
            let text =
                switch label.unit {
                case .seconds: ReportFields.duration(value)
                case .bytes: ReportFields.size(value)
                case .share: ReportFields.share(value)
                case .none: nil as String?
                }
            return line(labels[key] ?? Printable.text(label.words), text ?? ReportFields.shown(value))
        }
    }

    // MARK: Tables

    private var tables: [(heading: String, table: Table, rest: [String])] {
        [
            ("Background tasks", tasks, []), ("Locks", locks, []), ("Processes", processes, omitted),
            ("Apps", apps, []), ("Last events", events, []),
        ]
    }

    private static let unknown = "-"

    private var tasks: Table {
        var table = Table(columns: [
            .init(title: "TASK", isNumber: true), .init(title: "AGE", isNumber: true), .init(title: "NAME"),
        ])
        table.rows = report.objects("tasks").map { task in
            [
                task.integer("task") ?? Self.unknown, task.duration("ageSeconds") ?? Self.unknown,
                task.text("name") ?? Self.unknown,
            ]
        }
        return table
    }

    /// Those of the processes as well that aren't in the list of all.
    private var locks: Table {
        var all = report.objects("locks")
        for process in report.objects("processes") {
            all += process.objects("locks").filter { lock in !all.contains { $0.json == lock.json } }
        }
        var table = Table(columns: [
            .init(title: "PID", isNumber: true), .init(title: "KIND"), .init(title: "ACCESS"),
            .init(title: "WAITED FOR"), .init(title: "PATH"),
        ])
        table.rows = all.map { lock in
            [
                lock.integer("pid") ?? Self.unknown, lock.text("kind") ?? Self.unknown,
                lock.text("access") ?? Self.unknown, lock.isTrue("waitedFor") ? "yes" : "no",
                lock.text("path") ?? Self.unknown,
            ]
        }
        return table
    }

    private var processes: Table {
        var table = Table(columns: [
            .init(title: "PID", isNumber: true), .init(title: "STATE"), .init(title: "WAITS IN"),
            .init(title: "MEMORY", isNumber: true), .init(title: "CPU", isNumber: true),
            .init(title: "FDS", isNumber: true), .init(title: "COMMAND"),
        ])
        table.rows = report.objects("processes").map { process in
            [
                process.integer("pid") ?? Self.unknown, process.text("state") ?? Self.unknown,
                process.text("waitChannel") ?? Self.unknown, process.size("footprintBytes") ?? Self.unknown,
                process.duration("cpuSeconds") ?? Self.unknown, process.integer("descriptors") ?? Self.unknown,
                process.command("command") ?? process.text("name").map { "[\($0)]" } ?? Self.unknown,
            ]
        }
        return table
    }

    private var omitted: [String] {
        guard let count = report.integer("omittedProcesses"), count != "0" else { return [] }
        return ["and \(count) more"]
    }

    private var apps: Table {
        var table = Table(columns: [
            .init(title: "APP"), .init(title: "BAND"), .init(title: "MEMORY", isNumber: true), .init(title: "VICTIM"),
        ])
        table.rows = report.objects("apps").map { app in
            [
                app.text("app") ?? Self.unknown, app.text("band") ?? Self.unknown,
                app.size("footprintBytes") ?? Self.unknown, app.isTrue("victim") ? "killed" : "",
            ]
        }
        return table
    }

    private var events: Table {
        var table = Table(columns: [.init(title: "TIME"), .init(title: "EVENT"), .init(title: "DETAILS")])
        table.rows = report.objects("events").map { event in
            [Self.time(event), event.text("name") ?? Self.unknown, Self.details(event)]
        }
        return table
    }

    private static func time(_ event: ReportFields) -> String {
        guard let nanoseconds = event.seconds("time").flatMap({ ReportFields.nanoseconds($0) }) else { return unknown }
        return TimeOfDay.text(Seconds.text(nanoseconds: nanoseconds))
    }

    /// As `curfew events` shows them.
    private static func details(_ event: ReportFields) -> String {
        let hidden: Set = ["name", "number", "time", "app"]
        return event.members.filter { !hidden.contains($0.key) }.map { key, value in
            if case .string(let text) = value { return "\(key)=\(text)" }
            return "\(key)=\(value.text)"
        }.joined(separator: "  ")
    }
}
