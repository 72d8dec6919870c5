/// Every app of one supervisor, and the rules that hold between them.
///
/// A value with no clock and no I/O: inputs with their moments go in, effects come out, in a fixed order. The
/// outcome of an effect comes back as an input. A tick is idempotent and may come early.
public struct Supervisor: Sendable, Hashable {
    var table = AppTable()
    /// Nil while nobody asked for the machine's memory to be watched.
    public internal(set) var memoryPressure: MemoryPressure?
    var diskPressure: DiskPressure?
    /// Whether memory or disk is watched: each step asks, and mostly neither is.
    var watchesMachine = false

    public init() {}

    /// A copy of each app, in the order of launch.
    public var apps: [App] { table.indicesByLaunch.map { table.apps[$0] } }

    /// When a tick changes something next, on each clock; nothing where no timer is armed.
    public var nextDeadline: NextDeadline {
        var next = table.nextDeadline
        if watchesMachine, let nextPressureDeadline { next.consider(nextPressureDeadline, on: .real) }
        return next
    }

    public func app(_ id: AppID) -> App? { table.index(of: id).map { table.apps[$0] } }

    /// Whether `launch` may name this app: the slot is vacant.
    public func canLaunch(_ id: AppID) -> Bool { table.isVacant(id.slot) }

    /// The background time the app has left; without copying the app, for this is asked most often.
    public func remaining(of id: AppID, at now: Moment) -> Span? {
        guard let index = table.index(of: id) else { return nil }
        return table.apps[index].remaining(at: now)
    }

    /// When time alone kills the app, if nothing happens before; without copying the app.
    public func nextKill(of id: AppID) -> NextDeadline {
        guard let index = table.index(of: id) else { return NextDeadline() }
        return table.apps[index].nextKill
    }

    /// The apps whose end is awaited, in the order of launch.
    public var leavingApps: [AppID] {
        var leaving: [Int] = []
        for index in table.apps.indices where table.apps[index].isLeaving { leaving.append(index) }
        return table.sortedByLaunch(leaving).map { table.apps[$0].id }
    }

    /// Whether nothing is left to be made sure of, of what was begun with the apps' processes.
    public var isSettled: Bool { table.apps.allSatisfy(\.isSettled) }

    /// The one app in front, if there is one.
    public var foregroundApp: AppID? { table.foreground }

    /// Takes one input; an input about an app that isn't there changes nothing.
    public mutating func handle(_ input: Input, at now: Moment) -> [Effect] {
        var effects: [Effect] = []
        handle(input, at: now, into: &effects)
        return effects
    }

    /// As `handle(_:at:)`, appending to effects that the caller keeps, so that nothing is allocated for none.
    public mutating func handle(_ input: Input, at now: Moment, into effects: inout [Effect]) {
        switch input {
        case .launch(let id, let policy, let options):
            precondition(canLaunch(id), "app \(id.rawValue) was launched twice; input \(input)")
            table.insert(App(id: id, policy: policy, options: options, at: now))
        case .tick:
            table.changeDue(at: now) { $0.proceed(at: now, into: &effects) }
            proceed(at: now, into: &effects)
        case .watchMemory(let low, let sustained, let isToldOfStalls):
            watchMemory(low: low, sustained: sustained, isToldOfStalls: isToldOfStalls, at: now)
        case .availableMemoryMeasured(let bytes, let isStalling):
            availableMemoryMeasured(bytes, isStalling: isStalling, at: now, into: &effects)
        case .watchDisk(let low): watchDisk(low: low, at: now)
        case .freeDiskMeasured(let bytes): freeDiskMeasured(bytes, at: now, into: &effects)
        case .started(let id):
            guard let index = table.index(of: id) else { return }
            if !table.apps[index].launchedInBackground, table.apps[index].canStart {
                sendOtherHome(than: id, at: now, into: &effects)
            }
            table.change(at: index) { $0.started(at: now, into: &effects) }
            lookAgain(at: now)
        case .open(let id, let request):
            guard let index = table.index(of: id) else { return }
            if table.apps[index].canBeOpened { sendOtherHome(than: id, at: now, into: &effects) }
            table.change(at: index) { $0.open(request: request, at: now, into: &effects) }
            lookAgain(at: now)
        case .treeGone(let id):
            guard let index = table.index(of: id) else { return }
            table.change(at: index) { $0.treeGone(isComplete: true, at: now, into: &effects) }
            table.remove(at: index)
        case .killIncomplete(let id):
            guard let index = table.index(of: id), table.apps[index].phase.isOver else { return }
            table.change(at: index) { $0.treeGone(isComplete: false, at: now, into: &effects) }
            table.remove(at: index)
        default:
            handleAppInput(input, at: now, into: &effects)
        }
    }

    /// The inputs that concern one app alone.
    private mutating func handleAppInput(_ input: Input, at now: Moment, into effects: inout [Effect]) {
        guard let id = input.app, let index = table.index(of: id) else { return }
        table.change(at: index) { $0.handle(input, at: now, into: &effects) }
        lookAgain(at: now)
    }

    /// One supervisor has at most one foreground app.
    private mutating func sendOtherHome(than id: AppID, at now: Moment, into effects: inout [Effect]) {
        guard let front = table.foreground, front != id, let index = table.index(of: front) else { return }
        table.change(at: index) { $0.home(stopped: false, request: nil, at: now, into: &effects) }
    }
}

extension App {
    mutating func handle(_ input: Input, at now: Moment, into effects: inout [Effect]) {
        switch input {
        case .home(_, let stopped, let request): home(stopped: stopped, request: request, at: now, into: &effects)
        case .stoppedByTerminal: stoppedByTerminal()
        case .quit(_, let request): quit(request: request, at: now, into: &effects)
        case .signalled(_, let signal, let isHeard): relay(signal, isHeard: isHeard, at: now, into: &effects)
        case .interrupt(_, let request): interrupt(request: request, at: now, into: &effects)
        case .dismiss(_, let request): dismiss(request: request, at: now, into: &effects)
        case .post(_, let change, let request): post(change, request: request, at: now, into: &effects)
        case .wake(_, let event, let request): wake(event, request: request, at: now, into: &effects)
        case .notified(_, let notification): notified(notification, at: now, into: &effects)
        case .warn(_, let level, let request): warn(level, request: request, at: now, into: &effects)
        case .memoryMarkReached(_, let bytes): memoryMarkReached(bytes, at: now, into: &effects)
        case .memoryMarkArmed(_, let isArmed): memoryMarkArmed(isArmed, at: now)
        case .locksChecked(_, let locks): locksChecked(locks, at: now, into: &effects)
        case .cpuTimeMeasured(_, let cpuTime): cpuTimeMeasured(cpuTime, at: now, into: &effects)
        case .hello(_, let connection): hello(connection, at: now, into: &effects)
        case .disconnected(_, let connection): disconnected(connection, at: now, into: &effects)
        case .acknowledge(_, let sequence): acknowledge(sequence, at: now, into: &effects)
        case .beginTask(_, let name, let owner, let connection, let request):
            beginTask(name: name, owner: owner, connection: connection, request: request, at: now, into: &effects)
        case .endTask(_, let task, let request): endTask(task, request: request, at: now, into: &effects)
        case .ownerExited(_, let owner): ownerExited(owner, at: now, into: &effects)
        case .leaderExited(_, let outcome): leaderExited(outcome, at: now, into: &effects)
        case .leftBehind: leftBehind(at: now, into: &effects)
        case .abandoned: abandoned(at: now, into: &effects)
        case .suspensionConfirmed: suspensionConfirmed(isComplete: true, at: now, into: &effects)
        case .suspensionIncomplete: suspensionConfirmed(isComplete: false, at: now, into: &effects)
        case .suspensionPending: suspensionPending(at: now)
        case .stillThere: stillThere(at: now)
        case .pageOutPending: pageOutPending(at: now)
        case .footprintMeasured(_, let bytes): footprintMeasured(bytes, at: now, into: &effects)
        case .memoryLimitHit(_, let bytes): memoryLimitHit(bytes, at: now, into: &effects)
        case .tracerChecked(_, let isTraced): tracerChecked(isTraced: isTraced, at: now, into: &effects)
        case .launch, .started, .open, .treeGone, .killIncomplete, .tick: break
        case .watchMemory, .availableMemoryMeasured, .watchDisk, .freeDiskMeasured: break
        }
    }
}

extension Input {
    /// The app it is about; nil for a tick.
    public var app: AppID? {
        switch self {
        case .launch(let id, _, _), .started(let id), .leaderExited(let id, _), .treeGone(let id),
            .home(let id, _, _), .open(let id, _), .stoppedByTerminal(let id), .quit(let id, _), .hello(let id, _),
            .disconnected(let id, _), .interrupt(let id, _), .dismiss(let id, _), .post(let id, _, _),
            .wake(let id, _, _), .notified(let id, _), .cpuTimeMeasured(let id, _), .acknowledge(let id, _),
            .beginTask(let id, _, _, _, _), .endTask(let id, _, _),
            .ownerExited(let id, _), .suspensionConfirmed(let id), .suspensionIncomplete(let id),
            .footprintMeasured(let id, _), .memoryLimitHit(let id, _), .tracerChecked(let id, _),
            .warn(let id, _, _), .locksChecked(let id, _), .memoryMarkReached(let id, _),
            .memoryMarkArmed(let id, _), .signalled(let id, _, _), .leftBehind(let id), .abandoned(let id),
            .suspensionPending(let id), .stillThere(let id), .killIncomplete(let id), .pageOutPending(let id):
            id
        case .tick, .watchMemory, .availableMemoryMeasured, .watchDisk, .freeDiskMeasured: nil
        }
    }
}
