/// At which moments of the wall clock something is due: once, or again and again.
public struct CalendarRule: Sendable, Hashable {
    public var start: Start
    /// Nil: once.
    public var repetition: Repetition?

    public enum Start: Sendable, Hashable {
        /// The same moment wherever the machine is. It comes back as clocks in UTC show it.
        case moment(WallTime)
        /// When clocks there show it.
        case civil(CivilTime, Zone)
    }

    /// Whose clocks count.
    public enum Zone: Sendable, Hashable {
        /// The machine's, wherever that is by then.
        case local
        /// By its name in the tz database.
        case named(String)
    }

    public enum Repetition: Sendable, Hashable {
        /// At least `shortestPeriod`, and finite.
        case every(Span)
        case daily
        case weekly
        /// On the last day of a month that lacks the day.
        case monthly
        /// On 28 February in years that lack the 29th.
        case yearly
    }

    /// Source: Apple, `UNTimeIntervalNotificationTrigger`: what repeats has 60 seconds or more.
    public static let shortestPeriod = Span.seconds(60)

    public init(_ start: Start, _ repetition: Repetition? = nil) {
        self.start = start
        self.repetition = repetition
    }

    /// Nil where the moment is absolute.
    public var zone: Zone? { if case .civil(_, let zone) = start { zone } else { nil } }

    // MARK: When

    /// The moment that comes after `count` others; nil where it comes no more. `offset`: of the rule's zone; it isn't asked where
    /// there is none.
    public func occurrence(_ count: Int64, offset: CivilTime.Offset) -> WallTime? {
        guard count >= 0 else { return nil }
        guard let repetition else { return count == 0 ? first(offset) : nil }
        if case .every(let period) = repetition { return first(offset).flatMap { Self.later($0, by: period, count) } }
        guard count > 0 else { return first(offset) }
        guard let shown = shownAtStart, let again = shown.time.again(repetition, count) else { return nil }
        // What is absolute keeps what a clock in UTC doesn't show.
        return shown.isAbsolute
            ? again.moment { _ in 0 } + Span(nanoseconds: shown.nanoseconds) : again.moment(offset: offset)
    }

    private func first(_ offset: CivilTime.Offset) -> WallTime? {
        switch start {
        case .moment(let time): time
        case .civil(let time, _): time.moment(offset: offset)
        }
    }

    private var shownAtStart: (time: CivilTime, isAbsolute: Bool, nanoseconds: Int64)? {
        switch start {
        case .civil(let time, _): return (time, false, 0)
        case .moment(let time):
            let rest = time.microseconds.flooredRemainder(by: 1_000_000) * 1000
            return CivilTime(time, offset: { _ in 0 }).map { ($0, true, rest) }
        }
    }

    private static func later(_ time: WallTime, by period: Span, _ count: Int64) -> WallTime? {
        let (nanoseconds, overflow) = period.nanoseconds.multipliedReportingOverflow(by: count)
        guard !overflow, !period.isInfinite else { return nil }
        let later = time + Span(nanoseconds: nanoseconds)
        return later == .distantFuture ? nil : later
    }

    /// How many of its moments have come by `time`, that one included: the count of the next.
    public func count(upTo time: WallTime, offset: CivilTime.Offset) -> Int64 {
        guard let first = first(offset), first <= time else { return 0 }
        guard let repetition else { return 1 }
        // Right but for what clocks are put forward and back by, and for months that differ; never above.
        var count = max(0, (time - first).nanoseconds / Self.longest(repetition).nanoseconds - 2)
        while let next = occurrence(count, offset: offset), next <= time { count += 1 }
        return count
    }

    /// No period of it is longer.
    private static func longest(_ repetition: Repetition) -> Span {
        switch repetition {
        case .every(let period): period
        case .daily: .seconds(86_400)
        case .weekly: .seconds(7 * 86_400)
        case .monthly: .seconds(31 * 86_400)
        case .yearly: .seconds(366 * 86_400)
        }
    }
}

extension CivilTime {
    fileprivate func again(_ repetition: CalendarRule.Repetition, _ count: Int64) -> CivilTime? {
        switch repetition {
        case .every: nil
        case .daily: adding(days: count)
        case .weekly: adding(days: 7 * count)
        case .monthly: adding(months: count)
        case .yearly: adding(months: 12 * count)
        }
    }
}
