import CurfewScenario
import CurfewScenarioRun
import Testing

/// The states of an app.
public enum AppState: String, Sendable {
    case active
    case inactive
    case background
    case suspended
    case notRunning
}

/// What a background task can be.
public enum TaskState: Sendable {
    case open
    case ended
}

/// What a process can be, compared with the launch before.
public enum PidState: Sendable {
    case changed
    case same
}

/// The conditions of scenarios: `await…` waits for one to hold, in real time, 10 s unless `within` or `withApp` says
/// otherwise; `expect…` requires that it holds now.
extension App {
    private func wait(_ condition: Condition, _ within: Swift.Duration?, _ location: SourceLocation) throws {
        try perform(.await(condition, within: within.map { .known($0) }), location)
    }

    private func expect(_ condition: Condition, _ location: SourceLocation) throws {
        try perform(.expect(condition), location)
    }

    private func expectNot(_ condition: Condition, _ location: SourceLocation) throws {
        try perform(.expectNot(condition), location)
    }

    // MARK: The app

    /// It is in a state.
    public func awaitState(
        _ state: AppState, within: Swift.Duration? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try wait(.state(Word(state.rawValue)), within, sourceLocation)
    }

    /// It is in a state.
    public func expectState(_ state: AppState, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try expect(.state(Word(state.rawValue)), sourceLocation)
    }

    /// It has ended, and `curfew run` with this status, from 0 to 255.
    public func awaitExit(
        _ status: UInt8, within: Swift.Duration? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try wait(.exit(.status(status)), within, sourceLocation)
    }

    /// It has ended, and `curfew run` with this status, from 0 to 255.
    public func expectExit(_ status: UInt8, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try expect(.exit(.status(status)), sourceLocation)
    }

    /// It was killed, and for this reason: one of docs/exit-status.md.
    public func awaitKilled(
        _ reason: String, within: Swift.Duration? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try wait(.killed(reason: Word(reason)), within, sourceLocation)
    }

    /// It was killed, and for this reason: one of docs/exit-status.md.
    public func expectKilled(_ reason: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try expect(.killed(reason: Word(reason)), sourceLocation)
    }

    /// It is another process than at the launch before, or the same.
    public func expectPid(_ state: PidState, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try expect(.pid(isChanged: state == .changed), sourceLocation)
    }

    // MARK: Events

    /// An event has come since the last statement that acts on it, with these pairs among its own.
    public func awaitEvent(
        _ name: String, _ pairs: KeyValuePairs<String, String> = [:], within: Swift.Duration? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try wait(.event(name: Word(name), info: pairs.words), within, sourceLocation)
    }

    /// An event has come since the last statement that acts on it, with these pairs among its own.
    public func expectEvent(
        _ name: String, _ pairs: KeyValuePairs<String, String> = [:], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expect(.event(name: Word(name), info: pairs.words), sourceLocation)
    }

    /// No such event has come since the last statement that acts on it.
    public func expectNoEvent(
        _ name: String, _ pairs: KeyValuePairs<String, String> = [:], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expectNot(.event(name: Word(name), info: pairs.words), sourceLocation)
    }

    /// Events have come, in this order, since the last statement that acts on it; others may come between.
    public func awaitEvents(
        _ names: String..., within: Swift.Duration? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try wait(.events(names.map(Word.init)), within, sourceLocation)
    }

    /// Events have come, in this order, since the last statement that acts on it; others may come between.
    public func expectEvents(_ names: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        try expect(.events(names.map(Word.init)), sourceLocation)
    }

    /// A background task is open, or has ended.
    public func awaitTask(
        _ name: String, _ state: TaskState, within: Swift.Duration? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try wait(.task(name: Word(name), isOpen: state == .open), within, sourceLocation)
    }

    /// A background task is open, or has ended.
    public func expectTask(
        _ name: String, _ state: TaskState, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expect(.task(name: Word(name), isOpen: state == .open), sourceLocation)
    }

    // MARK: Output

    /// It has written what matches, behind the last match of this launch; `^` and `$` are the ends of lines.
    ///
    /// The pattern is a regular expression of Swift's. Returns its groups, the whole first.
    @discardableResult
    public func awaitOutput(
        _ pattern: String, within: Swift.Duration? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [String] {
        try wait(.output(.pattern(pattern), names: []), within, sourceLocation)
        return lastMatch
    }

    /// It has written what matches, anywhere in this launch; as `awaitOutput`.
    @discardableResult
    public func expectOutput(_ pattern: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
        try expect(.output(.pattern(pattern), names: []), sourceLocation)
        return lastMatch
    }

    /// It has written nothing in this launch that matches.
    public func expectNoOutput(_ pattern: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try expectNot(.output(.pattern(pattern), names: []), sourceLocation)
    }

    // MARK: Silence

    /// For so long, in real time, there is no output, no event and no use of CPU time.
    public func expectSilence(_ span: Swift.Duration, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try expect(.silence(.known(span)), sourceLocation)
    }

    /// Within so long, in real time, there is output, an event or use of CPU time.
    public func expectNoSilence(_ span: Swift.Duration, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try expectNot(.silence(.known(span)), sourceLocation)
    }

    /// Waits until there was no output, no event and no use of CPU time for so long.
    public func awaitSilence(
        _ span: Swift.Duration, within: Swift.Duration? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try wait(.silence(.known(span)), within, sourceLocation)
    }

    // MARK: Anything else

    /// Waits until `condition` is true, asked every 10 ms: `{ try $0.memory() < 64 << 20 }`.
    public func awaitThat(
        _ what: String, within: Swift.Duration? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: @Sendable (isolated App) throws -> Bool
    ) throws {
        let limit = stage.now + (within?.nanoseconds ?? patience)
        while try !condition(self) {
            guard stage.now < limit else {
                throw failure(.failed(expected: what, seen: "it isn't so; waited in vain"), sourceLocation)
            }
            do throws(StageProblem) {
                _ = try stage.wait(until: stage.now + Self.lookInterval)
            } catch {
                throw failure(error.problem(what), sourceLocation)
            }
        }
    }

    private static let lookInterval: Int64 = 10_000_000
}

extension Value<Amount> {
    static func status(_ status: UInt8) -> Self { .known(Amount(value: UInt64(status)), Word("\(status)")) }
}

extension Value<Pattern> {
    static func pattern(_ text: String) -> Self { .known(Pattern(text: text), Word(text)) }
}
