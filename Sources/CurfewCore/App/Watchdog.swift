/// A time an app has for one thing, and what it did with it.
struct Watchdog: Sendable, Hashable {
    /// All that it was given, with what was added.
    private(set) var limit: Span
    private(set) var countdown: Countdown
    /// The app's CPU time when this began; nil until it is measured.
    var cpuTimeAtStart: Span?

    init(_ limit: Span, startingAt now: Moment?, cpuTimeAtStart: Span? = nil) {
        self.limit = limit
        countdown = Countdown(limit, startingAt: now)
        self.cpuTimeAtStart = cpuTimeAtStart
    }

    var end: Instant? { countdown.end }

    func remaining(at now: Moment) -> Span { countdown.remaining(at: now) }

    func elapsed(at now: Moment) -> Span {
        guard let end, end < now.lifecycle else { return limit - countdown.remaining(at: now) }
        return limit + (now.lifecycle - end)
    }

    mutating func set(running: Bool, at now: Moment) {
        if running { countdown.start(at: now) } else { countdown.pause(at: now) }
    }

    /// Makes what is left at most `span`.
    mutating func shorten(to span: Span, at now: Moment) {
        let left = countdown.remaining(at: now)
        guard span < left else { return }
        limit = limit.isInfinite ? span : limit - (left - span)
        countdown = Countdown(span, startingAt: countdown.runningSince == nil ? nil : now)
    }

    /// Makes what is left at least `span`.
    mutating func extend(to span: Span, at now: Moment) {
        let left = countdown.remaining(at: now)
        guard span > left else { return }
        limit = limit + (span - left)
        countdown = Countdown(span, startingAt: countdown.runningSince == nil ? nil : now)
    }
}
