/// The CPU time an app uses in one stay in background, against a limit over a window. Once in each stay: whoever is let go
/// on isn't judged again before it has been opened.
struct CPUMeter: Sendable, Hashable {
    private(set) var nextMeasurement: Instant?
    /// Its limit was passed, and it is to be killed for it.
    private(set) var excess: Excess?
    /// Whether it is held to its share.
    private(set) var isThrottled = false
    private var window: Window?
    private var hasPassedLimit = false

    /// A limit that was passed.
    struct Excess: Sendable, Hashable {
        var used: Span
        var elapsed: Span
    }

    /// What had been used when it began.
    private struct Window: Sendable, Hashable {
        var start: Instant
        /// Nil until it is measured.
        var usedAtStart: Span?
    }

    /// Between two looks, at least this share of the window.
    private static let looksPerWindow: Int64 = 100

    /// Begins to watch where there is something to watch, and stops where there isn't.
    mutating func watch(_ isWatched: Bool, at now: Moment) {
        guard isWatched, !hasPassedLimit else {
            window = nil
            excess = nil
            nextMeasurement = nil
            return
        }
        guard window == nil else { return }
        window = Window(start: now.real)
        nextMeasurement = now.real
    }

    mutating func isMeasured() { nextMeasurement = nil }

    /// Judges the window by what has been used by now. A limit is passed as soon as its CPU time is used up; nil while it
    /// isn't.
    mutating func judge(_ used: Span, _ limits: CPUPolicy, at now: Moment) -> Excess? {
        guard let window, excess == nil else { return nil }
        guard let usedAtStart = window.usedAtStart else {
            begin(used, limits, at: now)
            return nil
        }
        let usedInWindow = max(.zero, used - usedAtStart)
        let elapsed = now.real - window.start
        if usedInWindow > limits.allowed(in: elapsed) {
            let excess = Excess(used: usedInWindow, elapsed: elapsed)
            passed(excess, limits)
            return excess
        }
        if elapsed >= limits.window {
            begin(used, limits, at: now)
        } else {
            schedule(left: limits.limit - usedInWindow, windowEnd: window.start + limits.window, limits, at: now)
        }
        return nil
    }

    /// What has been used by now isn't counted.
    mutating func beginAnew(_ used: Span, _ limits: CPUPolicy, at now: Moment) {
        if window != nil, excess == nil { begin(used, limits, at: now) }
    }

    private mutating func begin(_ used: Span, _ limits: CPUPolicy, at now: Moment) {
        window = Window(start: now.real, usedAtStart: used)
        schedule(left: limits.limit, windowEnd: now.real + limits.window, limits, at: now)
    }

    /// Not before the limit can have been passed with every processor busy.
    private mutating func schedule(left: Span, windowEnd: Instant, _ limits: CPUPolicy, at now: Moment) {
        let soonest = Span(nanoseconds: left.nanoseconds / Int64(limits.processors))
        let least = Span(nanoseconds: max(1_000_000, limits.window.nanoseconds / Self.looksPerWindow))
        nextMeasurement = min(windowEnd, now.real + max(soonest, least))
    }

    private mutating func passed(_ excess: Excess, _ limits: CPUPolicy) {
        nextMeasurement = nil
        switch limits.action {
        case .kill:
            // A debugger would hold it off, so it is asked for first.
            self.excess = excess
            return
        case .throttle: isThrottled = true
        case .log: break
        }
        hasPassedLimit = true
        window = nil
    }
}
