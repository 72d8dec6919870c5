import CurfewWire

extension ScenarioResult {
    /// Reads what `JSONLinesReport` has written of a result; nil for any other line. Seconds come back as microseconds have them.
    public init?(jsonLine: String) {
        guard let json = try? JSON.parse(jsonLine), json["kind"] == .string("result"), let id = ScenarioID(json),
            let outcome = Outcome(json), let seconds = json["seconds"]?.double
        else { return nil }
        self.init(
            id, outcome, seconds: seconds, artifacts: json["artifacts"]?.string,
            advances: json["advances"]?.items.compactMap(ScenarioAdvance.init) ?? [])
    }
}

extension ScenarioAdvance {
    fileprivate init?(_ json: JSON) {
        guard let line = json["line"]?.int, let passed = json["seconds"]?.double, let left = json["left"]?.double,
            let state = json["state"]?.string
        else { return nil }
        self.init(
            line: line, passed: ScenarioResult.nanoseconds(passed), left: ScenarioResult.nanoseconds(left),
            state: state, events: json["events"]?.items.compactMap(\.string) ?? [])
    }
}

extension ScenarioID {
    fileprivate init?(_ json: JSON) {
        guard let file = json["file"]?.string, let name = json["name"]?.string, let line = json["line"]?.int else {
            return nil
        }
        var values: [String] = []
        if case .object(let members)? = json["values"] {
            values = members.map { "\($0.key)=\($0.value.string ?? "")" }
        }
        self.init(file: file, name: name, line: line, values: values, round: json["round"]?.int ?? 0)
    }
}

extension ScenarioResult.Outcome {
    fileprivate init?(_ json: JSON) {
        let failure = json["failure"].flatMap(Failure.init)
        switch (json["outcome"]?.string, failure) {
        case ("passed", nil): self = .passed
        case ("skipped", nil): self = .skipped(json["reason"]?.string ?? "")
        case ("failed", let failure?): self = .failed(failure)
        case ("broken", let failure?): self = .broken(failure)
        default: return nil
        }
    }
}

extension Failure {
    fileprivate init?(_ json: JSON) {
        guard let line = json["line"]?.int, let column = json["column"]?.int, let statement = json["statement"]?.string,
            let expected = json["expected"]?.string, let seen = json["seen"]?.string
        else { return nil }
        self.init(
            line: line, column: column, statement: statement,
            neighbours: json["neighbours"]?.items.compactMap(Line.init) ?? [],
            expected: expected, seen: seen, events: json["events"]?.items.compactMap(\.string) ?? [],
            output: json["output"]?.items.compactMap(\.string) ?? [], picture: json["picture"]?.string)
    }
}

extension Failure.Line {
    fileprivate init?(_ json: JSON) {
        guard let number = json["number"]?.int, let text = json["text"]?.string else { return nil }
        self.init(number, text)
    }
}

extension JSON {
    fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
    fileprivate var int: Int? { if case .integer(let number) = self { Int(number) } else { nil } }
    fileprivate var items: [JSON] { if case .array(let items) = self { items } else { [] } }
    fileprivate var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}
