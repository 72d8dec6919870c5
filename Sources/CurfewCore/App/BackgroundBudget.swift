/// The background time of one stay there: one clock for all tasks, which runs while the app does.
struct BackgroundBudget: Sendable, Hashable {
    private(set) var countdown: Countdown
    /// What is owed from the delivery of the expiration warning; nil before it.
    private(set) var warning: Countdown?

    init(_ span: Span, startingAt now: Moment? = nil) { countdown = Countdown(span, startingAt: now) }

    var isWarned: Bool { warning != nil }

    /// Whether it is spent, as far as `begin` is concerned.
    func hasExpired(at now: Moment) -> Bool { warning != nil || countdown.isOver(at: now) }

    func remaining(at now: Moment) -> Span { countdown.remaining(at: now) }

    /// When tasks that are open are warned; nil when that is done, and while it stands still.
    func warningInstant(lead: Span) -> Instant? {
        guard warning == nil, let end = countdown.end else { return nil }
        return end - lead
    }

    /// When a task still open means the end: the budget's end, but never before the grace owed since the warning.
    var killInstant: Instant? {
        guard let owed = warning?.end, let end = countdown.end else { return nil }
        return max(end, owed)
    }

    /// What it is owed from now on starts to run.
    mutating func warn(owing countdown: Countdown) { warning = countdown }

    mutating func set(running: Bool, at now: Moment) {
        if running {
            countdown.start(at: now)
            warning?.start(at: now)
        } else {
            countdown.pause(at: now)
            warning?.pause(at: now)
        }
    }
}
