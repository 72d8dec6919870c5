import CurfewCore

/// One app that sleeps: its program, its processes, and what is known of it from outside. It judges each effect.
///
/// It knows of no idleness and no deadlines: only where the app is, what has come for it, and who may wake it.
struct SleepModelApp {
    let id: AppID
    let policy: Policy
    var program: SleepModelProgram
    var tree = SleepModelTree()
    /// One a descriptor, of those that don't listen unused.
    private(set) var listeners: [SleepModelListener]
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
        listeners = program.descriptors.indices.map { index in
            let socket = ListeningSocket(inode: UInt64(10 * id.rawValue + index), place: ":\(index)")
            return SleepModelListener(socket, policy.sleep ?? SleepPolicy())
        }
    }

    var isHere: Bool { hasStarted && !isOver }
    var isAware: Bool { !connections.isEmpty }
    var isListening: Bool { program.descriptors.contains(where: \.isListening) }
    var runs: Bool { isHere && tree.motion == .running }
    var isStopped: Bool { isHere && tree.motion == .stopped }
    /// Whether input is to wake it whenever it is stopped.
    var isToBeWoken: Bool { wakesForInput && !isEnding }
    private var wakesForInput: Bool { policy.sleep?.wakesForInput == true && !stays }
    /// When it is to be looked next whether a connection waits still where it is held back.
    var lookDue: Instant? { isEnding ? nil : listeners.compactMap(\.lookDue).min() }

    // MARK: Inputs

    mutating func take(_ input: AppInput, at now: Moment) {
        switch input {
        case .inputCame(let news): if let socket = news.listener, isStopped { change(socket) { $0.wakes() } }
        case .connectionWaits(let socket): if isStopped { change(socket) { $0.waits(at: now) } }
        case .connectionTaken(let socket): change(socket) { $0.isTaken() }
        case .started: hasStarted = true
        case .wake: eventsPosted += 1
        case .hello(let connection): if !isEnding, isHere { connections.append(connection) }
        case .disconnected(let connection):
            connections.removeAll { $0 == connection }
            if connections.isEmpty { owed.removeAll() }
        case .acknowledge(let sequence): owed.removeAll { $0.sequence == sequence }
        case .quit, .leaderExited: isEnding = true
        case .sleep: wasFoundIdle = false
        default: break
        }
    }

    private mutating func change(_ socket: ListeningSocket, _ body: (inout SleepModelListener) -> Void) {
        if let index = index(of: socket) { body(&listeners[index]) }
    }

    private func index(of socket: ListeningSocket) -> Int? { listeners.firstIndex { $0.socket == socket } }

    private mutating func waitForNoConnection() {
        for index in listeners.indices { listeners[index].isNotWaitedFor() }
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
            let isUnderWay = tree.motion != .running && (!isStopped || tree.stopsLate != nil)
            try demand(isUnderWay, "looked at, and no stop is under way")
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
        case .lookForConnection(_, let socket): try lookForConnection(socket, at: now)
        case .measureIdleness: try demand(runs, "looked at for idleness, and stopped")
        case .stateChanged(_, let from, let to):
            try demand(state == from, "\(from) -> \(to), and it was \(state)")
            state = to
            if to == .active, runs { stays = false }
        case .ended: end()
        case .note(_, let note): try take(note, of: cause, at: now)
        default: break
        }
    }

    private mutating func stop(_ cause: Input, at now: Moment) throws(Violation) {
        try demand(runs, "stopped twice")
        isAsleep = state == .active
        if case .app(_, .idlenessMeasured) = cause { wasFoundIdle = true } else { wasFoundIdle = false }
        if program.isAtWork { isTouched() }
        for index in listeners.indices { listeners[index].programStops() }
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
        waitForNoConnection()
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

    private mutating func lookForConnection(_ socket: ListeningSocket, at now: Moment) throws(Violation) {
        guard !isEnding, let index = index(of: socket) else { return }
        try demand(isStopped, "a connection is looked for, and it isn't stopped")
        try demand(
            listeners[index].isLookedAt(at: now), "a connection at \(index) is looked for too soon, or for nothing")
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
        waitForNoConnection()
        owed.removeAll()
        tasks.removeAll()
    }

    private mutating func deliver(_ delivery: Delivery) throws(Violation) {
        try demand(runs, "told of \(delivery.event.name), and stopped")
        if delivery.event == .lifecycle(.willTerminate) { isEnding = true }
        if isAware, delivery.limit != nil, delivery.event.needsAcknowledgement { owed.append(delivery) }
    }

    private mutating func take(_ note: Note, of input: Input, at now: Moment) throws(Violation) {
        switch note {
        case .didSleep:
            try demand(isAsleep && isStopped, "said to be asleep, and it isn't")
            try demand(!isSettled, "said to be asleep twice")
            try demand(tree.watch?.isComplete ?? !isToBeWoken, "asleep before its input is waited for")
            isSettled = true
        case .didWake(let cause, _, _):
            try demand(isHere && !runs, "woken, and it runs")
            if cause == "its keep-alive" {
                try demand(isKeepAliveDue(at: now), "kept alive too soon")
            } else {
                try demand(cause == self.cause(in: input), "woken by \(cause), and there was none")
            }
        case .taskBegun(let task, _): tasks.append(task)
        case .taskEnded(let task, _), .taskReleased(let task, _): tasks.removeAll { $0 == task }
        case .keepAliveChanged(let interval): keepAlive = interval
        default: break
        }
    }

    /// What it is said to be woken by, where that input wakes it.
    private func cause(in input: Input) -> String? {
        guard case .app(id, let input) = input else { return nil }
        return switch input {
        case .inputCame(let news): news.text
        case .open: "being opened"
        case .home: "being sent home"
        case .quit: "being ended"
        case .wake(let event, _): "the event \(event.name)"
        case .beginTask: "a background task"
        case .leaderExited: "the end of its leader"
        default: nil
        }
    }

    // MARK: Requests

    /// It wasn't refused.
    mutating func isGranted(_ request: AppInput, at now: Moment) {
        switch request {
        case .sleep(stays: let stays, request: _):
            self.stays = stays || !runs && self.stays
            if self.stays, !runs { waitForNoConnection() }
        case .keepAlive: lastKeptAlive = now.lifecycle
        default: break
        }
    }

    private func isKeepAliveDue(at now: Moment) -> Bool {
        keepAlive.map { now.lifecycle - lastKeptAlive >= $0 } ?? false
    }

    // MARK: Input

    /// The waking input that its watch tells of, taken; if there is none, where connections have come that have to wait.
    mutating func takeInput(
        holdsBack: (ListeningSocket) -> Bool
    ) throws(Violation) -> (news: InputNews?, waiting: [ListeningSocket]) {
        let (program, listeners) = (program, listeners)
        let taken = tree.watch?.take(program) { program.descriptors[$0].isListening && holdsBack(listeners[$0].socket) }
        guard let taken else { return (nil, []) }
        guard let index = taken.first else { return (nil, taken.held.map { listeners[$0].socket }) }
        return (try wake(by: index), [])
    }

    /// What waits there; nil for nothing.
    mutating func takeConnection(at socket: ListeningSocket) throws(Violation) -> InputNews? {
        guard let index = index(of: socket), tree.watch?.hasConnection(index, program.descriptors[index]) == true
        else { return nil }
        return try wake(by: index)
    }

    private mutating func wake(by index: Int) throws(Violation) -> InputNews {
        inputWakings += 1
        try demand(
            program.descriptors[index].hasWoken(), "woken again and again by descriptor \(index), where nothing is new")
        guard program.descriptors[index].isListening else {
            return InputNews(kind: "data", text: "descriptor \(index)")
        }
        let socket = listeners[index].socket
        return InputNews(kind: "connection", text: "a connection to :\(index)", to: socket.place, listener: socket)
    }

    /// In the last moment before it is continued: where programs outside are seen to have accepted since it was stopped.
    mutating func race() -> [ListeningSocket] {
        for index in program.descriptors.indices { program.descriptors[index].race() }
        guard isStopped, let watch = tree.watch else { return [] }
        return watch.taken(of: program).map { listeners[$0].socket }
    }

    // MARK: What holds at any time

    func check(against app: App, at now: Moment) throws(Violation) {
        try demand(app.state == state, "it is \(app.state), and said to be \(state)")
        try demand(app.isAsleep == isAsleep, "\(isAsleep ? "asleep" : "not asleep"), and taken for the contrary")
        try checkClocks(of: app, at: now)
        try checkListeners(of: app)
        try checkInput()
    }

    /// Neither its budget nor a watchdog counts while it sleeps.
    private func checkClocks(of app: App, at now: Moment) throws(Violation) {
        guard isAsleep else { return }
        try demand(app.remaining(at: now) == policy.backgroundBudget, "its budget runs down, asleep")
        try demand(app.unacknowledgedEvents.isEmpty && app.graceRemaining(at: now) == nil, "it owes something, asleep")
    }

    /// Whoever was seen to be served by another puts the next one off, and nobody else does.
    private func checkListeners(of app: App) throws(Violation) {
        guard !isEnding else { return }
        for listener in listeners {
            let delay = app.sharedListeners.first { $0.socket == listener.socket }?.delay
            if delay == listener.delay { continue }
            let texts = [delay, listener.delay].map { $0.map(text) ?? "nothing" }
            throw Violation("at \(listener.socket.place ?? "?") one has to wait for \(texts[0]), and not \(texts[1])")
        }
    }

    /// What it hasn't seen wakes it as soon as that is heard of, or once it has waited.
    private func checkInput() throws(Violation) {
        guard isStopped, isToBeWoken else { return }
        try demand(!isMidway || !wasFoundIdle, "found idle, it has taken what came, and sleeps on")
        guard let watch = tree.watch else { throw Violation("stopped, and its input isn't waited for") }
        guard watch.isComplete else { return }
        for (index, descriptor) in program.descriptors.enumerated() where descriptor.wakes && descriptor.isUnseen {
            let isToCome = watch.isPending(index, descriptor) || listeners[index].lookDue != nil
            try demand(isToCome, "what came by descriptor \(index) is lost")
        }
    }

    private func demand(_ condition: Bool, _ text: @autoclosure () -> String) throws(Violation) {
        if !condition { throw Violation(text()) }
    }
}
