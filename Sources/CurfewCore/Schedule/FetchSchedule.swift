/// When one app fetches: its rule, what is known of its use, and what is in its way.
public struct FetchSchedule: Sendable, Hashable {
    public private(set) var rule = FetchRule()
    public private(set) var habits = UseHabits()
    /// What its manifest says; zero: as often as may be; infinite: never.
    public private(set) var defined: Span?
    /// What it has asked for itself, which counts more.
    public private(set) var asked: Span?
    /// When the next one comes, or is tried; nil: none.
    public private(set) var due: WallTime?
    /// Why the last one didn't come when it was due.
    public private(set) var obstacle: ScheduleObstacle?

    /// So long after something was in the way it is looked at again.
    public static let pause = Span.seconds(5 * 60)

    public init() {}

    /// What was restored waits for its manifest to be read.
    var isEmpty: Bool { defined == nil && asked == nil && rule == FetchRule() && habits.openings.isEmpty }

    /// Whether openings say anything about it.
    public var learns: Bool { rule.interval != nil }

    // MARK: At the start

    /// As it was kept.
    public mutating func restore(asked: Span?, lastFetch: WallTime?, fruitless: Int) {
        self.asked = asked
        rule = FetchRule(minimumInterval: asked ?? defined, lastFetch: lastFetch, fruitless: fruitless)
    }

    /// One of those that were kept, the oldest first.
    public mutating func restore(_ opening: UseHabits.Opening) { habits.opened(opening) }

    // MARK: Changes

    /// `defined`: nil where no manifest says anything.
    public mutating func define(_ defined: Span?, at now: WallTime, offset: CivilTime.Offset) {
        guard self.defined != defined else { return }
        self.defined = defined
        plan(at: now, offset: offset)
    }

    public mutating func ask(for interval: Span, at now: WallTime, offset: CivilTime.Offset) {
        asked = interval
        plan(at: now, offset: offset)
    }

    public mutating func opened(_ opening: UseHabits.Opening, offset: CivilTime.Offset) {
        habits.opened(opening)
        plan(at: opening.time, offset: offset)
    }

    public mutating func began(at now: WallTime, offset: CivilTime.Offset) {
        rule.began(at: now)
        obstacle = nil
        plan(at: now, offset: offset)
    }

    public mutating func completed(_ result: FetchResult, at now: WallTime, offset: CivilTime.Offset) {
        rule.completed(result)
        plan(at: now, offset: offset)
    }

    /// Something is in the way: it is looked at again in a while.
    public mutating func postpone(because obstacle: ScheduleObstacle, at now: WallTime) {
        self.obstacle = obstacle
        due = now + Self.pause
    }

    /// Anew: what it goes by has changed, be it the clock.
    public mutating func plan(at now: WallTime, offset: CivilTime.Offset) {
        rule.minimumInterval = asked ?? defined
        due = rule.next(after: now, habits, offset: offset)
        if due == nil { obstacle = nil }
    }
}
