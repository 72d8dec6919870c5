/// Every app of one supervisor, and the rules that hold between them.
///
/// A value with no clock and no I/O: inputs with their moments go in, effects come out, in a fixed order. The
/// outcome of an effect comes back as an input. A tick is idempotent and may come early.
public struct Supervisor: Sendable, Hashable {
    var table: AppTable
    /// Nil while nobody asked for the machine's memory to be watched.
    public internal(set) var memoryPressure: MemoryPressure?
    var diskPressure: DiskPressure?
    /// Whether memory or disk is watched: each step asks, and mostly neither is.
    var watchesMachine = false

    /// `foregroundPlaces`: how many apps may be in front at once; 1 or more.
    public init(foregroundPlaces: Int = 1) { table = AppTable(foregroundPlaces: foregroundPlaces) }

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
    public var leavingApps: [AppID] { table.leavingIndices.map { table.apps[$0].id } }

    /// Whether nothing is left to be made sure of, of what was begun with the apps' processes. A look at every app: no step
    /// asks, but only `curfew advance` while it is under way.
    public var isSettled: Bool { table.apps.allSatisfy(\.isSettled) }

    /// Who is in front, and of several the most recently opened one.
    public var foregroundApp: AppID? { table.front.first }

    /// All in front, the most recently opened first.
    public var foregroundApps: [AppID] { table.front.inFront }

    /// Whether whoever comes to the front sends somebody home.
    public var isFrontFull: Bool { table.front.isFull }

    /// Whom `curfew switch` opens: the most recent app that was in front, isn't any more, and can be opened. Whether another
    /// supervisor's can, that one knows.
    public var previousForegroundApp: AppID? {
        table.front.previous { id in table.index(of: id).map { table.apps[$0].canBeOpened } ?? true }
    }

    /// Takes one input; an input about an app that isn't there changes nothing.
    public mutating func handle(_ input: Input, at now: Moment) -> [Effect] {
        var effects: [Effect] = []
        handle(input, at: now, into: &effects)
        return effects
    }

    /// As `handle(_:at:)`, appending to effects that the caller keeps, so that nothing is allocated for none.
    public mutating func handle(_ input: Input, at now: Moment, into effects: inout [Effect]) {
        switch input {
        case .app(let id, .launch(let policy, let options)):
            precondition(canLaunch(id), "app \(id.rawValue) was launched twice; input \(input)")
            table.insert(
                App(id: id, policy: policy, options: options, at: now, neighbour: table.apps.last?.terms))
        case .app(let id, let input): handle(input, of: id, at: now, into: &effects)
        case .machine(let input): handle(input, at: now, into: &effects)
        }
    }

    private mutating func handle(_ input: MachineInput, at now: Moment, into effects: inout [Effect]) {
        switch input {
        case .tick:
            table.changeDue(at: now) { $0.tick(isFrontFull: $1, at: now, into: &effects) }
            proceed(at: now, into: &effects)
        case .watchMemory(let low, let sustained, let isToldOfStalls):
            watchMemory(low: low, sustained: sustained, isToldOfStalls: isToldOfStalls, at: now)
        case .availableMemoryMeasured(let bytes, let isStalling):
            availableMemoryMeasured(bytes, isStalling: isStalling, at: now, into: &effects)
        case .pressureSimulated(let level): simulatePressure(level, at: now, into: &effects)
        case .watchDisk(let low): watchDisk(low: low, at: now)
        case .freeDiskMeasured(let bytes): freeDiskMeasured(bytes, at: now, into: &effects)
        case .joined(let id, let input): handle(input, ofJoined: id, at: now, into: &effects)
        }
    }

    private mutating func handle(_ input: AppInput, of id: AppID, at now: Moment, into effects: inout [Effect]) {
        guard let index = table.index(of: id) else { return }
        if case .treeGone = input { return end(index, isComplete: true, at: now, into: &effects) }
        if case .killIncomplete = input { return end(index, isComplete: false, at: now, into: &effects) }
        if takesFront(input, at: index) {
            makeRoom(at: now, into: &effects)
        } else if table.front.places > 1 {
            noteOpening(input, at: index)
        }
        let isFrontFull = table.front.isFull
        table.change(at: index) { app in
            app.notePlace(isFrontFull: isFrontFull)
            app.handle(input, at: now, into: &effects)
        }
        lookAgain(at: now)
    }

    /// Nothing is left of it, or nothing more is done about it.
    private mutating func end(_ index: Int, isComplete: Bool, at now: Moment, into effects: inout [Effect]) {
        guard isComplete || table.apps[index].phase.isOver else { return }
        table.change(at: index) { $0.treeGone(isComplete: isComplete, at: now, into: &effects) }
        table.remove(at: index)
    }

    /// Whether the app comes to the front with it.
    private func takesFront(_ input: AppInput, at index: Int) -> Bool {
        switch input {
        case .started: !table.apps[index].launchedInBackground && table.apps[index].canStart
        case .open: table.apps[index].canBeOpened
        case .launch, .leaderExited, .leftBehind, .reaperLost, .treeGone, .stillThere, .killIncomplete, .home,
            .stoppedByTerminal, .quit, .sleep, .reclaim, .signalled, .abandoned, .interrupt, .dismiss, .post, .wake,
            .expire,
            .warn, .hello,
            .disconnected, .acknowledge, .beginTask, .endTask, .ownerExited, .keepAlive, .notified,
            .suspensionConfirmed, .suspensionPending, .suspensionIncomplete, .footprintMeasured, .pageOutPending,
            .memoryLimitHit, .memoryMarkReached, .memoryMarkArmed, .inputWatched, .ranOn, .inputCame, .connectionWaits,
            .connectionTaken, .idlenessMeasured, .locksChecked, .tracerChecked, .cpuTimeMeasured:
            false
        }
    }

    /// One in front that is opened again is the last to leave.
    private mutating func noteOpening(_ input: AppInput, at index: Int) {
        guard case .open = input, table.apps[index].end == nil else { return }
        table.reopen(table.apps[index].id)
    }

    /// There are so many places in front and no more: whoever was opened longest ago goes home.
    private mutating func makeRoom(at now: Moment, into effects: inout [Effect]) {
        guard let leaver = table.front.leaver else { return }
        guard let index = table.index(of: leaver) else {
            table.changeFront { $0.leave(leaver) }
            effects.append(.sendJoinedHome(leaver))
            return
        }
        table.change(at: index) { $0.home(stopped: false, request: nil, at: now, into: &effects) }
    }

    // MARK: Apps of other supervisors

    private mutating func handle(
        _ input: JoinedInput, ofJoined id: AppID, at now: Moment, into effects: inout [Effect]
    ) {
        precondition(table.isVacant(id.slot), "app \(id.rawValue) is held here; input \(input)")
        switch input {
        case .opened where table.front.isInFront(id): table.changeFront { $0.reopen(id) }
        case .opened:
            makeRoom(at: now, into: &effects)
            table.changeFront { $0.enter(id) }
        case .wentHome: table.changeFront { $0.leave(id) }
        case .left: table.changeFront { $0.remove(id) }
        }
        lookAgain(at: now)
    }
}
