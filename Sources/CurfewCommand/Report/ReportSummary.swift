import CurfewEngine
import CurfewWire

/// One line of `curfew report`.
struct ReportSummary {
    let stored: StoredReport
    /// Nil when it is damaged.
    let fields: ReportFields?
    /// What is wrong with it.
    let problem: String

    init(_ stored: StoredReport, _ fields: ReportFields?, problem: String = "") {
        self.stored = stored
        self.fields = fields
        self.problem = problem
    }

    var app: String { fields?.text("app") ?? stored.id.app }

    /// When the app ended, in seconds since 1970.
    var time: Double { fields?.seconds("ended") ?? Double(stored.id.seconds) }

    static func table(_ summaries: [ReportSummary], width: Int?) -> [String] {
        var table = Table(columns: [
            .init(title: "WHEN"), .init(title: "APP"), .init(title: "REASON"), .init(title: "ID"),
            .init(title: "MESSAGE"),
        ])
        table.maximumWidth = width
        table.rows = summaries.map { summary in
            [when(summary.time), summary.app, summary.reason, summary.stored.id.text, summary.message]
        }
        return table.lines()
    }

    /// Local date and time.
    static func when(_ seconds: Double) -> String {
        Int64(exactly: seconds.rounded(.down)).flatMap { TimeOfDay.dateAndTime($0) } ?? "-"
    }

    private var reason: String { fields == nil ? "(damaged)" : fields?.text("reason") ?? "-" }

    /// Without the reason and its code, which stand in a column of their own.
    private var message: String {
        guard let fields else { return problem }
        let message = fields.text("message") ?? ""
        guard let reason = fields.text("reason"), message.hasPrefix(reason) else { return message }
        let code = fields.text("code").map { " (\($0))" } ?? ""
        let prefix = reason + code + ": "
        return message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message
    }

    var json: JSON {
        func text(_ key: String) -> JSON { fields?.plain(key).map { .string($0) } ?? .null }
        return .object([
            ("id", .string(stored.id.text)), ("path", .string(stored.path)), ("time", .number(time)),
            ("app", .string(fields?.plain("app") ?? stored.id.app)), ("reason", text("reason")), ("code", text("code")),
            ("message", fields == nil ? .string(problem) : text("message")), ("damaged", .bool(fields == nil)),
        ])
    }
}
