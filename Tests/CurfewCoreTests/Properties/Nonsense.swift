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
        if input == .tick, !Self.handled(.tick, by: supervisor, at: now).isEmpty { return "a second tick has effects" }
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
            return .launch(id, random.pick(Trace.policies), Trace.randomOptions(&random))
        }
        return Self.input(about: id, RequestID(lastRequest), &random)
    }

    /// Any input but a launch; some concern no app.
    static func input(about id: AppID, _ request: RequestID, _ random: inout SplitMix64) -> Input {
        let connection = ConnectionID(random.below(4))
        switch random.below(38) {
        case 3, 4: return .started(id)
        case 5: return .leaderExited(id, .exited(code: 1))
        case 6: return random.chance(20) ? .treeGone(id) : .tick
        case 7, 8: return .home(id, stopped: random.chance(50), request: request)
        case 9, 10: return .open(id, request: request)
        case 11: return random.chance(30) ? .quit(id, request: request) : .tick
        case 12: return .hello(id, connection)
        case 13: return .disconnected(id, connection)
        case 14: return .acknowledge(id, sequence: random.below(9))
        case 15:
            return .beginTask(id, name: "", owner: OwnerID(random.below(3)), connection: connection, request: request)
        case 16: return .endTask(id, TaskID(random.below(4)), request: request)
        case 17: return .ownerExited(id, OwnerID(random.below(3)))
        case 18: return random.chance(70) ? .suspensionConfirmed(id) : .suspensionIncomplete(id)
        case 19: return .footprintMeasured(id, bytes: random.chance(5) ? .max : random.next() >> 40)
        case 20: return .tracerChecked(id, isTraced: random.chance(40))
        case 21: return .interrupt(id, request: request)
        case 22: return .dismiss(id, request: request)
        case 23, 24: return .post(id, PostedEvent(random.pick(["x", "y"])), request: request)
        case 25, 26: return .wake(id, PostedEvent(random.pick(["x", "z"])), request: request)
        case 27: return .notified(id, Trace.randomNotification(&random))
        case 28: return .cpuTimeMeasured(id, Span(nanoseconds: Int64(random.next() >> 2)))
        case 29: return random.chance(50) ? .stoppedByTerminal(id) : .memoryLimitHit(id, bytes: 1)
        case 30: return .warn(id, random.pick([.warning, .critical]), request: request)
        case 31: return .locksChecked(id, random.chance(50) ? [.sample] : [])
        case 32:
            return .watchMemory(
                low: random.next() >> UInt64(random.below(64)), sustained: .seconds(2), isToldOfStalls: true)
        case 33:
            return .availableMemoryMeasured(random.next() >> UInt64(random.below(64)), isStalling: random.chance(30))
        case 36: return random.chance(70) ? .suspensionPending(id) : .pageOutPending(id)
        case 37: return random.chance(90) ? .stillThere(id) : .killIncomplete(id)
        case 35: return random.chance(50) ? .leftBehind(id) : .abandoned(id)
        case 34: return random.chance(30) ? .watchDisk(low: 1 << 20) : .freeDiskMeasured(random.next() >> 40)
        default: return .tick
        }
    }
}
