import CurfewCore
import Testing

/// Apps that sleep, against a model of their descriptors, their kernel and their programs.
@Suite("Properties of sleep")
struct SleepPropertyTests {
    private static let tracesPerTest = 200
    private static let stepsPerTrace = 50

    /// None of its input is lost; it is woken for a reason each time, and not again and again for what it leaves unread; it is
    /// stopped, waited for and continued in turn; no limit follows from it; and it comes to rest. Where programs outside were
    /// seen to accept its connections, it waits as long as it has to, and no connection that is left to it waits for ever.
    @Test("Random sleepers lose no input, are woken for nothing never, and come to rest", arguments: 0..<8)
    func randomTraces(block: Int) {
        let first = UInt64(block * Self.tracesPerTest)
        for seed in first..<first + UInt64(Self.tracesPerTest) {
            let trace = SleepTrace.random(seed: seed, steps: Self.stepsPerTrace)
            guard SleepWorld.violation(of: trace) != nil else { continue }
            Issue.record("\(Self.report(trace, seed: seed))")
            return
        }
    }

    @Test("Random sleepers reach every way into sleep and out of it")
    func reach() {
        var unreached = Self.wanted
        var unmet = Set(SleepModelListener.Fate.allCases)
        for seed in UInt64(0)..<1_000 {
            let (effects, fates) = SleepWorld.results(of: .random(seed: seed, steps: Self.stepsPerTrace))
            for effect in effects { unreached.subtract(Self.words(of: effect)) }
            unmet.subtract(fates)
            if unreached.isEmpty, unmet.isEmpty { return }
        }
        #expect(unreached == [])
        #expect(unmet == [])
    }

    private static let wanted: Set<String> = [
        "asleep", "woken by being opened", "woken by being sent home", "woken by being ended",
        "woken by a background task",
        "woken by the event fetch", "woken by the end of its leader", "woken by its keep-alive",
        "woken by its terminal",
        "woken by descriptor 0", "woken by descriptor 2", "woken by a connection to :1", "look for a connection",
        "kept awake by x", "watch input", "watch input afresh",
        "unwatch input", "suspension incomplete", "measure idleness", "input", "keepAlive", "resumed-too-often",
        "memory-pressure", "error input-unwatched", "error holds-task", "error owes-answer", "error traced",
        "error interrupted", "error terminating", "active -> suspended", "suspended -> active",
        "background -> suspended",
        "suspended -> background",
    ]

    private static func words(of effect: Effect) -> [String] {
        switch effect {
        case .deliver(_, let delivery): [delivery.event.name]
        case .stateChanged(_, let from, let to): ["\(from) -> \(to)"]
        case .kill(_, let report): [report.reason.rawValue]
        case .reply(_, .rejected(let rejection)): ["error \(rejection.rawValue)"]
        case .watchInput(_, let afresh): ["watch input" + (afresh ? " afresh" : "")]
        case .unwatchInput: ["unwatch input"]
        case .lookForConnection: ["look for a connection"]
        case .measureIdleness: ["measure idleness"]
        case .note: [String(line(effect).dropFirst("note a ".count))]
        default: []
        }
    }

    /// The smallest trace that still breaks a rule, as text.
    private static func report(_ trace: SleepTrace, seed: UInt64) -> String {
        let minimal = trace.shrunk { SleepWorld.violation(of: $0) != nil }
        guard let (text, journal) = SleepWorld.violation(of: minimal) else { return "seed \(seed): not repeatable" }
        var lines = ["seed \(seed), \(minimal.steps.count) steps left: \(text)", "\(minimal.setup)"]
        lines += minimal.steps.map { "  \($0.pause), \($0.action)" }
        var last = journal.first?.now
        for (now, input) in journal.suffix(60) {
            lines.append("  +\(last.map { CurfewCoreTests.text(now.real - $0.real) } ?? "") \(line(input))")
            last = now
        }
        return lines.joined(separator: "\n")
    }
}
