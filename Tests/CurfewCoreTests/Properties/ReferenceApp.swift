import CurfewCore

/// What was expected by the specification and didn't come, or came and wasn't expected.
struct Violation: Error {
    var text: String
    init(_ text: String) { self.text = text }
}

/// One app as the specification's words have it, written apart from the core: it adds up time, input by input, and
/// judges each effect.
///
/// It knows no deadlines and no countdowns: only how long what has lasted, and what may or must follow from that.
struct ReferenceApp {
    let id: AppID
    let policy: Policy
    let launchedInBackground: Bool

    private(set) var state = LifecycleState.notRunning
    private(set) var hasStarted = false
    /// Killed, or swept after its leader.
    private(set) var isOver = false
    private(set) var isGone = false
    private(set) var kill: KillReason?
    private(set) var leader: ExitOutcome?
    /// Between the order to stop it and the order to continue it.
    private(set) var isStopped = false
    /// A terminal stopped it, and it wasn't continued since.
    private(set) var isStoppedByTerminal = false
    private(set) var isTerminating = false
    private(set) var isTraced = false
    /// A tracer check was asked for and isn't answered yet.
    private(set) var awaitsTracer = false
    private(set) var awaitsMeasurement = false
    /// Those that said hello.
    private(set) var connections: [ConnectionID] = []
    private(set) var tasks: [Task] = []
    private(set) var owed: [Owed] = []
    /// Requests without an answer yet.
    private(set) var unanswered: Set<RequestID> = []

    /// Nanoseconds in background since the last edge into it: neither stopped nor traced nor asked to end.
    private var charged: Int64 = 0
    private var isWarned = false
    private var wasWarnedInThisBatch = false
    private var sinceWarning: Int64 = 0
    private var grace: Span?
    private var graceUsed: Int64 = 0
    private var demandsHello = false
    private var helloUsed: Int64 = 0
    private var hasHeardLaunch = false
    private var terminatingUsed: Int64 = 0
    private var willTerminate: Int?
    private var hasAcknowledgedWillTerminate = false
    private var wasSentSigterm = false
    private var age: Int64 = 0
    private var lastSequence = 0
    private var tasksBegun = 0

    struct Task {
        var id: TaskID
        var owner: OwnerID
        var connection: ConnectionID?
    }

    /// An event that must be acknowledged.
    struct Owed {
        var sequence: Int
        var event: LifecycleEvent
        var limit: Span
        var used: Int64 = 0
        var isOverdue: Bool { used >= limit.nanoseconds }
    }

    init(id: AppID, policy: Policy, launchedInBackground: Bool) {
        self.id = id
        self.policy = policy
        self.launchedInBackground = launchedInBackground
    }

    var isAware: Bool { !connections.isEmpty }
    var runsInBackground: Bool { state == .background && !isStopped && !isOver }
    /// A stop was ordered and not yet confirmed.
    var isBeingStopped: Bool { isStopped && state == .background }
    var hasLeader: Bool { leader == nil }
    var oldestOwed: Int? { owed.first?.sequence ?? (hasAcknowledgedWillTerminate ? nil : willTerminate) }

    // MARK: Time

    mutating func elapse(_ span: Span) {
        guard hasStarted, !isOver else { return }
        let passed = span.nanoseconds
        age += passed
        if isTraced { return }
        for index in owed.indices { owed[index].used += passed }
        if demandsHello { helloUsed += passed }
        if isTerminating { terminatingUsed += passed }
        guard runsInBackground, !isTerminating else { return }
        charged += passed
        if isWarned { sinceWarning += passed }
        if grace != nil { graceUsed += passed }
    }

    private var budget: Int64 { policy.backgroundBudget.nanoseconds }
    private var owedAfterWarning: Int64 { min(policy.expirationLead, policy.backgroundBudget).nanoseconds }
    /// An infinite budget is never used up.
    private var isBudgetSpent: Bool { !policy.backgroundBudget.isInfinite && charged >= budget }
    private var isWarningDue: Bool {
        !policy.backgroundBudget.isInfinite && !isWarned && !tasks.isEmpty && runsInBackground && !isTerminating
            && charged >= budget - policy.expirationLead.nanoseconds
    }
    private var isBudgetKillDue: Bool {
        isBudgetSpent && isWarned && !tasks.isEmpty && runsInBackground && !isTerminating
            && sinceWarning >= owedAfterWarning
    }
    private var isGraceOver: Bool { grace.map { graceUsed >= $0.nanoseconds } ?? true }

    var remaining: Span {
        if state.isForeground || (!hasStarted && !launchedInBackground) { return .infinite }
        if policy.backgroundBudget.isInfinite { return .infinite }
        return Span(nanoseconds: max(0, budget - charged))
    }

    // MARK: Inputs

    /// What an input does by itself; returns the replies it must have.
    mutating func take(_ input: Input) throws(Violation) -> [RequestID: Reply] {
        wasWarnedInThisBatch = false
        switch input {
        case .started: start()
        case .leaderExited(_, let outcome): leader = leader ?? outcome
        case .home(_, _, let request), .open(_, let request), .quit(_, let request):
            if let request { unanswered.insert(request) }
            if case .quit = input { takeQuit() }
            if case .home(_, stopped: true, _) = input, state.isForeground, !isTerminating {
                isStoppedByTerminal = true
            }
        case .hello(_, let connection):
            guard !isOver, !isTerminating, !connections.contains(connection) else { break }
            connections.append(connection)
            grace = nil
        case .disconnected(_, let connection): disconnect(connection)
        case .acknowledge(_, let sequence):
            owed.removeAll { $0.sequence == sequence }
            if sequence == willTerminate { hasAcknowledgedWillTerminate = true }
        case .beginTask(_, _, let owner, let connection, let request):
            unanswered.insert(request)
            return [request: begin(owner: owner, connection: connection)]
        case .endTask(_, let task, let request):
            unanswered.insert(request)
            let isKnown = tasks.contains { $0.id == task }
            tasks.removeAll { $0.id == task }
            return [request: .taskEnded(task, known: isKnown)]
        case .ownerExited(_, let owner): tasks.removeAll { $0.owner == owner }
        case .tracerChecked: awaitsTracer = false
        case .footprintMeasured: awaitsMeasurement = false
        case .launch, .treeGone, .suspensionConfirmed, .suspensionIncomplete, .memoryLimitHit, .stoppedByTerminal,
            .tick:
            break
        }
        return [:]
    }

    private mutating func start() {
        guard !isOver else { return }
        hasStarted = true
        demandsHello = policy.requiresHello && !hasHeardLaunch
        if launchedInBackground, !isAware { grace = policy.grace ?? policy.wakeLimit }
    }

    private mutating func takeQuit() {
        guard hasStarted, !isOver, !isTerminating else { return }
        if isStopped, policy.terminateSuspended == .kill { return }
        isTerminating = true
        owed.removeAll()
        demandsHello = false
    }

    private mutating func disconnect(_ connection: ConnectionID) {
        for index in tasks.indices where tasks[index].connection == connection { tasks[index].connection = nil }
        guard connections.contains(connection) else { return }
        connections.removeAll { $0 == connection }
        guard connections.isEmpty else { return }
        if policy.requiresHello, let launch = owed.first(where: { $0.event == .didFinishLaunching }) {
            let left = max(0, launch.limit.nanoseconds - launch.used)
            helloUsed = policy.launchLimit.nanoseconds - left
            demandsHello = true
            hasHeardLaunch = false
        }
        owed.removeAll()
    }

    private mutating func begin(owner: OwnerID, connection: ConnectionID?) -> Reply {
        if isTerminating || kill != nil { return .rejected(.terminating) }
        if isOver { return .rejected(.notRunning) }
        let isInFront = state.isForeground || (!hasStarted && !launchedInBackground)
        if !isInFront, isWarned || isBudgetSpent { return .rejected(.expired) }
        if tasks.count >= 1000 { return .rejected(.tooManyTasks) }
        tasksBegun += 1
        let id = TaskID(tasksBegun)
        tasks.append(Task(id: id, owner: owner, connection: connection))
        return .taskBegun(id, remaining: remaining)
    }

    // MARK: Effects

    mutating func judge(_ effect: Effect, of input: Input) throws(Violation) {
        guard !isGone else { throw Violation("an effect after the end: \(effect)") }
        switch effect {
        case .deliver(_, let delivery): try judge(delivery)
        case .suspend: try judgeSuspension()
        case .resume: try judgeResumption(of: input)
        case .terminate:
            guard isTerminating, !isAware, !isStopped, !isOver else { throw Violation("SIGTERM out of place") }
            wasSentSigterm = true
        case .kill(_, let report): try judge(report, of: input)
        case .sweep(_, let kills):
            guard leader != nil, kill == nil, kills != policy.waitsForTree else { throw Violation("wrong sweep") }
            if kills { endRun() }
        case .ended(_, let ending): try judge(ending)
        case .stateChanged(_, let from, let to): try change(from, to)
        case .measureFootprint:
            guard policy.memory?.isEnforcedByKernel == false else { throw Violation("measured without need") }
            guard hasStarted, !isStopped, !isOver else { throw Violation("measured while it doesn't run") }
            awaitsMeasurement = true
        case .checkTracer:
            guard !awaitsTracer else { throw Violation("a second tracer check before the first is answered") }
            awaitsTracer = true
        case .note(_, let note): try judge(note, of: input)
        case .reply: break
        }
    }

    mutating func answered(_ request: RequestID, _ reply: Reply, expected: Reply?) throws(Violation) {
        guard unanswered.remove(request) != nil else { throw Violation("request \(request.rawValue) answered twice") }
        if let expected {
            guard reply == expected else { throw Violation("reply \(reply), expected \(expected)") }
        } else {
            guard reply == .state(state) else { throw Violation("reply \(reply) in \(state)") }
        }
    }

    private mutating func change(_ from: LifecycleState, _ to: LifecycleState) throws(Violation) {
        guard from == state, to != from else { throw Violation("\(from) -> \(to) while in \(state)") }
        if from == .suspended, to != .notRunning, !isStopped { throw Violation("suspended, and not stopped") }
        if to == .suspended, !isStopped { throw Violation("suspended without a stop") }
        state = to
        if to == .notRunning { endRun() }
        if to.isForeground {
            owed.removeAll { $0.event == .didEnterBackground }
            grace = nil
            isWarned = false
        }
        if from.isForeground, to == .background {
            charged = 0
            isWarned = false
            grace = isAware ? nil : policy.grace
            graceUsed = 0
        }
    }

    private mutating func endRun() {
        isOver = true
        tasks.removeAll()
        owed.removeAll()
        demandsHello = false
    }

    private mutating func judge(_ delivery: Delivery) throws(Violation) {
        let event = delivery.event
        guard hasStarted, !isOver else { throw Violation("\(event) delivered to an app that doesn't run") }
        guard !isStopped else { throw Violation("\(event) delivered to a suspended app") }
        guard delivery.sequence == lastSequence + 1 else { throw Violation("\(event) out of sequence") }
        lastSequence = delivery.sequence
        var listeners = connections
        switch event {
        case .didFinishLaunching:
            let limit = demandsHello ? policy.launchLimit - Span(nanoseconds: helloUsed) : policy.launchLimit
            guard !hasHeardLaunch, delivery.limit == max(limit, .zero),
                delivery.launchedInBackground == launchedInBackground
            else { throw Violation("wrong launch: \(delivery)") }
            hasHeardLaunch = true
            demandsHello = false
            owed.append(Owed(sequence: delivery.sequence, event: event, limit: max(limit, .zero)))
        case .didBecomeActive, .willEnterForeground:
            guard state == .active, delivery.limit == nil else { throw Violation("\(event) in \(state)") }
        case .willResignActive:
            guard state == .background, delivery.limit == nil else { throw Violation("\(event) in \(state)") }
        case .didEnterBackground:
            guard state == .background, delivery.limit == policy.enterBackgroundLimit else {
                throw Violation("\(event) in \(state), limit \(String(describing: delivery.limit))")
            }
            owed.append(Owed(sequence: delivery.sequence, event: event, limit: policy.enterBackgroundLimit))
        case .backgroundTaskWillExpire:
            guard isWarned, let task = tasks.first(where: { $0.id == delivery.task }) else {
                throw Violation("an expiration of no task")
            }
            let left = max(budget - charged, owedAfterWarning - sinceWarning)
            guard delivery.limit == Span(nanoseconds: left) else { throw Violation("wrong time left: \(delivery)") }
            if let beginner = task.connection, !listeners.contains(beginner) { listeners.append(beginner) }
        case .willTerminate:
            guard isTerminating, willTerminate == nil, delivery.limit == policy.terminateLimit else {
                throw Violation("\(event) unasked")
            }
            willTerminate = delivery.sequence
        }
        guard delivery.connections == listeners, !listeners.isEmpty else {
            throw Violation("\(event) to \(delivery.connections), expected \(listeners)")
        }
        if isTerminating, event != .willTerminate { throw Violation("\(event) while it is being ended") }
    }

    private mutating func judgeSuspension() throws(Violation) {
        guard runsInBackground else { throw Violation("suspended in \(state)") }
        guard tasks.isEmpty else { throw Violation("suspended with tasks open") }
        guard owed.isEmpty, !demandsHello else { throw Violation("suspended while it owes an acknowledgement") }
        guard isGraceOver else { throw Violation("suspended within its grace") }
        guard !isTraced, !awaitsTracer else { throw Violation("suspended while traced, or perhaps traced") }
        guard !isTerminating else { throw Violation("suspended while it is being ended") }
        isStopped = true
        isStoppedByTerminal = false
        grace = nil
    }

    private mutating func judgeResumption(of input: Input) throws(Violation) {
        guard isStopped || isStoppedByTerminal, !isOver else { throw Violation("continued, and wasn't stopped") }
        isStopped = false
        isStoppedByTerminal = false
    }

    private mutating func judge(_ report: KillReport, of input: Input) throws(Violation) {
        guard kill == nil else { throw Violation("killed twice") }
        guard report.state == state else { throw Violation("the report says \(report.state) in \(state)") }
        guard report.tasks.map(\.id) == tasks.map(\.id) else { throw Violation("wrong tasks in the report") }
        guard isJustified(report, by: input) else { throw Violation("killed for \(report.reason.rawValue)") }
        kill = report.reason
        endRun()
    }

    private func isJustified(_ report: KillReport, by input: Input) -> Bool {
        let isHeldOff = isTraced || awaitsTracer
        switch report.reason {
        case .timeLimit: return hasStarted && !isOver && age >= policy.timeLimit.nanoseconds
        case .launchWatchdog:
            let isHelloLate = demandsHello && helloUsed >= policy.launchLimit.nanoseconds
            return !isHeldOff && (isHelloLate || owed.contains { $0.event == .didFinishLaunching && $0.isOverdue })
        case .sceneUpdateWatchdog:
            return !isHeldOff && owed.contains { $0.event == .didEnterBackground && $0.isOverdue }
        case .processExitWatchdog:
            return !isHeldOff && isTerminationOverdue
        case .backgroundTaskTimeout:
            return !isHeldOff && isBudgetKillDue && (!wasWarnedInThisBatch || owedAfterWarning == 0)
        case .memoryLimit:
            guard let memory = policy.memory else { return false }
            if case .footprintMeasured(id, let bytes) = input { return bytes > memory.fatalLimit }
            if case .memoryLimitHit(id, _) = input { return true }
            return false
        case .userQuit:
            if case .quit(id, _) = input { return !hasStarted || isStopped && policy.terminateSuspended == .kill }
            return false
        case .tooManyTasks: return tasks.count >= 1000
        case .supervisorExit: return false
        }
    }

    private var isTerminationOverdue: Bool { isTerminating && terminatingUsed >= policy.terminateLimit.nanoseconds }

    private mutating func judge(_ note: Note, of input: Input) throws(Violation) {
        switch note {
        case .expirationWarning(let warned):
            guard isWarningDue, !isTraced, !awaitsTracer else { throw Violation("warned out of time") }
            guard warned == tasks.map(\.id) else { throw Violation("warned of the wrong tasks") }
            isWarned = true
            wasWarnedInThisBatch = true
            sinceWarning = 0
        case .traced(let now):
            guard case .tracerChecked(id, now) = input, now != isTraced else { throw Violation("wrong tracer note") }
            isTraced = now
        case .becameAware where !isOver:
            guard connections.count == 1 else { throw Violation("aware with \(connections.count) connections") }
        case .becamePlain where !isOver:
            guard connections.isEmpty else { throw Violation("plain with connections") }
        case .taskBegun(let task, _):
            guard tasks.last?.id == task else { throw Violation("another task begun") }
        case .taskEnded(let task, _), .taskReleased(let task, _):
            guard !tasks.contains(where: { $0.id == task }) else { throw Violation("ended, and still open") }
        case .becameAware, .becamePlain, .unknownTaskEnded, .unknownAcknowledgement, .acknowledged,
            .suspensionIncomplete:
            break
        }
    }

    private mutating func judge(_ ending: Ending) throws(Violation) {
        isGone = true
        let expected: Ending.Status
        if let kill {
            expected = .exit(kill.exitStatus)
        } else {
            switch leader {
            case .exited(let code): expected = .exit(Int32(code))
            case .signaled(15, _) where wasSentSigterm: expected = .exit(143)
            case .signaled(let signal, _): expected = .raise(signal: signal)
            case nil: expected = .exit(125)
            }
        }
        guard ending.status == expected else { throw Violation("ended with \(ending.status), expected \(expected)") }
    }

    // MARK: After each batch

    /// What must have happened by now, and hasn't.
    func checkNothingMissing(after input: Input) throws(Violation) {
        if isGone || isOver {
            guard unanswered.isEmpty else { throw Violation("unanswered when the app is over") }
            return
        }
        if !unanswered.isEmpty, !isBeingStopped, !awaitsTracer {
            throw Violation("a request waits for a suspension that isn't under way")
        }
        guard hasStarted else { return }
        if isAware, !hasHeardLaunch, !isStopped, !isTerminating {
            throw Violation("it runs, said hello, and hasn't heard of its launch")
        }
        if isStoppedByTerminal, !awaitsTracer {
            throw Violation("left as the terminal stopped it")
        }
        let isHeldOff = isTraced || awaitsTracer
        if runsInBackground, !isTerminating, !isHeldOff, tasks.isEmpty, owed.isEmpty, !demandsHello,
            grace == nil || input == .tick && isGraceOver
        {
            throw Violation("it has nothing to run for in background, and isn't suspended")
        }
        switch input {
        case .open(id, _) where !isTerminating:
            guard state == .active else { throw Violation("opened, and \(state)") }
        case .home(id, _, _) where !isTerminating:
            guard !state.isForeground else { throw Violation("sent home, and \(state)") }
        case .suspensionConfirmed(id), .suspensionIncomplete(id):
            if isBeingStopped { throw Violation("confirmed, and not suspended") }
        case .tick: try checkNothingDue(isHeldOff: isHeldOff)
        default: break
        }
    }

    private func checkNothingDue(isHeldOff: Bool) throws(Violation) {
        if age >= policy.timeLimit.nanoseconds { throw Violation("over its time limit") }
        if isHeldOff { return }
        if let late = owed.first(where: \.isOverdue) { throw Violation("\(late.event) is overdue") }
        if demandsHello, helloUsed >= policy.launchLimit.nanoseconds { throw Violation("hello is overdue") }
        if isTerminationOverdue { throw Violation("over its terminate limit") }
        if isWarningDue { throw Violation("not warned in time") }
        if isBudgetKillDue { throw Violation("over its budget") }
    }

    /// Compares with what the core shows of the app.
    func compare(with app: App, at now: Instant) throws(Violation) {
        guard app.state == state else { throw Violation("state \(app.state), expected \(state)") }
        guard app.isTraced == isTraced || isOver else { throw Violation("isTraced \(app.isTraced)") }
        guard app.isAware == isAware || isOver else { throw Violation("isAware \(app.isAware)") }
        guard app.tasks.elementsEqual(tasks, by: { $0.id == $1.id }) else { throw Violation("other tasks are open") }
        guard app.unacknowledgedEvents.elementsEqual(owed, by: { $0 == $1.event }) else {
            throw Violation("owes \(app.unacknowledgedEvents), expected \(owed.map(\.event))")
        }
        if isOver { return }
        let left = app.remaining(at: now)
        guard left == remaining else { throw Violation("\(left) left, expected \(remaining)") }
    }
}
