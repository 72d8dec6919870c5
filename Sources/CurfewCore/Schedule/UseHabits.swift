/// At which times of the day somebody usually opens an app, learned from when it was opened.
///
/// A weekday that has been seen twice goes by its own past; before that it goes by all workdays or all days of weekends, and before one
/// of those was seen by every day.
public struct UseHabits: Sendable, Hashable {
    /// Oldest first.
    public private(set) var openings: [Opening] = []

    /// One time that the app came to the front because somebody wanted it.
    public struct Opening: Sendable, Hashable {
        public let time: WallTime
        /// What the clock on the wall showed there and then.
        public let shown: CivilTime

        public init(_ time: WallTime, shown: CivilTime) {
            self.time = time
            self.shown = shown
        }
    }

    /// What was before counts no more.
    public static let memory = Span.seconds(28 * 86_400)
    /// An app that is opened all the time is known well enough by its latest openings.
    public static let maximumCount = 512
    /// Openings within so many minutes of the first of them are taken together.
    private static let spread = 60

    public init() {}

    /// What is older than `memory` or in the future of the last one is forgotten: a clock was put back.
    public mutating func opened(_ opening: Opening) {
        openings.removeAll { $0.time > opening.time || $0.time + Self.memory < opening.time }
        if openings.count == Self.maximumCount { openings.removeFirst() }
        openings.append(opening)
    }

    /// What is known by `now`.
    private func known(at now: WallTime) -> [Opening] {
        openings.filter { $0.time <= now && now <= $0.time + Self.memory }
    }

    /// Whether enough is known to go by: three openings, on two days.
    public func isLearned(at now: WallTime) -> Bool {
        let known = known(at: now)
        return known.count >= 3 && Set(known.map(\.shown.dayNumber)).count >= 2
    }

    /// In minutes since midnight, ascending: when it is usually opened on a day like that one, by what is known of the days before
    /// `today`, as clocks count days.
    func usualMinutes(on day: CivilTime, at now: WallTime, today: Int64) -> [Int] {
        let known = known(at: now)
        guard let first = known.first?.shown.dayNumber else { return [] }
        // A day that isn't over may still have its openings before it; its own so far count as the day's.
        let days = first...max(first, today)
        for alike in [Self.isSameWeekday, Self.isSameKind, { _, _ in true }] {
            let seen = days.count { alike(Self.weekday($0), day.weekday) }
            if seen >= 2 || seen == days.count {
                return Self.usual(known.filter { alike($0.shown.weekday, day.weekday) }, ofDays: seen)
            }
        }
        return []
    }

    private static func weekday(_ dayNumber: Int64) -> Int { Int((dayNumber + 3).flooredRemainder(by: 7)) + 1 }
    private static func isSameWeekday(_ one: Int, _ other: Int) -> Bool { one == other }
    private static func isSameKind(_ one: Int, _ other: Int) -> Bool { (one >= 6) == (other >= 6) }

    /// Of openings near each other on at least half of the days, a time that most of them don't come before.
    private static func usual(_ openings: [Opening], ofDays days: Int) -> [Int] {
        let sorted = openings.map(\.shown).sorted { $0.minuteOfDay < $1.minuteOfDay }
        var found: [Int] = []
        var rest = sorted[...]
        while let first = rest.first {
            let group = rest.prefix { $0.minuteOfDay <= first.minuteOfDay + spread }
            rest = rest.dropFirst(group.count)
            guard 2 * Set(group.map(\.dayNumber)).count >= days else { continue }
            found.append(group[group.startIndex + group.count / 4].minuteOfDay)
        }
        return found
    }
}
