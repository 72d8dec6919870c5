import CurfewWire

/// An object a line for each thing that happens. Source: docs/json.md, "curfew test".
public struct JSONLinesReport: ResultSink {
    public init() {}

    public mutating func began(_ count: Int?) -> String {
        line("began", count.map { [("count", .integer(Int64($0)))] } ?? [])
    }

    public mutating func started(_ id: ScenarioID) -> String { line("started", id.jsonMembers) }

    public mutating func finished(_ result: ScenarioResult) -> String { line("result", result.jsonMembers) }

    public mutating func ended(_ summary: Summary) -> String { line("ended", summary.jsonMembers) }

    private func line(_ kind: String, _ members: [(key: String, value: JSON)]) -> String {
        JSON.object([("kind", .string(kind))] + members).text + "\n"
    }
}

extension ScenarioID {
    var jsonMembers: [(key: String, value: JSON)] {
        var members: [(key: String, value: JSON)] = [
            ("file", .string(file)), ("name", .string(name)), ("line", .integer(Int64(line))),
        ]
        if !values.isEmpty { members.append(("values", .object(values.map(ScenarioID.member)))) }
        if round > 0 { members.append(("round", .integer(Int64(round)))) }
        return members
    }

    private static func member(_ value: String) -> (key: String, value: JSON) {
        let cut = value.firstIndex(of: "=") ?? value.endIndex
        return (String(value[..<cut]), .string(String(value[cut...].dropFirst())))
    }
}

extension ScenarioResult {
    fileprivate var jsonMembers: [(key: String, value: JSON)] {
        var members = id.jsonMembers
        members += [("outcome", .string(outcome.word)), ("seconds", .seconds(seconds))]
        if case .skipped(let why) = outcome { members.append(("reason", .string(why))) }
        if let failure { members.append(("failure", failure.json)) }
        if !advances.isEmpty { members.append(("advances", .array(advances.map(\.json)))) }
        if let artifacts { members.append(("artifacts", .string(artifacts))) }
        return members
    }
}

extension ScenarioAdvance {
    fileprivate var json: JSON {
        .object([
            ("line", .integer(Int64(line))), ("seconds", .exactSeconds(passed)), ("left", .exactSeconds(left)),
            ("state", .string(state)), ("events", .array(events.map(JSON.string))),
        ])
    }
}

extension ScenarioResult.Outcome {
    fileprivate var word: String {
        switch self {
        case .passed: "passed"
        case .failed: "failed"
        case .skipped: "skipped"
        case .broken: "broken"
        }
    }
}

extension Failure {
    fileprivate var json: JSON {
        var members: [(key: String, value: JSON)] = [
            ("line", .integer(Int64(line))), ("column", .integer(Int64(column))), ("statement", .string(statement)),
            ("neighbours", .array(neighbours.map(\.json))), ("expected", .string(expected)), ("seen", .string(seen)),
            ("events", .array(events.map(JSON.string))), ("output", .array(output.map(JSON.string))),
        ]
        if let picture { members.append(("picture", .string(picture))) }
        return .object(members)
    }
}

extension Failure.Line {
    fileprivate var json: JSON { .object([("number", .integer(Int64(number))), ("text", .string(text))]) }
}

extension Summary {
    fileprivate var jsonMembers: [(key: String, value: JSON)] {
        var members: [(key: String, value: JSON)] = [
            ("passed", .integer(Int64(passed))), ("failed", .integer(Int64(failed))),
            ("skipped", .integer(Int64(skipped))),
            ("broken", .integer(Int64(broken))), ("notRun", .integer(Int64(notRun))), ("seconds", .seconds(seconds)),
            ("status", .integer(Int64(status))),
        ]
        if let interruption { members.append(("interruption", .string(interruption))) }
        return members
    }
}

extension JSON {
    /// Of the app's time, which is moved by as much as was said.
    fileprivate static func exactSeconds(_ nanoseconds: Int64) -> JSON { .number(Double(nanoseconds) / 1e9) }

    /// To the microsecond: what is below says nothing, and fills lines.
    fileprivate static func seconds(_ seconds: Double) -> JSON {
        .number(Double((ScenarioResult.nanoseconds(seconds) + 500) / 1_000) / 1_000_000)
    }
}
