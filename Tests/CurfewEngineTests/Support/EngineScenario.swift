import CurfewCore
import CurfewEngine
import Testing

/// An engine with a machine and a host that a test can read and steer; each call returns what came of it, as lines.
final class EngineScenario {
    let journal = Journal()
    let kernel: FakeKernel
    let host: FakeHost
    let engine: Engine

    init() {
        kernel = FakeKernel(journal)
        host = FakeHost(journal)
        engine = Engine(kernel: kernel, host: host)
    }

    /// App a in the foreground, its program started; what that brought about is taken already.
    static func running(_ policy: Policy = Policy(profile: .ios4)) -> EngineScenario {
        let scenario = EngineScenario()
        scenario.start(.a, policy)
        return scenario
    }

    @discardableResult
    func start(_ app: AppID, _ policy: Policy = Policy(profile: .ios4), inBackground: Bool = false) -> [String] {
        engine.launch(app, policy, LaunchOptions(inBackground: inBackground))
        return feed(.app(app, .started))
    }

    @discardableResult
    func feed(_ input: Input) -> [String] {
        engine.feed(input)
        return journal.take()
    }

    @discardableResult
    func home(_ app: AppID = .a, stopped: Bool = false, request: Int? = nil) -> [String] {
        feed(.app(app, .home(stopped: stopped, request: request.map { RequestID($0) })))
    }

    @discardableResult
    func open(_ app: AppID = .a, request: Int? = nil) -> [String] {
        feed(.app(app, .open(request: request.map { RequestID($0) })))
    }

    @discardableResult
    func leaderExits(_ app: AppID = .a, code: UInt8 = 0) -> [String] {
        feed(.app(app, .leaderExited(.exited(code: code))))
    }

    @discardableResult
    func childrenChange() -> [String] {
        engine.childrenChanged()
        return journal.take()
    }

    /// Lets time pass, waking the engine at each of its deadlines on the dot. A look for a debugger that brings about
    /// nothing isn't told.
    @discardableResult
    func pass(_ span: Span) -> [String] {
        let end = kernel.clock + span
        var lines = journal.take()
        var wakeUps = 0
        while let deadline = engine.nextDeadline, deadline <= end {
            kernel.clock = max(kernel.clock, deadline)
            engine.wake()
            lines += newLines()
            wakeUps += 1
            if wakeUps > 100_000 {
                Issue.record("the engine wants to be woken for ever")
                break
            }
        }
        kernel.clock = end
        return lines
    }

    private func newLines() -> [String] {
        let lines = journal.take()
        return lines.allSatisfy { $0.hasPrefix("traced? ") && $0.hasSuffix(": no") } ? [] : lines
    }

    /// Lets time pass with nobody awake, and wakes the engine once, late.
    @discardableResult
    func oversleep(_ span: Span) -> [String] {
        kernel.clock = kernel.clock + span
        engine.wake()
        return journal.take()
    }

    /// How long until the engine wants to be woken; nil: not at all.
    var untilDeadline: Span? { engine.nextDeadline.map { $0 - kernel.clock } }

    /// The same, but for mere looks for a debugger.
    var untilKill: Span? { engine.core.nextKill(of: .a).earliest.map { $0 - kernel.clock } }
}

extension [String] {
    /// The lines that begin with one of these words.
    func only(_ words: String...) -> [String] { filter { line in words.contains { line.hasPrefix($0) } } }
}
