import CurfewWire

/// JUnit's XML, written whole at the end: a suite for each file, a case for each scenario.
public struct JUnitReport: ResultSink {
    private let timestamp: String
    private var results: [ScenarioResult] = []

    /// `timestamp`: when the run began, as `2026-11-22T21:45:00`.
    public init(timestamp: String) { self.timestamp = timestamp }

    public mutating func began(_ count: Int?) -> String { "" }

    public mutating func started(_ id: ScenarioID) -> String { "" }

    public mutating func finished(_ result: ScenarioResult) -> String {
        results.append(result)
        return ""
    }

    public mutating func ended(_ summary: Summary) -> String { document(summary).text }

    /// Files by name, their scenarios as they stand there: the same however the run went, side by side or not.
    func document(_ summary: Summary) -> JUnitDocument {
        let byFile = Dictionary(grouping: results, by: \.id.file)
        var suites = byFile.keys.sorted().map { file in
            let cases = (byFile[file] ?? []).sorted { $0.id.isBefore($1.id) }.map(JUnitDocument.Case.init)
            return JUnitDocument.Suite(name: Printable.text(file), timestamp: timestamp, cases)
        }
        if let interruption = summary.interruption { suites.append(suite(interruption, summary)) }
        return JUnitDocument(suites)
    }

    /// Without it an interrupted run would look like a short one.
    private func suite(_ interruption: String, _ summary: Summary) -> JUnitDocument.Suite {
        let message = "interrupted by \(Printable.text(interruption)): \(summary.notRun) not run"
        return JUnitDocument.Suite(
            name: JUnitDocument.Suite.ofTheRun, timestamp: timestamp,
            [
                JUnitDocument.Case(
                    className: "curfew", name: "test", nanoseconds: 0, .broken(message: message, text: message))
            ])
    }
}

extension JUnitDocument.Suite {
    /// The name of the suite that tells of the run itself.
    static let ofTheRun = "curfew test"
}

extension ScenarioID {
    fileprivate func isBefore(_ other: ScenarioID) -> Bool {
        if line != other.line { return line < other.line }
        if name != other.name { return name < other.name }
        if values != other.values { return values.lexicographicallyPrecedes(other.values) }
        return round < other.round
    }

    /// Its file as a class, `tests/upload.curfew` as `tests.upload`: Jenkins takes what precedes the last point for a package.
    var className: String {
        var parts = file.split(separator: "/").filter { $0 != "." }.map(String.init)
        if let last = parts.last, let point = last.lastIndex(of: "."), point > last.startIndex {
            parts[parts.count - 1] = String(last[..<point])
        }
        let words = parts.map { String($0.map { $0 == "." ? "_" : $0 }) }
        return Printable.text(words.joined(separator: "."))
    }
}

extension JUnitDocument.Case {
    init(_ result: ScenarioResult) {
        self.init(
            className: result.id.className, name: result.id.label, nanoseconds: result.nanoseconds,
            JUnitDocument.Outcome(result),
            output: (result.failure?.output ?? []).map { Printable.text($0) + "\n" }.joined())
    }
}

extension JUnitDocument.Outcome {
    fileprivate init(_ result: ScenarioResult) {
        switch result.outcome {
        case .passed: self = .passed
        case .skipped(let why): self = .skipped(Printable.text(why))
        case .failed(let failure): self = .failed(message: failure.sentence, text: Self.text(result, failure))
        case .broken(let failure): self = .broken(message: failure.sentence, text: Self.text(result, failure))
        }
    }

    private static func text(_ result: ScenarioResult, _ failure: Failure) -> String {
        FailureText(result, failure, hasOutput: false).lines.map { $0.text + "\n" }.joined()
    }
}
