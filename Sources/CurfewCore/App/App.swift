/// One app's life: its state, its clock, its background tasks, and what is owed to it and by it.
///
/// Every deadline is derived from this value, so a tick that comes early or twice changes nothing.
/// Its parts own their data, have transitions of their own, and answer with what follows: `Phase` (with `Away`,
/// `BackgroundBudget`, `CPUMeter` and `LockDeferral`), `BackgroundTasks`, `Channel`, `Mailbox`, `NotifyState`,
/// `MemoryMeter`, `TimeoutProgress`, `TracerCheck`, `Idleness`, `KeepAlive`, `SharedListeners` and `Resumptions`.
/// Whatever it is told comes in by `App+Input`. What concerns more than one part, and makes effects of their answers,
/// is in the files beside this one, by topic: `App+Home`, `App+Interruption`, `App+Tasks`, `App+Channel`,
/// `App+Posting`, `App+Requests`, `App+Ending`, `App+ServiceNotification`, `App+Deadlines`, `App+Tracing`,
/// `App+Memory`, `App+CPU`, `App+Locks`, `App+Suspended`, `App+Sleep`, `App+KeepAlive`, `App+Timeout`, `App+Retries`.
public struct App: Sendable, Hashable {
    public let id: AppID
    let terms: Terms
    /// When `state` last changed, by lifecycle time.
    public internal(set) var stateSince: Instant
    /// When the program was executed, by lifecycle time; nil before.
    public internal(set) var startedAt: Instant?

    var phase = Phase()
    var end: End?
    var leader: ExitOutcome?
    var wasTerminated = false
    /// When all of it, or what its main process has left behind, was asked to end by a signal; by lifecycle time.
    var askedInstant: Instant?
    var restKilledAfter: Span?
    /// The kernel hasn't stopped it yet, or not ended it.
    var retries: Retries?
    /// Its end is awaited: whenever a child ends it is asked whether it is there.
    public internal(set) var isLeaving = false
    /// Where it was when its main process ended.
    var stateAtExit: LifecycleState?
    var backgroundTasks = BackgroundTasks()
    var channel = Channel()
    var mailbox: Mailbox
    var notify: NotifyState
    /// Nil where nobody watches its memory.
    var memory: MemoryMeter?
    /// The CPU time it had used when that was last measured.
    var cpuTime: Span?
    /// Requests that wait for the suspension to be confirmed.
    var suspensionRequests: [RequestID] = []
    /// For waking events.
    var resumptions = Resumptions()
    /// Of a time limit that is kept as timeout(1) keeps it.
    var limit = TimeoutProgress()
    var tracer = TracerCheck()
    var idle = Idleness.unwatched
    /// When input woke it last; nil once it has had its chance to read it. In real time, as what it reads comes.
    var lastInput: Instant?
    var keepAlive = KeepAlive.off
    var shared = SharedListeners.none
    /// What was last named as keeping it awake.
    var lastObstacle: String?

    /// Indirect, as other large and rare cases of the core are: what is passed on at each step is copied, and stays small.
    indirect enum End: Sendable, Hashable {
        /// Asked to end; `sequence` is that of `willTerminate`, nil once heard, and for a plain app.
        case terminating(Watchdog, sequence: Int?)
        case killed(KillReport)
    }

    /// `neighbour`: another's, which are this one's too where they say the same: of thousands most do.
    init(id: AppID, policy: Policy, options: LaunchOptions, at now: Moment, neighbour: Terms? = nil) {
        self.id = id
        let isSame = neighbour.map { $0.policy == policy && $0.options == options } ?? false
        terms = isSame ? neighbour ?? Terms(policy: policy, options: options) : Terms(policy: policy, options: options)
        mailbox = Mailbox(launchEvent: options.wakingEvent)
        notify = NotifyState(watchdogInterval: policy.watchdogInterval)
        memory = policy.memory == nil ? nil : MemoryMeter()
        stateSince = now.lifecycle
    }

    public var policy: Policy { terms.policy }
    public var options: LaunchOptions { terms.options }

    /// Open tasks, in the order of `begin`.
    public var tasks: [BackgroundTask] { backgroundTasks.open }

    /// Whether a debugger outside the tree holds it: it is then neither suspended nor killed by a watchdog.
    public var isTraced: Bool { tracer.isTraced }

    /// Where the app is; a suspension not yet confirmed still counts as where it was before.
    public var state: LifecycleState {
        switch phase.place {
        case .starting, .over: .notRunning
        case .foreground(let isActive): isActive ? .active : .inactive
        case .suspended(isConfirmed: false) where phase.stay.isAsleep: .active
        case .running, .suspended(isConfirmed: false): .background
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
        switch phase.place {
        case .running, .suspended: phase.stay.budget.hasExpired(at: now)
        case .starting, .foreground, .over: remaining(at: now) == .zero
        }
    }

    /// The background time it has left: infinite in the foreground.
    public func remaining(at now: Moment) -> Span {
        switch phase.place {
        case .starting: launchedInBackground ? policy.backgroundBudget : .infinite
        case .foreground: .infinite
        case .running, .suspended: phase.stay.budget.remaining(at: now)
        case .over(let remaining, _): remaining
        }
    }

    /// The event of that number, as long as it is owed an answer.
    public func unacknowledgedEvent(_ sequence: Int) -> Event? {
        channel.pending.first { $0.sequence == sequence }?.event
    }

    /// The events whose acknowledgement is still owed, oldest first.
    public var unacknowledgedEvents: [Event] { channel.pending.map(\.event) }

    /// The names of the changes kept for it while it is suspended.
    public var keptChangeNames: [String] { mailbox.changes.map(\.name) }

    /// What a plain app without a task may still run in background; nil when nothing of the kind counts.
    public func graceRemaining(at now: Moment) -> Span? {
        tasks.isEmpty && end == nil ? phase.run?.grace?.remaining(at: now) : nil
    }

    /// Whether a watchdog runs whose report tells the CPU time used meanwhile.
    public var isWatched: Bool { channel.owes || isTerminating }

    /// Whether it has something to do yet: an answer, its launch, its end, the last of its tasks once it was warned, or what
    /// a plain app does in its grace.
    public var owes: Bool {
        if isWatched { return true }
        return phase.isAway && phase.stay.budget.isWarned && !tasks.isEmpty || phase.run?.grace != nil
    }

    public var launchedInBackground: Bool { options.inBackground }

    var isInForeground: Bool {
        switch phase.place {
        case .starting: !launchedInBackground
        case .foreground: true
        case .running, .suspended, .over: false
        }
    }

    var isRunning: Bool { phase.isRunning }

    var runsInBackground: Bool { phase.isRunningAway }

    /// Whether the stop has been ordered, confirmed or not.
    var isSuspending: Bool { phase.isSuspending }

    var isStoppedByTerminal: Bool { phase.isAway && phase.stay.isStoppedByTerminal }

    // MARK: Moving

    /// What is compared when it has moved.
    struct Standing {
        let state: LifecycleState
        let isInForeground: Bool
        let isThrottled: Bool
    }

    var standing: Standing { Standing(state: state, isInForeground: isInForeground, isThrottled: isThrottled) }

    mutating func enterForeground(isActive: Bool, at now: Moment, into effects: inout [Effect]) {
        let before = standing
        phase.enterForeground(isActive: isActive)
        moved(from: before, at: now, into: &effects)
    }

    /// What it has left stays as it is; one that ends in front would have had a new budget.
    mutating func enterOver(at now: Moment, into effects: inout [Effect]) {
        let before = standing
        let remaining = isInForeground ? policy.backgroundBudget : remaining(at: now)
        phase.end(remaining: remaining, isThrottled: before.isThrottled)
        moved(from: before, at: now, into: &effects)
    }

    /// Starts and stops the clocks that depend on where it is, and tells of the change; other things hold in front and
    /// behind.
    mutating func moved(from before: Standing, at now: Moment, into effects: inout [Effect]) {
        retries = nil
        updateClocks(at: now)
        if policy.sleep != nil {
            // In front and behind it is idle for other reasons.
            idle.end()
            updateIdle(at: now)
        }
        let state = state
        guard state != before.state else { return }
        stateSince = now.lifecycle
        effects.append(.stateChanged(id, from: before.state, to: state))
        if before.isInForeground == isInForeground || phase.isOver { return }
        if policy.yieldsInBackground { effects.append(.setPriority(id, isLowered: !isInForeground)) }
        if before.isThrottled, isInForeground { effects.append(.throttle(id, nil)) }
    }

    /// The budget runs in background only, and of those only that may be suspended; no clock runs while a debugger holds the app.
    mutating func updateClocks(at now: Moment) {
        let isRunning = isRunning
        let runsClocks = isRunning && end == nil && !isTraced
        notify.set(running: runsClocks, at: now)
        guard phase.isAway else { return }
        phase.stay.setClocks(running: runsClocks && !policy.isContinuous, at: now)
        if policy.backgroundCPU != nil { phase.stay.cpu.watch(runsClocks, at: now) }
    }

    func countdown(_ span: Span, at now: Moment) -> Countdown {
        Countdown(span, startingAt: isTraced ? nil : now)
    }

    func watchdog(_ limit: Span, at now: Moment) -> Watchdog { Watchdog(limit, startingAt: isTraced ? nil : now) }
}
