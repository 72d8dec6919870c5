/// A span that runs down while it runs, and keeps what is left while it is paused.
struct Countdown: Sendable, Hashable {
    /// What was left when the countdown last started or stopped.
    private(set) var left: Span
    private(set) var runningSince: Instant?

    init(_ span: Span, startingAt now: Instant? = nil) {
        left = span
        runningSince = now
    }

    /// When it reaches zero; nil while it is paused, and for an infinite span.
    var end: Instant? {
        guard let runningSince, !left.isInfinite else { return nil }
        return runningSince + left
    }

    /// What is left at `now`, never below zero.
    func remaining(at now: Instant) -> Span {
        guard let runningSince else { return left }
        return max(.zero, left - (now - runningSince))
    }

    func isOver(at now: Instant) -> Bool { remaining(at: now) == .zero }

    mutating func start(at now: Instant) {
        if runningSince == nil { runningSince = now }
    }

    mutating func pause(at now: Instant) {
        left = remaining(at: now)
        runningSince = nil
    }
}
