/// A time an app has for one thing, and what it did with it.
struct Watchdog: Sendable, Hashable {
    /// All that it was given, with what was added.
    private(set) var limit: Span
    private(set) var countdown: Countdown
    /// The app's CPU time when this began; nil until it is measured.
    var cpuTimeAtStart: Span?

    init(_ limit: Span, startingAt now: Instant?, cpuTimeAtStart: Span? = nil) {
        self.limit = limit
        countdown = Countdown(limit, startingAt: now)
        self.cpuTimeAtStart = cpuTimeAtStart
    }

    var end: Instant? { countdown.end }

    func remaining(at now: Instant) -> Span { countdown.remaining(at: now) }

    func elapsed(at now: Instant) -> Span {
        guard let end, end < now else { return limit - countdown.remaining(at: now) }
        return limit + (now - end)
    }

    mutating func set(running: Bool, at now: Instant) {
        if running { countdown.start(at: now) } else { countdown.pause(at: now) }
    }

    /// Makes what is left at least `span`.
    mutating func extend(to span: Span, at now: Instant) {
        let left = countdown.remaining(at: now)
        guard span > left else { return }
        limit = limit + (span - left)
        countdown = Countdown(span, startingAt: countdown.runningSince == nil ? nil : now)
    }
}
