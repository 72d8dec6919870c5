import CurfewCore

/// One app as the specification's words have it, written apart from the core: it adds up time, input by input, and
/// judges each effect.
///
/// It knows no deadlines and no countdowns: only how long what has lasted, and what may or must follow from that.
struct ReferenceApp {
    let id: AppID
    let policy: Policy
    let options: LaunchOptions

    // MARK: Where it is

    var state = LifecycleState.notRunning
    var hasStarted = false
    /// Killed, or swept after its leader.
    var isOver = false
    var isGone = false
    var kill: KillReason?
    var leader: ExitOutcome?
    /// Between the order to stop it and the order to continue it.
    var isStopped = false
    /// A terminal stopped it, and it wasn't continued since.
    var isStoppedByTerminal = false
    /// The same, until it is continued, also while we have stopped it.
    var wasStoppedByTerminal = false
    /// That was in background, where it stays so until something wants it to run.
    var staysStopped = false
    /// Asked to end: the time it has for that.
    var termination: Allowance?
    var willTerminate: Int?
    var hasAcknowledgedWillTerminate = false
    var wasSentSignal = false
    /// What its leader left behind has to be asked to end; it was; it was killed, so long after that.
    var mustAskRest = false
    var hasAskedRest = false
    /// Its age when it was asked to end by the signal.
    var askedAt: Int64?
    var restKilledAfter: Span?
    var isTraced = false
    var isReady = false
    var isStopping = false
    /// It said so of itself, and no debugger has been seen since.
    var isBroken = false

    // MARK: What is under way

    /// A tracer check was asked for and isn't answered yet.
    var awaitsTracer = false
    var awaitsMeasurement = false
    var awaitsCPUTime = false
    /// Requests without an answer yet.
    var unanswered: Set<RequestID> = []

    // MARK: What it was told, and what it owes

    /// Those that said hello.
    var connections: [ConnectionID] = []
    var tasks: [Task] = []
    var owed: [Owed] = []
    /// The hello that is demanded.
    var hello: Allowance?
    var hasHeardLaunch = false
    /// Posted while it was stopped.
    var kept: [PostedEvent] = []
    /// Waking events that no connection has heard of.
    var unheard: [(event: PostedEvent, isOfLaunch: Bool)] = []
    var lastSequence = 0
    var tasksBegun = 0
    var lastCPUTime: Span?

    // MARK: Time, in nanoseconds

    var age: Int64 = 0
    /// Its age at each resumption for a waking event that counts.
    var resumedAt: [Int64] = []
    /// In background since the last edge into it: neither stopped nor traced nor asked to end.
    var charged: Int64 = 0
    var isWarned = false
    var sinceWarning: Int64 = 0
    var grace: Span?
    var graceUsed: Int64 = 0
    var watchdogInterval: Span?
    /// Since the last sign of life, while one is owed.
    var withoutSign: Int64 = 0

    /// How often it is woken, and since when it hasn't been.
    var keepAlive: Span?
    var sinceKeepAlive: Int64 = 0

    // MARK: What must come of the present input

    /// It is to be told of keep-alive, and hasn't been.
    var owesKeepAlive = false

    var expected: [Expected] = []
    var expectedNotes: [Note] = []
    var wasWarnedInThisBatch = false
    var mustRun = false

    struct Task {
        var id: TaskID
        var owner: OwnerID
        var connection: ConnectionID?
    }

    /// An event that must be acknowledged.
    struct Owed {
        var sequence: Int
        var event: Event
        var allowance: Allowance
        /// Of what it has asked for: so long before the end it is told of that; nil: it isn't, or was.
        var lead: Span?
    }

    /// An event that has to be delivered next.
    struct Expected {
        var event: Event
        var info: [Info] = []
        var audience = Delivery.Audience.everybody
        var launch: LaunchDescription?
    }

    init(id: AppID, policy: Policy, options: LaunchOptions) {
        self.id = id
        self.policy = policy
        self.options = options
        watchdogInterval = policy.watchdogInterval
        if let event = options.wakingEvent { unheard = [(event, true)] }
    }

    var isAware: Bool { !connections.isEmpty }
    /// Never suspended, and its budget is never used up.
    var isContinuous: Bool { policy.backgroundModes?.list.contains(.continuous) ?? false }
    /// Whether it ends where others are suspended.
    var exitsOnSuspend: Bool { policy.exitsOnSuspend && !isContinuous }
    /// Whether anybody hears of its events.
    var isHeard: Bool { isAware || policy.announcesEvents }
    /// Hooks hear of a launch at once, unless a hello or READY is demanded: then with that.
    var launchAudience: Delivery.Audience { policy.requiresHello && !isReady ? .everybody : .connections }
    var isRunning: Bool { hasStarted && !isOver && !isStopped }
    var runsInBackground: Bool { isRunning && state == .background }
    /// A stop was ordered and not yet confirmed.
    var isBeingStopped: Bool { isStopped && state == .background }
    /// It counts as stopped all the same, and its stop isn't confirmed since.
    var isStoppingLate = false
    var isTerminating: Bool { termination != nil }
    var isHeldOff: Bool { isTraced || awaitsTracer }
    var hasLeader: Bool { leader == nil }
    /// Its leader has ended, and the rest of it is to end too.
    var isEndingRest: Bool { leader != nil && isTerminating && !policy.waitsForTree }
    var isWatched: Bool { hello != nil || !owed.isEmpty || isTerminating }
    var oldestOwed: Int? { owed.first?.sequence ?? (hasAcknowledgedWillTerminate ? nil : willTerminate) }
    /// Whether it is in front, or will be as soon as its program runs.
    var isInFront: Bool { state.isForeground || (!hasStarted && !isOver && !options.inBackground) }

    // MARK: Time

    mutating func elapse(_ span: Span) {
        sinceKeepAlive += span.nanoseconds
        guard hasStarted, !isOver else { return }
        let passed = span.nanoseconds
        age += passed
        if isTraced { return }
        for index in owed.indices { owed[index].allowance.used += passed }
        hello?.used += passed
        termination?.used += passed
        if owesSigns { withoutSign += passed }
        guard runsInBackground, !isTerminating else { return }
        if isContinuous { return }
        charged += passed
        if isWarned { sinceWarning += passed }
        if grace != nil { graceUsed += passed }
    }

    var budget: Int64 { policy.backgroundBudget.nanoseconds }
    var owedAfterWarning: Int64 { min(policy.expirationLead, policy.backgroundBudget).nanoseconds }
    /// An infinite budget is never used up.
    var isBudgetSpent: Bool { !policy.backgroundBudget.isInfinite && charged >= budget }
    var isWarningDue: Bool {
        !policy.backgroundBudget.isInfinite && !isContinuous && !isWarned && !tasks.isEmpty && runsInBackground
            && !isTerminating
            && charged >= budget - policy.expirationLead.nanoseconds
    }
    var isBudgetKillDue: Bool {
        isBudgetSpent && isWarned && !tasks.isEmpty && runsInBackground && !isTerminating
            && sinceWarning >= owedAfterWarning
    }
    var isGraceOver: Bool { grace.map { graceUsed >= $0.nanoseconds } ?? true }
    var graceLeft: Span {
        guard let grace else { return .zero }
        return grace.isInfinite ? .infinite : Span(nanoseconds: max(0, grace.nanoseconds - graceUsed))
    }

    var remaining: Span {
        if isInFront { return .infinite }
        if policy.backgroundBudget.isInfinite { return .infinite }
        return Span(nanoseconds: max(0, budget - charged))
    }

    // MARK: Signs of life

    /// Whether the launch is over, in an app that must say so.
    private var isLaunchOver: Bool {
        if !policy.requiresHello || isReady { return true }
        return hasHeardLaunch && !owed.contains { $0.event == .lifecycle(.didFinishLaunching) }
    }
    /// Whether signs of life are demanded: neither while suspended nor while being ended.
    var owesSigns: Bool { watchdogInterval != nil && isRunning && !isTerminating && isLaunchOver }
    var isSignDue: Bool { owesSigns && watchdogInterval.map { withoutSign >= $0.nanoseconds } == true }

    // MARK: The end of a batch

    /// A sign of life is owed anew wherever none was.
    mutating func finishBatch() {
        if !owesSigns { withoutSign = 0 }
        wasWarnedInThisBatch = false
        mustRun = false
    }

    /// Nothing is owed any more.
    mutating func endRun() {
        isOver = true
        tasks.removeAll()
        owed.removeAll()
        kept.removeAll()
        hello = nil
    }
}
