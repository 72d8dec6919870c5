import CurfewCore

/// Any input at any time, about apps that may not be there; checks what must hold even then.
struct Nonsense {
    private(set) var supervisor = Supervisor()
    private(set) var journal: [String] = []
    private var now = Instant(nanoseconds: 1_000_000_000)
    private var launched: Set<AppID> = []
    private var killed: Set<AppID> = []
    private var states: [AppID: LifecycleState] = [:]
    private var answered: Set<RequestID> = []
    private var stopped: Set<AppID> = []
    private var sequences: [AppID: Int] = [:]
    private var lastRequest = 0

    /// One random input; returns what it broke.
    mutating func step(_ random: inout SplitMix64) -> String? {
        now = now + random.pick([.zero, .zero, .milliseconds(1), .seconds(1), .seconds(20), .seconds(600)])
        let input = input(&random)
        journal.append("  at \(text(now - Instant(nanoseconds: 0))) \(line(input))")
        let before = supervisor
        let effects = supervisor.handle(input, at: Moment(now))
        if effects != Self.handled(input, by: before, at: now) { return "other effects the second time" }
        for effect in effects {
            if let violation = judge(effect) { return violation }
        }
        if let violation = judgeKeptChanges() { return violation }
        if input == .machine(.tick), !Self.handled(.machine(.tick), by: supervisor, at: now).isEmpty {
            return "a second tick has effects"
        }
        return nil
    }

    private static func handled(_ input: Input, by supervisor: Supervisor, at now: Instant) -> [Effect] {
        var copy = supervisor
        return copy.handle(input, at: Moment(now))
    }

    private mutating func judge(_ effect: Effect) -> String? {
        switch effect {
        case .deliver(let id, _) where killed.contains(id): return "delivered to a killed app"
        case .deliver(let id, _) where stopped.contains(id): return "delivered to a stopped app"
        case .deliver(let id, let delivery):
            if delivery.sequence <= sequences[id, default: 0] { return "out of sequence: \(delivery)" }
            sequences[id] = delivery.sequence
        case .suspend(let id, _):
            if !stopped.insert(id).inserted { return "stopped twice" }
        case .resume(let id, _): stopped.remove(id)
        case .terminate(let id, _) where stopped.contains(id): return "a signal to a stopped app"
        case .kill(let id, _):
            if !killed.insert(id).inserted { return "killed twice" }
        case .stateChanged(let id, let from, let to):
            if states[id, default: .notRunning] != from { return "\(line(effect)) from \(states[id] ?? .notRunning)" }
            states[id] = to
        case .reply(let request, _):
            if !answered.insert(request).inserted { return "request \(request.rawValue) answered twice" }
        default: break
        }
        return nil
    }

    private func judgeKeptChanges() -> String? {
        for app in supervisor.apps where Set(app.keptChangeNames).count != app.keptChangeNames.count {
            return "two changes of one name are kept: \(app.keptChangeNames)"
        }
        return nil
    }

    private mutating func input(_ random: inout SplitMix64) -> Input {
        let id = random.pick([AppID.a, .b, .c])
        lastRequest += 1
        if random.below(12) == 0, launched.insert(id).inserted {
            var policy = random.pick(Trace.policies)
            if random.chance(30) { policy.sleep = Self.randomSleep(&random) }
            return .app(id, .launch(policy, Trace.randomOptions(&random)))
        }
        return Self.input(about: id, RequestID(lastRequest), &random)
    }

    private static func randomSleep(_ random: inout SplitMix64) -> SleepPolicy {
        var sleep = SleepPolicy()
        if random.chance(70) { sleep.whenIdle = .milliseconds(Int64(10 + random.below(5000))) }
        sleep.isForced = random.chance(20)
        sleep.wakesForInput = random.chance(80)
        sleep.quiet = .milliseconds(Int64(random.below(2000)))
        sleep.countsResumptions = random.chance(50)
        sleep.exitsWhenIdle = random.chance(50)
        return sleep
    }

    private static func randomSample(_ random: inout SplitMix64) -> IdleSample {
        IdleSample(
            cpuTime: random.chance(10) ? Span(nanoseconds: Int64(random.next() >> 2)) : .zero,
            written: random.chance(10) ? random.next() : 0, processes: UInt64(random.below(8) / 7),
            obstacle: random.chance(10) ? "x" : nil)
    }

    /// By one of two sockets.
    private static func aboutConnection(_ id: AppID, _ random: inout SplitMix64) -> Input {
        let socket = ListeningSocket(inode: UInt64(random.below(2)), place: nil)
        switch random.below(3) {
        case 0: return .app(id, .connectionWaits(socket))
        case 1: return .app(id, .connectionTaken(socket))
        default: return .app(id, .inputCame(InputNews(kind: "connection", text: "a connection", listener: socket)))
        }
    }

    /// Any input but a launch; some concern no app.
    static func input(about id: AppID, _ request: RequestID, _ random: inout SplitMix64) -> Input {
        let connection = ConnectionID(random.below(4))
        switch random.below(46) {
        case 38: return .app(id, .sleep(stays: random.chance(20), request: request))
        case 39: return .app(id, .inputWatched(obstacle: random.chance(20) ? "x" : nil))
        case 40:
            return .app(id, .inputCame(InputNews(kind: "data", text: "data", from: random.chance(50) ? "x" : nil)))
        case 44: return .app(id, .ranOn)
        case 41: return aboutConnection(id, &random)
        case 42: return .app(id, .idlenessMeasured(randomSample(&random)))
        case 3, 4: return .app(id, .started)
        case 45: return .app(id, .expire)
        case 5: return .app(id, .leaderExited(.exited(code: 1)))
        case 6: return random.chance(20) ? .app(id, .treeGone) : .machine(.tick)
        case 7, 8: return .app(id, .home(stopped: random.chance(50), request: request))
        case 9, 10: return .app(id, .open(request: request))
        case 11: return random.chance(30) ? .app(id, .quit(request: request)) : .machine(.tick)
        case 0: return random.chance(10) ? .app(id, .reclaim(request: request)) : .machine(.tick)
        case 12: return .app(id, .hello(connection))
        case 13: return .app(id, .disconnected(connection))
        case 14: return .app(id, .acknowledge(sequence: random.below(9)))
        case 15:
            return .app(
                id, .beginTask(name: "", owner: OwnerID(random.below(3)), connection: connection, request: request))
        case 16: return .app(id, .endTask(TaskID(random.below(4)), request: request))
        case 17: return .app(id, .ownerExited(OwnerID(random.below(3))))
        case 18: return random.chance(70) ? .app(id, .suspensionConfirmed) : .app(id, .suspensionIncomplete)
        case 19: return .app(id, .footprintMeasured(bytes: random.chance(5) ? .max : random.next() >> 40))
        case 20: return .app(id, .tracerChecked(isTraced: random.chance(40)))
        case 21: return .app(id, .interrupt(request: request))
        case 22: return .app(id, .dismiss(request: request))
        case 23, 24: return .app(id, .post(PostedEvent(random.pick(["x", "y"])), request: request))
        case 25, 26: return .app(id, .wake(PostedEvent(random.pick(["x", "z", "processing"])), request: request))
        case 27: return .app(id, .notified(Trace.randomNotification(&random)))
        case 28: return .app(id, .cpuTimeMeasured(Span(nanoseconds: Int64(random.next() >> 2))))
        case 29: return random.chance(50) ? .app(id, .stoppedByTerminal) : .app(id, .memoryLimitHit(bytes: 1))
        case 30: return .app(id, .warn(random.pick([.warning, .critical]), request: request))
        case 31: return .app(id, .locksChecked(random.chance(50) ? [.sample] : []))
        case 32:
            return .machine(
                .watchMemory(
                    low: random.next() >> UInt64(random.below(64)), sustained: .seconds(2), isToldOfStalls: true))
        case 33:
            if random.chance(20) { return .machine(.pressureSimulated(PressureLevel.allCases[random.below(3)])) }
            return .machine(
                .availableMemoryMeasured(random.next() >> UInt64(random.below(64)), isStalling: random.chance(30)))
        case 36: return random.chance(70) ? .app(id, .suspensionPending) : .app(id, .pageOutPending)
        case 37: return random.chance(90) ? .app(id, .stillThere) : .app(id, .killIncomplete)
        case 43:
            let intervals: [Span?] = [nil, .zero, .seconds(600), .seconds(1_000), .seconds(-1), .infinite]
            let interval = random.pick(intervals)
            return .app(id, .keepAlive(interval, request: request))
        case 35:
            if random.chance(4) { return .app(id, .reaperLost) }
            return random.chance(50) ? .app(id, .leftBehind) : .app(id, .abandoned)
        case 34:
            return random.chance(30)
                ? .machine(.watchDisk(low: 1 << 20)) : .machine(.freeDiskMeasured(random.next() >> 40))
        default: return .machine(.tick)
        }
    }
}
