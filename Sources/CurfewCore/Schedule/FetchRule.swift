/// What an app has found when it was launched or woken to fetch. Source: Apple, `UIBackgroundFetchResult`.
public enum FetchResult: String, Sendable, Hashable, CaseIterable {
    case newData = "new-data"
    case noData = "no-data"
    case failed
}

/// When an app is woken to fetch: shortly before it is usually opened, and not more often than it has asked for.
///
/// Source: Apple, `setMinimumBackgroundFetchInterval(_:)`: an app that hasn't set it is never woken; the system decides when.
public struct FetchRule: Sendable, Hashable {
    /// What the app has asked for; nil: never.
    public var minimumInterval: Span?
    public private(set) var lastFetch: WallTime?
    /// How many fetches in a row have found nothing new, as far as that counts.
    public private(set) var fruitless: Int

    /// What `minimum` asks for: as often as may be.
    public static let shortestInterval = Span.seconds(15 * 60)
    /// Each fetch that finds nothing new doubles the interval, so many times at most.
    public static let mostFruitless = 3
    /// How long before an opening it comes, if nothing is in its way.
    static let lead = Span.seconds(20 * 60)
    /// Nearer than that it would come too late.
    static let latest = Span.seconds(2 * 60)

    public init(minimumInterval: Span? = nil, lastFetch: WallTime? = nil, fruitless: Int = 0) {
        self.minimumInterval = minimumInterval
        self.lastFetch = lastFetch
        self.fruitless = min(max(0, fruitless), Self.mostFruitless)
    }

    /// Between two fetches; nil: there are none.
    public var interval: Span? {
        guard let minimumInterval, !minimumInterval.isInfinite else { return nil }
        var interval = max(minimumInterval, Self.shortestInterval)
        for _ in 0..<fruitless { interval = interval + interval }
        return interval
    }

    public mutating func began(at now: WallTime) { lastFetch = now }

    /// One that has failed says nothing of how often there is something new.
    public mutating func completed(_ result: FetchResult) {
        switch result {
        case .newData: fruitless = 0
        case .noData: fruitless = min(fruitless + 1, Self.mostFruitless)
        case .failed: break
        }
    }

    /// When the next one comes: now or later; nil: never. As long as little is known of its use, and where it is opened at no usual
    /// time, the interval alone counts.
    /// `offset`: of the machine's zone.
    public func next(after now: WallTime, _ habits: UseHabits, offset: CivilTime.Offset) -> WallTime? {
        guard let earliest = earliest(at: now) else { return nil }
        guard habits.isLearned(at: now) else { return earliest }
        guard let today = CivilTime(now, offset: offset) else { return nil }
        for days in 0...Self.daysAhead {
            guard let day = today.adding(days: days) else { return nil }
            for minute in habits.usualMinutes(on: day, at: now, today: today.dayNumber) {
                guard let shown = CivilTime(dayNumber: day.dayNumber, secondOfDay: minute * 60) else { continue }
                let opening = shown.moment(offset: offset)
                let fetch = max(earliest, opening - Self.lead)
                if fetch <= opening - Self.latest { return fetch }
            }
        }
        return earliest
    }

    /// All weekdays come up, and some more for an interval of days.
    private static let daysAhead: Int64 = 35

    /// By the interval alone. A fetch in the future is one before the clock was put back.
    private func earliest(at now: WallTime) -> WallTime? {
        guard let interval else { return nil }
        guard let lastFetch, lastFetch <= now else { return now }
        return max(now, lastFetch + interval)
    }
}
