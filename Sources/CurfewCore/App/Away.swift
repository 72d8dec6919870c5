/// One stay in background, suspended or not: from leaving the foreground, or from a launch into background, until it is
/// opened or over.
struct Away: Sendable, Hashable {
    var budget: BackgroundBudget
    var cpu = CPUMeter()
    /// When it left the foreground, by lifecycle time; nil for one that hasn't been there.
    let leftForegroundAt: Instant?
    /// A terminal has stopped it; it is continued with the rest when it is resumed, or when it is owed time.
    var isStoppedByTerminal = false
    /// Since it last began to run there; means something as long as it does.
    var run: Run
    /// Since its stop was last ordered; means something until it is resumed.
    var suspension = Suspension()
    /// It fell asleep in front, and hasn't left it.
    var isAsleep = false
    /// No place in front was free when it was last told something: awake it would be behind. Of one that is asleep.
    var isPlaceTaken = false
    /// Somebody has asked for it; else it was idle.
    var isAskedToSleep = false
    /// No input wakes it before it is opened.
    var ignoresInput = false

    /// What lets it run on there, and what keeps it from being suspended.
    struct Run: Sendable, Hashable {
        /// What a plain app may still run without a task.
        var grace: Countdown?
        /// The suspension waits for locks to be let go.
        var lockDeferral: LockDeferral?
        /// Input has woken it, and it runs on until it is idle.
        var awaitsQuiet = false
        /// Input has woken it, and it has all of its time for that.
        var isForInput = false
        /// It is to be stopped now, for having been idle.
        var wasFoundIdle = false

        init(grace: Countdown?) { self.grace = grace }
    }

    struct Suspension: Sendable, Hashable {
        /// When its stop was ordered it had hardly run since input woke it, so that what is unread isn't so on purpose.
        var isInputFresh = false
        /// The locked files it was suspended with.
        var heldLocks: [FileLock] = []
        var nextPageOut: Instant?
        /// Some of its memory has been moved, and there is more.
        var isPagingOut = false
        /// Not all of it was seen stopped in time, nor since.
        var isIncomplete = false
        /// It was stopped for having been idle.
        var wasFoundIdle = false
        /// Whoever had asked was told that it is suspended: its input is waited for, where it is to be, and what hasn't stopped by
        /// then is looked at again.
        var wasAnswered = false
        /// Its input is looked at, and isn't waited for yet: at first, and once more when the rest of it has stopped late.
        var isLooking = false

        /// Whether whoever asks now needn't wait.
        var answersAtOnce: Bool { wasAnswered && !isLooking }
    }

    init(budget: Span, grace: Countdown?, leftForegroundAt: Instant?) {
        self.budget = BackgroundBudget(budget)
        self.leftForegroundAt = leftForegroundAt
        run = Run(grace: grace)
    }

    /// Its budget and its grace run down, or stand still.
    mutating func setClocks(running: Bool, at now: Moment) {
        budget.set(running: running, at: now)
        if running { run.grace?.start(at: now) } else { run.grace?.pause(at: now) }
    }
}
