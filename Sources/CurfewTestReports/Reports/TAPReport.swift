import CurfewWire

/// The Test Anything Protocol, version 14: a test point for each scenario, numbered as they finish.
///
/// Source: testanything.org, "TAP 14 specification".
public struct TAPReport: ResultSink {
    private var number = 0
    private var isPlanned = false

    public init() {}

    public mutating func began(_ count: Int?) -> String {
        guard let count else { return "TAP version 14\n" }
        isPlanned = true
        return "TAP version 14\n1..\(count)" + (count == 0 ? " # nothing to run\n" : "\n")
    }

    public mutating func started(_ id: ScenarioID) -> String { "" }

    public mutating func finished(_ result: ScenarioResult) -> String {
        number += 1
        let description = "\(number) - \(TAPReport.escaped(result.id.title))"
        switch result.outcome {
        case .passed: return "ok \(description)\n" + block(result)
        case .skipped(let why):
            let reason = why.isEmpty ? "" : " " + TAPReport.escaped(Printable.text(why))
            return "ok \(description) # SKIP\(reason)\n"
        case .failed(let failure): return "not ok \(description)\n" + block(result, failure, severity: "fail")
        case .broken(let failure): return "not ok \(description)\n" + block(result, failure, severity: "error")
        }
    }

    /// The plan, where it wasn't known before; `Bail out!` where the run was interrupted.
    public mutating func ended(_ summary: Summary) -> String {
        let plan = isPlanned ? "" : "1..\(number)\n"
        guard let interruption = summary.interruption else { return plan }
        return plan + "Bail out! interrupted by \(TAPReport.escaped(Printable.text(interruption)))\n"
    }

    /// What would end a description, or escape.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            if character == "\\" || character == "#" { result += "\\" }
            result.unicodeScalars.append(character)
        }
        return result
    }
}

// The YAML after a test point. Texts are double-quoted, as JSON has them, which YAML 1.2 reads.
extension TAPReport {
    private func block(_ result: ScenarioResult) -> String {
        "  ---\n  duration_ms: \(duration(result))\n  ...\n"
    }

    private func block(_ result: ScenarioResult, _ failure: Failure, severity: String) -> String {
        var lines = ["---", "message: \(quoted(failure.sentence))", "severity: \(severity)"]
        lines += ["at:", "  file: \(quoted(result.id.file))"]
        if failure.line > 0 { lines.append("  line: \(failure.line)") }
        if failure.column > 0 { lines.append("  column: \(failure.column)") }
        lines += [
            "statement: \(quoted(failure.statement))", "wanted: \(quoted(failure.expected))",
            "found: \(quoted(failure.seen))",
        ]
        lines +=
            list("advances", result.advances.map(\.text)) + list("events", failure.events)
            + list("output", failure.output)
        if let picture = failure.picture { lines.append("picture: \(quoted(picture))") }
        if let artifacts = result.artifacts { lines.append("artifacts: \(quoted(artifacts))") }
        lines += ["duration_ms: \(duration(result))", "..."]
        return lines.map { "  \($0)\n" }.joined()
    }

    private func list(_ key: String, _ items: [String]) -> [String] {
        items.isEmpty ? [] : ["\(key):"] + items.map { "  - \(quoted($0))" }
    }

    private func quoted(_ text: String) -> String { JSON.string(text).text }

    private func duration(_ result: ScenarioResult) -> Int64 { (result.nanoseconds + 500_000) / 1_000_000 }
}
