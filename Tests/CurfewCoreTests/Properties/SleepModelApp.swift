import CurfewCore

/// One app that sleeps: its program, its processes, and what is known of it from outside. It judges each effect.
///
/// It knows of no idleness and no deadlines: only where the app is, what has come for it, and who may wake it.
struct SleepModelApp {
    let id: AppID
    let policy: Policy
    var program: SleepModelProgram
    var tree = SleepModelTree()
    /// Something of it can't be waited for.
    var hasObstacle = false
    var isTraced = false

    // MARK: Where it is

    private(set) var state = LifecycleState.notRunning
    /// Stopped in front, and not continued since.
    private(set) var isAsleep = false
    /// That was told of.
    private(set) var isSettled = false
    /// It sleeps until it is opened.
    private(set) var stays = false
    /// It was asked to end, or its leader has.
    private(set) var isEnding = false
    private(set) var isOver = false
    private(set) var isGone = false
    private(set) var hasStarted = false
    /// It was stopped for having been idle, and nobody has asked for it since.
    private(set) var wasFoundIdle = false
    /// It has taken what came, and was stopped before it had answered: nothing is left to wake it.
    private(set) var isMidway = false
    /// How often it was continued, and woken by input.
    private(set) var resumptions = 0
    private(set) var inputWakings = 0

    // MARK: What it has to do with others

    /// Those that said hello, and what they owe.
    private(set) var connections: [ConnectionID] = []
    private(set) var owed: [Delivery] = []
    private(set) var tasks: [TaskID] = []
    private(set) var keepAlive: Span?
    /// By lifecycle time.
    private var lastKeptAlive = Instant(nanoseconds: 0)
    /// How often somebody had an event for it.
    private var eventsPosted = 0

    init(id: AppID, policy: Policy, program: SleepModelProgram) {
        self.id = id
        self.policy = policy
        self.program = program
    }

    var isHere: Bool { hasStarted && !isOver }
    var isAware: Bool { !connections.isEmpty }
    var runs: Bool { isHere && tree.motion == .running }
    var isStopped: Bool { isHere && tree.motion == .stopped }
    /// Whether input is to wake it whenever it is stopped.
    var isToBeWoken: Bool { wakesForInput && !isEnding }
    private var wakesForInput: Bool { policy.sleep?.wakesForInput == true && !stays }

    // MARK: Inputs

    mutating func take(_ input: AppInput, at now: Moment) {
        switch input {
        case .started: hasStarted = true
        case .wake: eventsPosted += 1
        case .hello(let connection): if !isEnding, isHere { connections.append(connection) }
        case .disconnected(let connection):
            connections.removeAll { $0 == connection }
            if connections.isEmpty { owed.removeAll() }
        case .acknowledge(let sequence): owed.removeAll { $0.sequence == sequence }
        case .quit, .leaderExited: isEnding = true
        case .sleep: wasFoundIdle = false
        case .treeGone: isGone = true
        default: break
        }
    }

    /// Somebody has to do with it.
    mutating func isTouched() {
        for index in program.descriptors.indices { program.descriptors[index].mayWakeAgain() }
    }

    // MARK: Effects

    mutating func take(_ effect: Effect, of cause: Input, at now: Moment) throws(Violation) {
        switch effect {
        case .suspend: try stop(cause, at: now)
        case .confirmSuspension:
            try demand(tree.motion != .running && !isStopped, "looked at, and no stop is under way")
        case .resume: try resume(cause, at: now)
        case .watchInput(_, let afresh): try watchInput(afresh: afresh, at: now)
        case .unwatchInput:
            try demand(tree.watch != nil, "its input isn't waited for")
            tree.watch = nil
        case .kill(_, let report): try kill(report)
        case .sweep(_, kills: true): end()
        case .deliver(_, let delivery): try deliver(delivery)
        case .terminate:
            try demand(runs, "a signal that it can't hear")
            isEnding = true
        case .measureIdleness: try demand(runs, "looked at for idleness, and stopped")
        case .stateChanged(_, let from, let to):
            try demand(state == from, "\(from) -> \(to), and it was \(state)")
            state = to
            if to == .active, runs { stays = false }
        case .ended: end()
        case .note(_, let note): try take(note, at: now)
        default: break
        }
    }

    private mutating func stop(_ cause: Input, at now: Moment) throws(Violation) {
        try demand(runs, "stopped twice")
        isAsleep = state == .active
        if case .app(_, .idlenessMeasured) = cause { wasFoundIdle = true } else { wasFoundIdle = false }
        if program.isAtWork { isTouched() }
        tree.stop(program, at: now.real)
    }

    /// `takes`: what has come since it was told to, if it was found idle.
    mutating func isStopped(andTakes takes: Bool) {
        tree.isStopped()
        guard takes, wasFoundIdle, program.hasUnseen else { return }
        program.see()
        isMidway = true
    }

    private mutating func resume(_ cause: Input, at now: Moment) throws(Violation) {
        try demand(isHere && !runs, "continued, and it runs")
        if !isReason(cause) {
            try demand(isKeepAliveDue(at: now), "continued for nothing")
            lastKeptAlive = now.lifecycle
        }
        resumptions += 1
        tree.resume(at: now.real)
        isAsleep = false
        isSettled = false
        isMidway = false
        if state == .active { stays = false }
    }

    /// Whether that can have it continued, keep-alive apart.
    private func isReason(_ cause: Input) -> Bool {
        guard case .app(id, let input) = cause else { return false }
        return switch input {
        case .inputCame, .ranOn, .open, .wake, .beginTask, .quit, .leaderExited, .leftBehind: true
        case .inputWatched(let obstacle): obstacle != nil && isAsleep
        case .home: isAsleep
        default: false
        }
    }

    private mutating func watchInput(afresh: Bool, at now: Moment) throws(Violation) {
        try demand(isStopped, "its input is waited for, and not all of it has stopped")
        try demand(tree.watch == nil, "its input is waited for twice")
        try demand(wakesForInput, "its input is waited for, and isn't to wake it")
        tree.watchInput(of: program, afresh: afresh, at: now.real)
    }

    private mutating func kill(_ report: KillReport) throws(Violation) {
        if isAsleep {
            let kills: Set<KillReason> = [.timeLimit, .memoryPressure]
            try demand(kills.contains(report.reason), "killed asleep: \(report.reason.rawValue)")
        }
        let counted = eventsPosted + (policy.sleep?.countsResumptions == true ? inputWakings : 0)
        try demand(
            report.count ?? 0 <= counted, "killed for \(report.count ?? 0) resumptions, and there were \(counted)")
        end()
    }

    private mutating func end() {
        isOver = true
        isAsleep = false
        tree.watch = nil
        owed.removeAll()
        tasks.removeAll()
    }

    private mutating func deliver(_ delivery: Delivery) throws(Violation) {
        try demand(runs, "told of \(delivery.event.name), and stopped")
        if delivery.event == .lifecycle(.willTerminate) { isEnding = true }
        if isAware, delivery.limit != nil, delivery.event.needsAcknowledgement { owed.append(delivery) }
    }

    private mutating func take(_ note: Note, at now: Moment) throws(Violation) {
        switch note {
        case .didSleep:
            try demand(isAsleep && isStopped, "said to be asleep, and it isn't")
            try demand(!isSettled, "said to be asleep twice")
            try demand(tree.watch?.isComplete ?? !isToBeWoken, "asleep before its input is waited for")
            isSettled = true
        case .didWake(let cause, _, _):
            try demand(isHere && !runs, "woken, and it runs")
            guard cause == "its keep-alive" else { break }
            try demand(isKeepAliveDue(at: now), "kept alive too soon")
        case .taskBegun(let task, _): tasks.append(task)
        case .taskEnded(let task, _), .taskReleased(let task, _): tasks.removeAll { $0 == task }
        case .keepAliveChanged(let interval): keepAlive = interval
        default: break
        }
    }

    // MARK: Requests

    /// It wasn't refused.
    mutating func isGranted(_ request: AppInput, at now: Moment) {
        switch request {
        case .sleep(stays: let stays, request: _): self.stays = stays || !runs && self.stays
        case .keepAlive: lastKeptAlive = now.lifecycle
        default: break
        }
    }

    private func isKeepAliveDue(at now: Moment) -> Bool {
        keepAlive.map { now.lifecycle - lastKeptAlive >= $0 } ?? false
    }

    // MARK: Input

    /// The waking input that its watch tells of, taken; nil for none.
    mutating func takeInput() throws(Violation) -> InputNews? {
        guard let index = tree.watch?.take(program) else { return nil }
        inputWakings += 1
        try demand(
            program.descriptors[index].hasWoken(), "woken again and again by descriptor \(index), where nothing is new")
        return InputNews(kind: "data", text: "descriptor \(index)")
    }

    // MARK: What holds at any time

    func check(against app: App, at now: Moment) throws(Violation) {
        try demand(app.state == state, "it is \(app.state), and said to be \(state)")
        try demand(app.isAsleep == isAsleep, "\(isAsleep ? "asleep" : "not asleep"), and taken for the contrary")
        try checkClocks(of: app, at: now)
        try checkInput()
    }

    /// Neither its budget nor a watchdog counts while it sleeps.
    private func checkClocks(of app: App, at now: Moment) throws(Violation) {
        guard isAsleep else { return }
        try demand(app.remaining(at: now) == policy.backgroundBudget, "its budget runs down, asleep")
        try demand(app.unacknowledgedEvents.isEmpty && app.graceRemaining(at: now) == nil, "it owes something, asleep")
    }

    /// What it hasn't seen wakes it as soon as that is heard of.
    private func checkInput() throws(Violation) {
        guard isStopped, isToBeWoken else { return }
        try demand(!isMidway || !wasFoundIdle, "found idle, it has taken what came, and sleeps on")
        guard let watch = tree.watch else { throw Violation("stopped, and its input isn't waited for") }
        guard watch.isComplete else { return }
        for (index, descriptor) in program.descriptors.enumerated() where descriptor.wakes && descriptor.isUnseen {
            try demand(watch.isPending(index, descriptor), "what came by descriptor \(index) is lost")
        }
    }

    private func demand(_ condition: Bool, _ text: @autoclosure () -> String) throws(Violation) {
        if !condition { throw Violation(text()) }
    }
}
