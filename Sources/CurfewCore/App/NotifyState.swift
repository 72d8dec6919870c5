/// What a program that speaks sd_notify has said, and the sign of life it owes.
struct NotifyState: Sendable, Hashable {
    /// Whether it said `READY=1`.
    private(set) var isReady = false
    /// Whether it said `STOPPING=1`.
    private(set) var isStopping = false
    /// Whether it said `WATCHDOG=trigger`.
    var isBroken = false
    /// How often a sign of life is owed; nil: never.
    private(set) var watchdogInterval: Span?
    /// What is left to give one, by real time, when those are demanded.
    private(set) var signOfLife: Watchdog?

    init(watchdogInterval: Span?) { self.watchdogInterval = watchdogInterval }

    /// Whether that is news.
    mutating func becameReady() -> Bool {
        defer { isReady = true }
        return !isReady
    }

    /// Whether that is news.
    mutating func isStoppingByItself() -> Bool {
        defer { isStopping = true }
        return !isStopping
    }

    mutating func setWatchdogInterval(_ interval: Span?) {
        watchdogInterval = interval
        signOfLife = nil
    }

    /// A new interval from now; nil where no sign of life is owed.
    mutating func demand(_ sign: Watchdog?) { signOfLife = sign }

    mutating func set(running: Bool, at now: Moment) { signOfLife?.set(running: running, at: now.byRealTime) }
}
