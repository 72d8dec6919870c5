import CurfewCore
import Testing

/// What must hold whatever happens, in whatever order, however late.
@Suite("Properties")
struct PropertyTests {
    private static let stepsPerTrace = 60

    @Test("Random lives break no rule", arguments: Lives.blocks)
    func lives(block: Int) {
        for seed in Lives.seeds(of: block, usually: 3_200) {
            let trace = Trace.random(seed: seed, steps: Self.stepsPerTrace)
            guard World.violation(of: trace) != nil else { continue }
            Issue.record("\(Self.report(trace, seed: seed))")
            return
        }
    }

    /// Inputs no engine would send so: answers unasked, apps that aren't there, ends twice.
    @Test("Nonsense breaks nothing: at most one kill, changes that chain, and deadlines that go away")
    func nonsense() {
        for seed in UInt64(0)..<1_000 {
            var random = SplitMix64(seed: seed)
            var nonsense = Nonsense()
            for _ in 0..<Self.stepsPerTrace {
                guard let violation = nonsense.step(&random) else { continue }
                Issue.record("seed \(seed): \(violation)\n\(nonsense.journal.joined(separator: "\n"))")
                return
            }
        }
    }

    @Test("Random lives reach every kind of effect, event, death and change of state")
    func reach() {
        var unreached = Self.wanted
        // Some are seldom: the first thousand lives miss a request that comes too late.
        for seed in UInt64(0)..<5_000 {
            for effect in World.effects(of: .random(seed: seed, steps: Self.stepsPerTrace)) {
                unreached.subtract(Self.words(of: effect))
            }
            if unreached.isEmpty { return }
        }
        #expect(unreached == [])
    }

    private static var wanted: Set<String> {
        var words: Set = [
            "suspend", "resume", "SIGTERM", "sweep kills", "sweep waits", "measure", "measure CPU time", "check tracer",
            "aware", "plain", "traced", "no longer traced", "warned", "suspension incomplete", "expired", "terminating",
            "not-running", "exit", "raise", "143", "129", "ready", "stopping", "timeouts extended", "nothing to extend",
            "locale kept", "locale", "fetch", "fetch acknowledged", "keepAlive", "didFinishLaunching acknowledged",
            "willTerminate acknowledged", "refresh", "processing", "taskWillExpire",
        ]
        // The machine runs short in `PressureTests`.
        let unreachable: Set<KillReason> = [
            .tooManyTasks, .supervisorExit, .memoryHighwater, .memoryPressure, .idleExit, .diskSpace,
        ]
        words.formUnion(KillReason.allCases.filter { !unreachable.contains($0) }.map(\.rawValue))
        words.formUnion(LifecycleEvent.allCases.map(\.rawValue))
        // Nobody sleeps here: see `SleepTests`.
        for row in Transition.allCases where row != .fallingAsleep && row != .wakingUp {
            words.formUnion(row.from.map { "\($0) -> \(row.to)" })
        }
        return words
    }

    private static func words(of effect: Effect) -> [String] {
        switch effect {
        case .deliver(_, let delivery): [delivery.event.name]
        case .terminate: ["SIGTERM"]
        case .measureCPUTime: ["measure CPU time"]
        case .stateChanged(_, let from, let to): ["\(from) -> \(to)"]
        case .kill(_, let report): [report.reason.rawValue]
        case .reply(_, .rejected(let rejection)): [rejection.rawValue]
        case .sweep(_, let kills): [kills ? "sweep kills" : "sweep waits"]
        case .ended(_, let ending):
            switch ending.status {
            case .exit(let code): code > 127 ? ["\(code)", "exit"] : ["exit"]
            case .raise: ["raise"]
            }
        case .note(_, .expirationWarning): ["warned"]
        case .note(_, .timeoutExtended): ["timeouts extended"]
        case .note(_, .acknowledged(let event, _)): ["\(event.name) acknowledged"]
        case .note: [String(line(effect).dropFirst("note a ".count))]
        default: [String(line(effect).dropLast(2))]
        }
    }

    /// The smallest trace that still breaks a rule, as text.
    private static func report(_ trace: Trace, seed: UInt64) -> String {
        let minimal = trace.shrunk { World.violation(of: $0) != nil }
        guard let (text, journal) = World.violation(of: minimal) else { return "seed \(seed): not repeatable" }
        var lines = ["seed \(seed), \(minimal.steps.count) steps left, prompt \(minimal.isPrompt): \(text)"]
        var last = journal.first?.now
        for (now, input) in journal {
            lines.append("  +\(last.map { CurfewCoreTests.text(now - $0) } ?? "") \(line(input))")
            last = now
        }
        return lines.joined(separator: "\n")
    }
}
