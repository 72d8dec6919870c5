import CurfewCore
import CurfewLinux

/// One `curfew advance` under way: what it still waits for, in real time, before and after lifecycle time jumps.
///
/// Before a jump an honest app gets the time to do what it owes, however slow the machine is; after it, what it set off is
/// seen to its end.
struct Advance {
    /// How long an app that owes something mustn't have run to be one that waits for somebody else; if nobody says otherwise.
    static let defaultSettle = Span.milliseconds(50)
    /// How often that is looked at.
    static let interval = Span.milliseconds(5)
    /// How long one that runs on is waited for: that it isn't done in time is what is to be seen then.
    static let patience = Span.seconds(10)

    enum Step: Sendable, Hashable {
        case wait(until: Instant)
        case jump
        case answer
    }

    let asked: Span
    let settle: Span
    /// What is left of it.
    private(set) var left: Span
    private var hasJumped = false
    private var since: Instant
    private var activity: Activity?
    private var quietSince: Instant

    init(_ span: Span, settle: Span = Advance.defaultSettle, at now: Instant) {
        asked = span
        self.settle = settle
        left = span
        since = now
        quietSince = now
    }

    /// What to do now. `owes`: whether the app has something to do yet; `isSettled`: whether all that was begun is done;
    /// `hasHappened`: whether anything has since the jump; `activity`: looked at only where it matters.
    mutating func next(
        owes: Bool, isSettled: Bool, hasHappened: Bool, activity: () -> Activity, at now: Instant
    ) -> Step {
        guard isSettled else { return .wait(until: now + Self.interval) }
        if hasJumped, hasHappened || left == .zero { return .answer }
        if hasJumped { begin(at: now) }
        if owes, now < since + Self.patience, !isQuiet(activity(), at: now) { return .wait(until: now + Self.interval) }
        return .jump
    }

    /// Lifecycle time has moved.
    mutating func jumped(left: Span) {
        self.left = left
        hasJumped = true
    }

    private mutating func begin(at now: Instant) {
        hasJumped = false
        since = now
        quietSince = now
        activity = nil
    }

    private mutating func isQuiet(_ seen: Activity, at now: Instant) -> Bool {
        if seen != activity || seen.isRunning { quietSince = now }
        activity = seen
        return now - quietSince >= settle
    }
}
