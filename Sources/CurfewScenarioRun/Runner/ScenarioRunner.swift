import CurfewScenario
import CurfewTestReports
import CurfewWire

/// Does the statements of one scenario, one after the other, up to the first that fails.
public final class ScenarioRunner {
    /// What the statements aren't told, in nanoseconds of real time.
    public struct Limits: Sendable {
        /// How long an `await` without `within` waits.
        public var await: Int64 = 10_000_000_000
        /// How long all of it may take.
        public var scenario: Int64 = 300_000_000_000
        /// How long an app that owes something mustn't have run before its time is moved; nil: as the supervisor has it.
        public var settle: Int64?

        public init() {}
    }

    let stage: any Stage
    let scenario: Scenario
    let limits: Limits
    var variables: [String: String]
    var app: (options: [Word], command: [Word])?
    var timeScale: Double?
    var command: AppCommand?
    /// The groups of the last output that was found, the whole first.
    package internal(set) var lastMatch: [String] = []
    /// The last ones that went through, oldest first.
    public internal(set) var advances: [ScenarioAdvance] = []
    /// Is told of each statement before it is done.
    public var begins: (Statement) -> Void = { _ in }
    /// When all of it must be done.
    private(set) var deadline: Int64 = .max

    /// Whether anything was done that `after` may have to clear up.
    private var hasActed = false

    public init(_ scenario: Scenario, _ values: [String: String], on stage: any Stage, limits: Limits = Limits()) {
        self.scenario = scenario
        self.stage = stage
        self.limits = limits
        variables = values
    }

    /// Whether the app needs a terminal.
    var hasTerminal: Bool {
        (scenario.statements + scenario.after).contains { if case .key = $0.kind { true } else { false } }
    }

    /// What came of it; `lines` are the file's, for the failure's neighbours.
    public func run(lines: [String]) -> ScenarioResult.Outcome {
        setDeadline()
        var outcome = perform(scenario.statements, lines)
        if case .skipped = outcome, !hasActed { return outcome }
        // `after` cleans up, whatever came before, each of its statements for itself; what fails there fails a scenario that passed.
        setDeadline()
        for statement in scenario.after {
            let last = perform([statement], lines)
            if case .passed = outcome { outcome = last }
        }
        return outcome
    }

    private func setDeadline() {
        let (sum, overflows) = stage.now.addingReportingOverflow(limits.scenario)
        deadline = overflows ? .max : sum
    }

    private func perform(_ statements: [Statement], _ lines: [String]) -> ScenarioResult.Outcome {
        for statement in statements {
            if StatementDefinition.statement(named: statement.kind.name)?.kind == .action { hasActed = true }
            do throws(Problem) {
                begins(statement)
                try perform(statement)
            } catch {
                return outcome(of: error, statement, lines)
            }
        }
        return .passed
    }

    private func outcome(of problem: Problem, _ statement: Statement, _ lines: [String]) -> ScenarioResult.Outcome {
        switch problem {
        case .failed(let expected, let seen): .failed(failure(statement, lines, expected, seen))
        case .broken(let expected, let seen): .broken(failure(statement, lines, expected, seen))
        case .bad(let diagnostic):
            .broken(failure(statement, lines, "a statement that can be done", diagnostic.sentence))
        case .skipped(let why): .skipped(why)
        }
    }

    // MARK: Failures

    static let neighbours = 2
    static let lastEvents = 12
    static let lastOutput = 12
    static let lastAdvances = 12

    private func failure(_ statement: Statement, _ lines: [String], _ expected: String, _ seen: String) -> Failure {
        func text(_ number: Int) -> String { lines.indices.contains(number - 1) ? lines[number - 1] : "" }
        let first = max(1, statement.position.line - Self.neighbours)
        // Not into the next scenario.
        let following = (statement.lastLine..<statement.lastLine + Self.neighbours)
            .prefix { lines.indices.contains($0) && !Self.isHeading(lines[$0]) }
        let last = max(first, statement.lastLine + following.count)
        return Failure(
            line: statement.position.line, column: statement.position.column,
            statement: (statement.position.line...max(statement.position.line, statement.lastLine)).map(text)
                .map { String($0.drop { $0 == " " || $0 == "\t" }) }.joined(separator: "\n"),
            neighbours: (first...last).map { Failure.Line($0, text($0)) }, expected: expected, seen: seen,
            events: stage.record.events.suffix(Self.lastEvents).map(\.line),
            output: stage.record.current?.output.lastLines(Self.lastOutput) ?? [])
    }

    private static func isHeading(_ line: String) -> Bool {
        let word = line.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        return StatementDefinition.statement(named: String(word))?.kind == .heading
    }

    // MARK: Words

    func text(_ word: Word) throws(Problem) -> String {
        do throws(Diagnostic) {
            return try word.filled(with: variables)
        } catch {
            throw .bad(error)
        }
    }

    /// One of those that there are: what a variable stands for wasn't known when the file was read.
    func known(_ word: Word, _ kind: String, among known: [String]) throws(Problem) -> String {
        let text = try text(word)
        guard known.contains(text) else {
            throw .bad(
                Diagnostic(at: word.position, "there is no \(kind) \"\(text)\"", accepted: AcceptedWords(known)))
        }
        return text
    }

    func texts(_ words: [Word]) throws(Problem) -> [String] {
        var all: [String] = []
        for word in words { all.append(try text(word)) }
        return all
    }

    func value<Known>(_ value: Value<Known>) throws(Problem) -> Known {
        do throws(Diagnostic) {
            return try value.resolved(with: variables)
        } catch {
            throw .bad(error)
        }
    }

    /// `KEY=VALUE` each.
    func pairs(_ words: [Word]) throws(Problem) -> [(key: String, value: String)] {
        var pairs: [(key: String, value: String)] = []
        for word in words {
            let text = try text(word)
            guard let equals = text.firstIndex(of: "=") else {
                throw .bad(Diagnostic(at: word.position, "\"\(text)\" isn't KEY=VALUE"))
            }
            pairs.append((String(text[..<equals]), String(text[text.index(after: equals)...])))
        }
        return pairs
    }
}
