/// A span that runs down while it runs, by lifecycle time, and keeps what is left while it is paused.
struct Countdown: Sendable, Hashable {
    /// What was left when the countdown last started or stopped.
    private(set) var left: Span
    private(set) var runningSince: Moment?

    init(_ span: Span, startingAt now: Moment? = nil) {
        left = span
        runningSince = now
    }

    /// When it reaches zero; nil while it is paused, and for an infinite span.
    var end: Instant? {
        guard let runningSince, !left.isInfinite else { return nil }
        return runningSince.lifecycle + left
    }

    /// What is left at `now`, never below zero.
    func remaining(at now: Moment) -> Span {
        guard let runningSince else { return left }
        return max(.zero, left - (now.lifecycle - runningSince.lifecycle))
    }

    func isOver(at now: Moment) -> Bool { remaining(at: now) == .zero }

    mutating func start(at now: Moment) {
        if runningSince == nil { runningSince = now }
    }

    mutating func pause(at now: Moment) {
        left = remaining(at: now)
        runningSince = nil
    }
}
