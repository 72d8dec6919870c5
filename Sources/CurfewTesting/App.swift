import CurfewScenario
import CurfewScenarioRun
import CurfewWire
import Testing

/// A program under `curfew run`, driven from outside, as by the statements of a scenario: see docs/scenarios.md.
///
/// `withApp` makes one. Its methods have the names and the meaning of the statements. Time stands still for the app,
/// unless a time scale was given: only `advance` moves it. What acts returns once that has settled. All of it takes
/// real time, on a thread of the app's own.
///
/// They throw an `AppFailure`, which `withApp` records as an issue at the statement that threw it.
public actor App {
    nonisolated private let executor: StageExecutor
    let stage: any AppStage
    private let runner: ScenarioRunner
    /// Of an `await` without `within`, in nanoseconds.
    let patience: Int64

    nonisolated public var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// How `withApp` was asked to run it.
    struct Setting {
        var command: [String]
        var options: [String] = []
        var timeScale: Double?
        var hasTerminal = false
        var patience: Swift.Duration = .seconds(10)
    }

    init(_ setting: Setting, on stage: any AppStage) throws(StageProblem) {
        executor = try StageExecutor { [stage] in stage.idle(until: $0) }
        self.stage = stage
        patience = setting.patience.nanoseconds
        // That there are keys to type is how a runner knows of a terminal.
        let keys = setting.hasTerminal ? [Statement(at: .nowhere, lastLine: 1, .key([]))] : []
        var limits = ScenarioRunner.Limits()
        limits.await = setting.patience.nanoseconds
        runner = ScenarioRunner(
            Scenario(name: "", at: .nowhere, keys), [:], on: stage, limits: limits)
        let app = Statement.Kind.app(options: setting.options.map(Word.init), command: setting.command.map(Word.init))
        let scale = setting.timeScale.map { Statement.Kind.timeScale(.known(Factor(value: $0), Word("\($0)"))) }
        do throws(Problem) {
            for kind in [app, scale].compactMap(\.self) {
                try runner.perform(Statement(at: .nowhere, lastLine: 1, kind))
            }
        } catch {
            throw .broken("no such app: \(error)")
        }
    }

    deinit { executor.stop() }

    /// Everything that was started is ended; the picture of the last launch, where there is one.
    @discardableResult
    func close() -> String? {
        stage.close()
        return stage.drawPictures()
    }

    func perform(_ kind: Statement.Kind, _ location: SourceLocation) throws {
        do throws(Problem) {
            try runner.perform(Statement(at: .nowhere, lastLine: 1, kind))
        } catch {
            throw failure(error, location)
        }
    }

    func failure(_ problem: Problem, _ location: SourceLocation) -> AppFailure {
        let (expected, seen, isBroken) =
            switch problem {
            case .failed(let expected, let seen): (expected, seen, false)
            case .broken(let expected, let seen): (expected, seen, true)
            case .bad(let diagnostic): ("a statement that can be done", diagnostic.sentence, true)
            case .skipped(let why): ("the statement to be done", why, true)
            }
        return AppFailure(
            expected: expected, seen: seen, isBroken: isBroken,
            events: stage.record.events.suffix(Self.lastShown).map(\.line),
            output: stage.record.current?.output.lastLines(Self.lastShown) ?? [], sourceLocation: location)
    }

    private static let lastShown = 12

    /// The groups of the last output that was found, the whole first.
    var lastMatch: [String] { runner.lastMatch }

    // MARK: Doing

    /// Starts it, in the foreground unless its options say otherwise.
    public func launch(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try perform(.launch, sourceLocation)
    }

    /// Sends it to the background: it is suspended when it has no task open and owes nothing.
    public func home(sourceLocation: SourceLocation = #_sourceLocation) throws { try perform(.home, sourceLocation) }

    /// Brings it to the foreground; one that has ended is launched anew, and told so by `restored=true`.
    public func open(sourceLocation: SourceLocation = #_sourceLocation) throws { try perform(.open, sourceLocation) }

    /// Stops it where it is, until what `--wake-on` names or `open` wakes it; nothing is told to it.
    public func sleep(sourceLocation: SourceLocation = #_sourceLocation) throws { try perform(.sleep, sourceLocation) }

    /// Makes it inactive, as a phone call does; `dismiss` or `open` ends it, `home` accepts it.
    public func interrupt(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try perform(.interrupt, sourceLocation)
    }

    /// Ends an interruption: it is active again and was never in the background.
    public func dismiss(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try perform(.dismiss, sourceLocation)
    }

    /// Asks it to end: `willTerminate`, or SIGTERM for a plain app, then SIGKILL once its limit is over.
    public func quit(sourceLocation: SourceLocation = #_sourceLocation) throws { try perform(.quit, sourceLocation) }

    /// Ends it while it is suspended, as for its memory; it hears nothing of it.
    public func reclaim(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try perform(.reclaim, sourceLocation)
    }

    /// Kills what supervises it, by SIGKILL, and waits for its end.
    public func killSupervisor(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try perform(.killSupervisor, sourceLocation)
    }

    /// Has it handle an event in the background: it is resumed for it, and then suspended again.
    public func wake(
        _ name: String, _ info: KeyValuePairs<String, String> = [:], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try perform(.wake(name: Word(name), info: info.words), sourceLocation)
    }

    /// Tells it that something has changed; while it is suspended, only the latest is kept for it.
    public func post(
        _ name: String, _ info: KeyValuePairs<String, String> = [:], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try perform(.post(name: Word(name), info: info.words), sourceLocation)
    }

    /// Gives it a memory warning.
    public func warn(_ level: WarningLevel = .warning, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try perform(.warn(level: Word(level.rawValue)), sourceLocation)
    }

    /// Has the machine taken to be short of memory, until `.normal` is said.
    public func pressure(_ level: PressureLevel, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try perform(.pressure(level: Word(level.rawValue)), sourceLocation)
    }

    /// Moves its time, from deadline to deadline, up to the first thing that happens, or by `span`.
    ///
    /// Before each step it waits until the app owes nothing, or has done nothing for 50 ms, so that an honest app isn't killed for
    /// being slow.
    public func advance(_ span: Swift.Duration, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try perform(.advance(.known(span)), sourceLocation)
    }

    /// Writes a line to its input; a line feed is added.
    public func send(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try perform(.send(Word(text)), sourceLocation)
    }

    /// Types keys into its terminal, by name (`Enter`, `Escape`, `Up`, `C-c` …) or as text; `withApp` gives it one.
    public func key(_ keys: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        try perform(.key(keys.map(Word.init)), sourceLocation)
    }

    /// Runs a helper, which must exit with 0, without a shell.
    public func run(_ command: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        try perform(.run(Statement.Helper(command.map(Word.init))), sourceLocation)
    }

    /// Starts a helper that runs on beside what follows, and is ended with the app.
    public func begin(_ command: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        try perform(.run(Statement.Helper(command.map(Word.init), isBeside: true)), sourceLocation)
    }
}

/// How urgent a memory warning is.
public enum WarningLevel: String, Sendable {
    case warning
    case critical
}

/// How short of memory the machine is said to be.
public enum PressureLevel: String, Sendable {
    case normal
    case warning
    case critical
}

extension Position {
    /// Of what stands in no file.
    static let nowhere = Position(line: 1, column: 1)
}

extension Word {
    init(_ text: String) { self.init([.text(text)], at: .nowhere) }
}

extension KeyValuePairs<String, String> {
    var words: [Word] { map { Word("\($0.key)=\($0.value)") } }
}

extension Value<CurfewScenario.Duration> {
    static func known(_ span: Swift.Duration) -> Self {
        .known(CurfewScenario.Duration(nanoseconds: span.nanoseconds), Word("\(span)"))
    }
}

extension Swift.Duration {
    /// At least 0; what 64 bits can't hold is the most that they can.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflows ? .max : product.addingReportingOverflow(attoseconds / 1_000_000_000).partialValue
    }
}
