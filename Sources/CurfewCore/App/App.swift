/// One app's life: its state, its clock, its background tasks, and what is owed to it and by it.
///
/// Every deadline is derived from this value, so a tick that comes early or twice changes nothing.
/// The files beside this one hold its transitions by topic: `App+Home`, `App+Interruption`, `App+Tasks`, `App+Channel`,
/// `App+Posting`, `App+Notification`, `App+Ending`, `App+Deadlines`, `App+Tracing`, `App+Memory`, `App+CPU`, `App+Locks`,
/// `App+Suspended`, `App+Timeout`, `App+Retries`.
public struct App: Sendable, Hashable {
    public let id: AppID
    let terms: Terms
    /// When `state` last changed, by lifecycle time.
    public internal(set) var stateSince: Instant
    /// When the program was executed, by lifecycle time; nil before.
    public internal(set) var startedAt: Instant?
    /// Whether it is held to its share of CPU time.
    public internal(set) var isThrottled = false
    /// The locked files it was suspended with.
    public internal(set) var heldLocks: [FileLock] = []

    var phase = Phase.starting
    var end: End?
    var leader: ExitOutcome?
    var wasTerminated = false
    /// When all of it, or what its leader has left behind, was asked to end by a signal; by lifecycle time.
    var askedInstant: Instant?
    var restKilledAfter: Span?
    /// A terminal has stopped it; it is continued with the rest when it is resumed, or when it is owed time.
    var isStoppedByTerminal = false
    /// The kernel hasn't stopped it yet, or not ended it.
    var retries: Retries?
    /// Its end is awaited: whenever a child ends it is asked whether it is there.
    public internal(set) var isLeaving = false
    /// Where it was when its leader ended.
    var stateAtExit: LifecycleState?
    /// The background budget: runs in background, is refilled at each edge into it.
    var budget: Countdown
    /// What is owed from the delivery of the expiration warning; nil before it.
    var warning: Countdown?
    /// What a plain app may still run in background without a task.
    var grace: Countdown?
    var backgroundTasks = BackgroundTasks()
    var channel = Channel()
    var mailbox: Mailbox
    var notify: NotifyState
    /// Nil where nobody watches its memory.
    var memory: MemoryWatch?
    /// The CPU time it had used when that was last measured.
    var cpuTime: Span?
    /// Requests that wait for the suspension to be confirmed.
    var suspensionRequests: [RequestID] = []
    /// When it last left the foreground, by lifecycle time.
    var leftForegroundAt: Instant?
    var cpuWindow: CPUWindow?
    var nextCPUMeasurement: Instant?
    /// Its CPU limit was passed, and it is to be killed for it.
    var cpuExcess: CPUExcess?
    var hasPassedCPULimit = false
    /// The suspension waits for locks to be let go.
    var lockDeferral: LockDeferral?
    var nextPageOut: Instant?
    /// Some of its memory has been moved, and there is more.
    public internal(set) var isPagingOut = false
    /// For waking events.
    var resumptions = Resumptions()
    /// Of a time limit that is kept as timeout(1) keeps it.
    var limit = TimeoutProgress()
    var tracer = TracerWatch()

    enum Phase: Sendable, Hashable {
        case starting
        case foreground(isActive: Bool)
        case background
        case suspended(isConfirmed: Bool)
        case over
    }

    /// Indirect, as other large and rare cases of the core are: what is passed on at each step is copied, and stays small.
    indirect enum End: Sendable, Hashable {
        /// Asked to end; `sequence` is that of `willTerminate`, nil once heard, and for a plain app.
        case terminating(Watchdog, sequence: Int?)
        case killed(KillReport)
    }

    init(id: AppID, policy: Policy, options: LaunchOptions, at now: Moment) {
        self.id = id
        terms = Terms(policy: policy, options: options)
        mailbox = Mailbox(launchEvent: options.wakingEvent)
        notify = NotifyState(watchdogInterval: policy.watchdogInterval)
        memory = policy.memory == nil ? nil : MemoryWatch()
        stateSince = now.lifecycle
        budget = Countdown(policy.backgroundBudget)
    }

    public var policy: Policy { terms.policy }
    public var options: LaunchOptions { terms.options }

    /// Open tasks, in the order of `begin`.
    public var tasks: [BackgroundTask] { backgroundTasks.open }

    /// Whether a debugger outside the tree holds it: it is then neither suspended nor killed by a watchdog.
    public var isTraced: Bool { tracer.isTraced }

    /// Where the app is; a suspension not yet confirmed still counts as `background`.
    public var state: LifecycleState {
        switch phase {
        case .starting, .over: .notRunning
        case .foreground(let isActive): isActive ? .active : .inactive
        case .background, .suspended(isConfirmed: false): .background
        case .suspended(isConfirmed: true): .suspended
        }
    }

    /// Whether a connection of it said `hello`; any other app is plain.
    public var isAware: Bool { channel.isAware }

    /// Whether it was asked to end and may still do so by itself.
    public var isTerminating: Bool {
        if case .terminating = end { true } else { false }
    }

    /// Whether its budget is spent, as far as `begin` is concerned.
    public func hasExpired(at now: Moment) -> Bool {
        !isInForeground && (warning != nil || budget.isOver(at: now))
    }

    /// The background time it has left: infinite in the foreground.
    public func remaining(at now: Moment) -> Span {
        isInForeground ? .infinite : budget.remaining(at: now)
    }

    /// The events whose acknowledgement is still owed, oldest first.
    public var unacknowledgedEvents: [Event] { channel.pending.map(\.event) }

    /// The names of the changes kept for it while it is suspended.
    public var keptChangeNames: [String] { mailbox.changes.map(\.name) }

    /// What a plain app without a task may still run in background; nil when nothing of the kind counts.
    public func graceRemaining(at now: Moment) -> Span? {
        phase == .background && tasks.isEmpty && end == nil ? grace?.remaining(at: now) : nil
    }

    /// Whether a watchdog runs whose report tells the CPU time used meanwhile.
    public var isWatched: Bool { channel.owes || isTerminating }

    /// Whether it has something to do yet: an answer, its launch, its end, the last of its tasks once it was warned, or what
    /// a plain app does in its grace.
    public var owes: Bool {
        isWatched || warning != nil && !tasks.isEmpty || phase == .background && grace != nil
    }

    public var launchedInBackground: Bool { options.inBackground }

    var isInForeground: Bool {
        switch phase {
        case .starting: !launchedInBackground
        case .foreground: true
        case .background, .suspended, .over: false
        }
    }

    var isRunning: Bool {
        switch phase {
        case .foreground, .background: true
        case .starting, .suspended, .over: false
        }
    }

    /// Moves to a phase, starts and stops the clocks that depend on it, and tells of the change.
    mutating func enter(_ newPhase: Phase, at now: Moment, into effects: inout [Effect]) {
        let old = state
        let wasInForeground = isInForeground
        phase = newPhase
        let crossesEdge = wasInForeground != isInForeground && phase != .over
        if crossesEdge { crossedEdge(at: now) }
        if phase != .background { lockDeferral = nil }
        retries = nil
        if !isSuspending { leftSuspension() }
        updateClocks(at: now)
        guard state != old else { return }
        stateSince = now.lifecycle
        effects.append(.stateChanged(id, from: old, to: state))
        if crossesEdge { yieldOrNot(into: &effects) }
    }

    private mutating func leftSuspension() {
        nextPageOut = nil
        isPagingOut = false
        heldLocks.removeAll()
    }

    /// Between foreground and background: other limits hold.
    private mutating func crossedEdge(at now: Moment) {
        leftForegroundAt = isInForeground ? nil : now.lifecycle
        if !isInForeground { rearmCPULimit() }
    }

    private mutating func yieldOrNot(into effects: inout [Effect]) {
        if policy.yieldsInBackground { effects.append(.setPriority(id, isLowered: !isInForeground)) }
        if isInForeground { unthrottle(into: &effects) }
    }

    /// The budget runs in background only, and no clock runs while a debugger holds the app.
    mutating func updateClocks(at now: Moment) {
        let runsBudget = phase == .background && end == nil && !isTraced
        if runsBudget {
            budget.start(at: now)
            warning?.start(at: now)
            grace?.start(at: now)
        } else {
            budget.pause(at: now)
            warning?.pause(at: now)
            grace?.pause(at: now)
        }
        let owesSignsOfLife = isRunning && end == nil && !isTraced
        notify.set(running: owesSignsOfLife, at: now)
        updateCPUWatch(at: now)
    }

    func countdown(_ span: Span, at now: Moment) -> Countdown {
        Countdown(span, startingAt: isTraced ? nil : now)
    }

    func watchdog(_ limit: Span, at now: Moment) -> Watchdog { Watchdog(limit, startingAt: isTraced ? nil : now) }
}
