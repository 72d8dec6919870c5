import Testing

@testable import CurfewCore

/// Promises run on lifecycle time, which can stand still; measuring runs on real time, which can't.
@Suite("Held time")
struct HeldTimeTests {
    private static let limits = MemoryLimits(fatal: 1 << 30)
    private static let sampled = MemoryPolicy(foreground: limits, background: limits, isEnforcedByKernel: false)

    /// One app whose lifecycle time stands still while real time passes, or the other way round.
    private final class Held {
        var supervisor = Supervisor()
        var now = Moment(Instant(nanoseconds: 1_000_000_000_000))
        private var lastRequest = 0

        init(_ change: (inout Policy) -> Void = { _ in }) {
            var policy = Policy(profile: .ios4)
            change(&policy)
            _ = send(.app(.a, .launch(policy, LaunchOptions())))
            _ = send(.app(.a, .started))
        }

        /// What follows, with every question answered as by a healthy machine.
        func send(_ input: Input) -> [Effect] {
            var effects: [Effect] = []
            var inputs = [input]
            while !inputs.isEmpty {
                let batch = supervisor.handle(inputs.removeFirst(), at: now)
                effects += batch
                inputs += batch.compactMap(Self.answer)
            }
            return effects
        }

        private static func answer(_ effect: Effect) -> Input? {
            switch effect {
            case .suspend(let app, _): .app(app, .suspensionConfirmed)
            case .checkTracer(let app): .app(app, .tracerChecked(isTraced: false))
            case .checkLocks(let app): .app(app, .locksChecked([]))
            case .measureFootprint(let app): .app(app, .footprintMeasured(bytes: 1 << 20))
            default: nil
            }
        }

        func begin() -> [Effect] {
            lastRequest += 1
            let request = RequestID(lastRequest)
            return send(.app(.a, .beginTask(name: "t", owner: OwnerID(1), connection: nil, request: request)))
        }

        func home() -> [Effect] { send(.app(.a, .home(stopped: false, request: nil))) }

        /// Real time passes alone, and all that it makes due is done.
        func wait(_ span: Span) -> [Effect] {
            let end = now.real + span
            var effects: [Effect] = []
            while let next = supervisor.nextDeadline.real, next <= end {
                now.real = max(now.real, next)
                effects += send(.machine(.tick))
            }
            now.real = end
            return effects + send(.machine(.tick))
        }

        func advance(_ span: Span) -> [Effect] {
            now.lifecycle = now.lifecycle + span
            return send(.machine(.tick))
        }

        var app: App? { supervisor.app(.a) }
    }

    private static func kills(_ effects: [Effect]) -> [KillReason] {
        effects.compactMap { if case .kill(_, let report) = $0 { report.reason } else { nil } }
    }

    @Test("While it stands still no budget is spent")
    func budget() {
        let held = Held()
        _ = held.begin()
        _ = held.home()
        #expect(Self.kills(held.wait(.seconds(100_000))).isEmpty)
        #expect(held.app?.remaining(at: held.now) == .seconds(600))
    }

    @Test("A budget ends by lifecycle time alone")
    func budgetEnds() {
        let held = Held()
        _ = held.begin()
        _ = held.home()
        #expect(held.supervisor.nextDeadline.lifecycle == held.now.lifecycle + .seconds(595))
        _ = held.advance(.seconds(595))
        #expect(Self.kills(held.advance(.seconds(5))) == [.backgroundTaskTimeout])
    }

    @Test("No watchdog barks while it stands still")
    func watchdogs() {
        let held = Held { $0.requiresHello = true }
        #expect(Self.kills(held.wait(.seconds(1000))).isEmpty)
        #expect(Self.kills(held.advance(.seconds(20))) == [.launchWatchdog])
    }

    @Test("A watchdog tells the lifecycle time that has passed")
    func watchdogReport() {
        let held = Held { $0.requiresHello = true }
        _ = held.wait(.seconds(1000))
        let reports = held.advance(.seconds(20)).compactMap { effect -> KillReport? in
            if case .kill(_, let report) = effect { report } else { nil }
        }
        #expect(reports.map(\.elapsed) == [.seconds(20)])
    }

    @Test("A time limit is one of lifecycle time")
    func timeLimit() {
        let held = Held { $0.timeLimit = .seconds(60) }
        #expect(Self.kills(held.wait(.seconds(1000))).isEmpty)
        #expect(Self.kills(held.advance(.seconds(60))) == [.timeLimit])
    }

    @Test("What a plain app may still run at home is lifecycle time")
    func grace() {
        let held = Held { $0.grace = .seconds(5) }
        _ = held.home()
        _ = held.wait(.seconds(1000))
        #expect(held.app?.state == .background)
        _ = held.advance(.seconds(5))
        #expect(held.app?.state == .suspended)
    }

    @Test("A limit of memory holds though lifecycle time stands still")
    func memory() {
        let held = Held { $0.memory = Self.sampled }
        let measured = held.wait(.seconds(2)).count { if case .measureFootprint = $0 { true } else { false } }
        #expect(measured > 2)
    }

    @Test("Nor is memory measured any oftener because lifecycle time moves")
    func memoryWhileAdvancing() {
        let held = Held { $0.memory = Self.sampled }
        _ = held.wait(.seconds(1))
        #expect(held.advance(.seconds(600)).isEmpty)
    }

    @Test("A CPU window is one of real time")
    func cpu() {
        let held = Held {
            $0.grace = .infinite
            $0.backgroundCPU = CPUPolicy(limit: .seconds(1), window: .seconds(10), action: .kill, processors: 1)
        }
        _ = held.home()
        _ = held.send(.app(.a, .cpuTimeMeasured(.zero)))
        _ = held.wait(.seconds(5))
        let effects = held.send(.app(.a, .cpuTimeMeasured(.seconds(2))))
        #expect(Self.kills(effects) == [.cpuLimit])
    }

    @Test("Signs of life are owed by real time")
    func signsOfLife() {
        let held = Held { $0.watchdogInterval = .seconds(10) }
        #expect(Self.kills(held.advance(.seconds(1000))).isEmpty)
        #expect(Self.kills(held.wait(.seconds(10))) == [.watchdog])
    }

    @Test("One that comes once lifecycle time has moved gives the interval anew by real time")
    func signOfLifeAfterAdvancing() {
        let held = Held { $0.watchdogInterval = .seconds(10) }
        _ = held.advance(.seconds(1000))
        _ = held.send(.app(.a, .notified(.alive)))
        #expect(held.supervisor.nextDeadline.real == held.now.real + .seconds(10))
    }

    @Test("What is told of a CPU window is the real time that has passed")
    func cpuReport() {
        let held = Held {
            $0.grace = .infinite
            $0.backgroundCPU = CPUPolicy(limit: .seconds(1), window: .seconds(10), action: .kill, processors: 1)
        }
        _ = held.home()
        _ = held.send(.app(.a, .cpuTimeMeasured(.zero)))
        _ = held.advance(.seconds(1000))
        _ = held.wait(.seconds(5))
        let reports = held.send(.app(.a, .cpuTimeMeasured(.seconds(2)))).compactMap { effect -> KillReport? in
            if case .kill(_, let report) = effect { report } else { nil }
        }
        #expect(reports.map(\.elapsed) == [.seconds(5)])
    }

    @Test("A suspension waits for locks by real time")
    func locks() {
        let held = Held { $0.locks = .defer }
        _ = held.supervisor.handle(.app(.a, .home(stopped: false, request: nil)), at: held.now)
        _ = held.supervisor.handle(.app(.a, .tracerChecked(isTraced: false)), at: held.now)
        let lock = FileLock(path: "/f", kind: "POSIX", isWrite: true, pid: 7, isWaitedFor: false)
        _ = held.supervisor.handle(.app(.a, .locksChecked([lock])), at: held.now)
        #expect(held.advance(.seconds(1000)).isEmpty)
        #expect(held.supervisor.nextDeadline.real == held.now.real + LockDeferral.interval)
    }

    @Test("A debugger is looked for by real time")
    func tracer() {
        let held = Held()
        _ = held.begin()
        _ = held.home()
        let looks = held.wait(.seconds(10)).count { if case .checkTracer = $0 { true } else { false } }
        #expect((9...11).contains(looks))
    }

    @Test("Where time runs both clocks are one", arguments: [0, 1, 7])
    func oneClock(seconds: Int64) {
        let instant = Instant(nanoseconds: seconds)
        #expect(Moment(instant) == Moment(lifecycle: instant, real: instant))
    }
}
