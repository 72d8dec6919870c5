import CurfewCore

extension AppID {
    static let a = AppID(1)
    static let b = AppID(2)
    static let c = AppID(3)
    static let d = AppID(4)
}

extension Policy {
    /// The default profile (600 s budget, 5 s lead, 5 s, 5 s, 20 s, 30 s) with some numbers changed.
    static func with(_ change: (inout Policy) -> Void) -> Policy {
        var policy = Policy(profile: .ios4)
        change(&policy)
        return policy
    }
}

extension Policy {
    /// Limits in bytes, in front and behind; sampled unless the kernel is to enforce them.
    static func memory(
        fatal: UInt64? = nil, soft: UInt64? = nil, background: MemoryLimits? = nil, isEnforced: Bool = false,
        _ change: (inout Policy) -> Void = { _ in }
    ) -> Policy {
        let foreground = MemoryLimits(fatal: fatal, soft: soft)
        return .with {
            $0.memory = MemoryPolicy(
                foreground: foreground, background: background ?? foreground, isEnforcedByKernel: isEnforced)
            change(&$0)
        }
    }
}

/// A supervisor, its clock, and an engine that answers: each call returns the effects as lines of text.
///
/// A tracer check is answered at once and not shown; a suspension is confirmed at once and shown.
final class Scenario {
    private(set) var supervisor = Supervisor()
    private(set) var now = Instant(nanoseconds: 1_000_000_000_000)
    /// What a tracer check finds; nil leaves it unanswered.
    var tracer: Bool? = false
    /// What a measurement of CPU time finds, answered at once and not shown; nil leaves it unanswered.
    var cpuTime: Span? = .zero
    /// What a look for locks finds, answered at once and not shown; nil leaves it unanswered, and shows it.
    var locks: [FileLock]? = []
    /// What is left of memory; answered at once and not shown. Nil leaves it unanswered, and shows it.
    var available: UInt64?
    /// Whether a suspension is confirmed at once.
    var confirmsSuspensions = true
    /// Everything that was brought about, in order.
    private(set) var history: [Effect] = []

    /// App a in the foreground, its program started.
    init(_ policy: Policy = Policy(profile: .ios4), inBackground: Bool = false) {
        start(.a, policy, inBackground: inBackground)
    }

    /// No app at all.
    static func empty(foregroundPlaces: Int = 1) -> Scenario {
        let scenario = Scenario()
        scenario.supervisor = Supervisor(foregroundPlaces: foregroundPlaces)
        return scenario
    }

    /// An aware app on connection 1 that has acknowledged its launch (#1; #2 was `didBecomeActive`).
    static func aware(_ policy: Policy = Policy(profile: .ios4)) -> Scenario {
        let scenario = Scenario(policy)
        scenario.hello()
        scenario.ack(1)
        return scenario
    }

    /// An aware app that is suspended; the next event is #5.
    static func awareSuspended(_ policy: Policy = Policy(profile: .ios4)) -> Scenario {
        let scenario = aware(policy)
        scenario.home()
        scenario.ack(4)
        return scenario
    }

    /// An aware app in background with task 1 open, where nothing is owed; the next event is #5.
    static func awareInBackground(_ policy: Policy = Policy(profile: .ios4)) -> Scenario {
        let scenario = aware(policy)
        scenario.begin()
        scenario.home()
        scenario.ack(4)
        return scenario
    }

    /// A plain app that is suspended.
    static func suspended(_ policy: Policy = Policy(profile: .ios4)) -> Scenario {
        let scenario = Scenario(policy)
        scenario.home()
        return scenario
    }

    /// A plain app in background with these tasks open since just before.
    static func inBackground(_ policy: Policy = Policy(profile: .ios4), tasks: String...) -> Scenario {
        let scenario = Scenario(policy)
        for task in tasks { scenario.begin(task) }
        scenario.home()
        return scenario
    }

    // MARK: Time

    /// Lets time pass without a wake-up.
    @discardableResult
    func after(_ span: Span) -> Scenario {
        now = now + span
        return self
    }

    /// Lets time pass with a tick at each deadline, as an engine that is never late.
    @discardableResult
    func run(_ span: Span) -> [String] {
        let target = now + span
        var lines: [String] = []
        var ticks = 0
        while let deadline = supervisor.nextDeadline.earliest, deadline <= target {
            now = max(now, deadline)
            lines += tick()
            ticks += 1
            if ticks > 10_000 { return lines + ["the deadline doesn't go away"] }
        }
        now = target
        return lines
    }

    /// The time to the next wake-up, as text, a mere look for a debugger included; nil when nothing is armed.
    var untilWakeUp: String? { supervisor.nextDeadline.earliest.map { text($0 - now) } }

    /// The time to the next deadline at which something happens, as text; nil when nothing is armed. A look for a debugger
    /// that finds all as it was is nothing.
    var untilDeadline: String? {
        var ahead = supervisor
        for _ in 0..<2_000 {
            guard let deadline = ahead.nextDeadline.earliest else { return nil }
            let instant = max(now, deadline)
            for effect in ahead.handle(.machine(.tick), at: Moment(instant)) {
                guard case .checkTracer(let app) = effect else { return text(deadline - now) }
                let answer = Input.app(app, .tracerChecked(isTraced: ahead.app(app)?.isTraced ?? false))
                if !ahead.handle(answer, at: Moment(instant)).isEmpty { return text(deadline - now) }
            }
        }
        return nil
    }

    // MARK: Inputs

    @discardableResult
    func send(_ input: Input) -> [String] {
        var lines: [String] = []
        var inputs = [input]
        while !inputs.isEmpty {
            for effect in supervisor.handle(inputs.removeFirst(), at: Moment(now)) {
                history.append(effect)
                if case .measureCPUTime(let app) = effect, let cpuTime {
                    inputs.append(.app(app, .cpuTimeMeasured(cpuTime)))
                    continue
                }
                if case .checkTracer(let app) = effect, let tracer {
                    if let cpuTime, supervisor.app(app)?.isWatched == true {
                        inputs.append(.app(app, .cpuTimeMeasured(cpuTime)))
                    }
                    inputs.append(.app(app, .tracerChecked(isTraced: tracer)))
                    continue
                }
                if case .checkLocks(let app) = effect, let locks {
                    inputs.append(.app(app, .locksChecked(locks)))
                    continue
                }
                if case .measureAvailableMemory = effect, let available {
                    inputs.append(.machine(.availableMemoryMeasured(available, isStalling: false)))
                    continue
                }
                if case .suspend(let app, _) = effect, confirmsSuspensions {
                    inputs.append(.app(app, .suspensionConfirmed))
                }
                lines.append(line(effect))
            }
        }
        return lines
    }

    @discardableResult
    func start(_ app: AppID, _ policy: Policy = Policy(profile: .ios4), inBackground: Bool = false) -> [String] {
        start(app, policy, LaunchOptions(inBackground: inBackground))
    }

    @discardableResult
    func start(_ app: AppID, _ policy: Policy, _ options: LaunchOptions) -> [String] {
        send(.app(app, .launch(policy, options))) + send(.app(app, .started))
    }

    @discardableResult
    func tick() -> [String] { send(.machine(.tick)) }

    @discardableResult
    func home(_ app: AppID = .a, stopped: Bool = false, request: Int? = nil) -> [String] {
        send(.app(app, .home(stopped: stopped, request: request.map { RequestID($0) })))
    }

    @discardableResult
    func open(_ app: AppID = .a, request: Int? = nil) -> [String] {
        send(.app(app, .open(request: request.map { RequestID($0) })))
    }

    @discardableResult
    func quit(_ app: AppID = .a, request: Int? = nil) -> [String] {
        send(.app(app, .quit(request: request.map { RequestID($0) })))
    }

    @discardableResult
    func reclaim(_ app: AppID = .a, request: Int? = nil) -> [String] {
        send(.app(app, .reclaim(request: request.map { RequestID($0) })))
    }

    @discardableResult
    func interrupt(_ app: AppID = .a, request: Int? = nil) -> [String] {
        send(.app(app, .interrupt(request: request.map { RequestID($0) })))
    }

    @discardableResult
    func dismiss(_ app: AppID = .a, request: Int? = nil) -> [String] {
        send(.app(app, .dismiss(request: request.map { RequestID($0) })))
    }

    @discardableResult
    func post(_ name: String, _ info: [Info] = [], _ app: AppID = .a, request: Int? = nil) -> [String] {
        send(.app(app, .post(PostedEvent(name, info), request: request.map { RequestID($0) })))
    }

    @discardableResult
    func wake(_ name: String = "fetch", _ info: [Info] = [], _ app: AppID = .a, request: Int? = nil) -> [String] {
        send(.app(app, .wake(PostedEvent(name, info), request: request.map { RequestID($0) })))
    }

    @discardableResult
    func notify(_ notification: ServiceNotification, _ app: AppID = .a) -> [String] {
        send(.app(app, .notified(notification)))
    }

    @discardableResult
    func hello(_ app: AppID = .a, connection: Int = 1) -> [String] {
        send(.app(app, .hello(ConnectionID(connection))))
    }

    @discardableResult
    func disconnect(_ app: AppID = .a, connection: Int = 1) -> [String] {
        send(.app(app, .disconnected(ConnectionID(connection))))
    }

    @discardableResult
    func ack(_ sequence: Int, _ app: AppID = .a) -> [String] { send(.app(app, .acknowledge(sequence: sequence))) }

    /// The reply is to request 0.
    @discardableResult
    func begin(_ name: String = "t", _ app: AppID = .a, owner: Int = 1, connection: Int? = nil) -> [String] {
        let connection = connection.map { ConnectionID($0) }
        return send(
            .app(app, .beginTask(name: name, owner: OwnerID(owner), connection: connection, request: RequestID(0))))
    }

    @discardableResult
    func end(_ task: Int, _ app: AppID = .a) -> [String] {
        send(.app(app, .endTask(TaskID(task), request: RequestID(0))))
    }

    @discardableResult
    func ownerExits(_ owner: Int = 1, _ app: AppID = .a) -> [String] { send(.app(app, .ownerExited(OwnerID(owner)))) }

    @discardableResult
    func leaderExits(_ code: UInt8, _ app: AppID = .a) -> [String] {
        send(.app(app, .leaderExited(.exited(code: code))))
    }

    @discardableResult
    func leaderDies(of signal: Int32, _ app: AppID = .a) -> [String] {
        send(.app(app, .leaderExited(.signaled(signal: signal, dumpedCore: false))))
    }

    /// Its leader is gone, and some of it isn't.
    @discardableResult
    func remains(_ app: AppID = .a) -> [String] { send(.app(app, .leftBehind)) }

    @discardableResult
    func treeGone(_ app: AppID = .a) -> [String] { send(.app(app, .treeGone)) }

    @discardableResult
    func measured(_ bytes: UInt64, _ app: AppID = .a) -> [String] {
        send(.app(app, .footprintMeasured(bytes: bytes)))
    }

    /// A memory warning by hand.
    @discardableResult
    func warn(_ level: MemoryWarningLevel = .warning, _ app: AppID = .a, request: Int? = nil) -> [String] {
        send(.app(app, .warn(level, request: request.map { RequestID($0) })))
    }

    /// Has the machine's memory watched from now on; one measurement is owed at once.
    @discardableResult
    func watchMemory(low: UInt64, sustained: Span = MemoryPressure.sustainedTime, isTold: Bool = true) -> [String] {
        send(.machine(.watchMemory(low: low, sustained: sustained, isToldOfStalls: isTold)))
    }

    /// So many bytes of memory are available.
    @discardableResult
    func memoryLeft(_ bytes: UInt64, isStalling: Bool = false) -> [String] {
        send(.machine(.availableMemoryMeasured(bytes, isStalling: isStalling)))
    }

    /// The machine is said to be so short of memory.
    @discardableResult
    func pressure(_ level: PressureLevel) -> [String] { send(.machine(.pressureSimulated(level))) }

    /// So many bytes of disk are free.
    @discardableResult
    func diskLeft(_ bytes: UInt64) -> [String] { send(.machine(.freeDiskMeasured(bytes))) }

    /// The CPU time that the app has used since its start.
    @discardableResult
    func used(_ cpuTime: Span, _ app: AppID = .a) -> [String] { send(.app(app, .cpuTimeMeasured(cpuTime))) }

    @discardableResult
    func found(_ locks: [FileLock], _ app: AppID = .a) -> [String] { send(.app(app, .locksChecked(locks))) }

    @discardableResult
    func stoppedByTerminal(_ app: AppID = .a) -> [String] { send(.app(app, .stoppedByTerminal)) }

    // MARK: What can be seen of an app

    /// The report it was killed with.
    func report(_ app: AppID = .a) -> KillReport? {
        for case .kill(app, let report) in history { return report }
        return nil
    }

    func state(_ app: AppID = .a) -> LifecycleState? { supervisor.app(app)?.state }

    /// The background time left, as text.
    func remaining(_ app: AppID = .a) -> String? { supervisor.app(app).map { text($0.remaining(at: Moment(now))) } }

    func openTasks(_ app: AppID = .a) -> [Int] { supervisor.app(app)?.tasks.map(\.id.rawValue) ?? [] }

    /// The events whose acknowledgement is owed.
    func owed(_ app: AppID = .a) -> [String] { supervisor.app(app)?.unacknowledgedEvents.map(\.name) ?? [] }
}
