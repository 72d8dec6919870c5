import Testing

@testable import CurfewCore

@Suite("When an app is woken to fetch")
struct FetchRuleTests {
    /// Opened at 08:00 and 18:30 on workdays, at noon on weekends, some minutes sooner or later.
    private static func openings(on day: CivilTime, _ random: inout SplitMix64) -> [CivilTime] {
        let hours = day.weekday >= 6 ? [12 * 60] : [8 * 60, 18 * 60 + 30]
        return hours.map {
            let minute = $0 + Int.random(in: 0...9, using: &random)
            return Zones.civil(day.year, day.month, day.day, minute / 60, minute % 60)
        }
    }

    /// What became of some days, the first of them a Monday, after which only the last week counts.
    private struct Replay {
        var fetches: [CivilTime] = []
        /// How old what is shown is when the app is opened.
        var ages: [Span] = []
    }

    private func replay(weeks: Int64, _ rule: FetchRule, learns: Bool, results: [FetchResult] = [.newData]) -> Replay {
        var (rule, habits, replay, random) = (rule, UseHabits(), Replay(), SplitMix64(seed: 1))
        var (now, fetched) = (Zones.moment(2026, 4, 20), Zones.moment(2026, 4, 20))
        var count = 0
        for days in 0..<(7 * weeks) {
            let day = Zones.april(days)
            let isCounted = days >= 7 * (weeks - 1)
            let end = Zones.april(days + 1).moment(offset: Zones.berlin)
            for opening in Self.openings(on: day, &random) + [nil] {
                let next = opening?.moment(offset: Zones.berlin) ?? end
                while let fetch = rule.next(after: now, habits, offset: Zones.berlin), fetch < next {
                    rule.began(at: fetch)
                    rule.completed(results[count % results.count])
                    count += 1
                    (now, fetched) = (fetch, fetch)
                    if isCounted { replay.fetches.append(Zones.shown(fetch, Zones.berlin)) }
                }
                now = next
                guard let opening else { continue }
                if learns { habits.opened(UseHabits.Opening(next, shown: opening)) }
                if isCounted { replay.ages.append(next - fetched) }
            }
        }
        return replay
    }

    private static let hourly = FetchRule(minimumInterval: .seconds(3600))

    @Test("After a week of use they come within the hour before it is opened, and in no dead hour")
    func learned() {
        let replay = replay(weeks: 2, Self.hourly, learns: true)
        for fetch in replay.fetches {
            let openings = fetch.weekday >= 6 ? [12 * 60] : [8 * 60, 18 * 60 + 30]
            #expect(openings.contains { ($0 - 60...$0).contains(fetch.minuteOfDay) }, "\(fetch)")
        }
        #expect(replay.fetches.count == 12)
        for age in replay.ages { #expect(age <= .seconds(3600)) }
    }

    @Test("Compared with a fixed interval: fresher, and fewer")
    func fixed() {
        let learned = replay(weeks: 2, Self.hourly, learns: true)
        let fixed = replay(weeks: 2, FetchRule(minimumInterval: .seconds(4 * 3600)), learns: false)
        func mean(_ ages: [Span]) -> Int64 { ages.reduce(0) { $0 + $1.nanoseconds } / Int64(ages.count) }
        #expect(learned.fetches.count * 3 < fixed.fetches.count)
        #expect(mean(learned.ages) * 3 < mean(fixed.ages))
    }

    @Test("Never more often than the interval allows")
    func interval() {
        let replay = replay(weeks: 3, FetchRule(minimumInterval: .seconds(11 * 3600)), learns: true)
        let moments = replay.fetches.map { $0.moment(offset: Zones.berlin) }
        #expect(moments.count > 5)
        for (one, next) in zip(moments, moments.dropFirst()) { #expect(next - one >= .seconds(11 * 3600)) }
    }

    @Test("Never, unless it asks for it")
    func never() {
        #expect(FetchRule().next(after: Zones.moment(2026, 4, 20), UseHabits(), offset: Zones.utc) == nil)
        let infinite = FetchRule(minimumInterval: .infinite)
        #expect(infinite.next(after: Zones.moment(2026, 4, 20), UseHabits(), offset: Zones.utc) == nil)
    }

    @Test("As long as little is known, by the interval alone, and never below the shortest")
    func unlearned() {
        let now = Zones.moment(2026, 4, 20, 3)
        var rule = FetchRule(minimumInterval: .zero)
        #expect(rule.next(after: now, UseHabits(), offset: Zones.utc) == now)
        rule.began(at: now)
        #expect(rule.next(after: now, UseHabits(), offset: Zones.utc) == now + FetchRule.shortestInterval)
    }

    @Test("Opened now and then, at no usual time: by the interval alone, as before it was opened")
    func irregular() {
        var habits = UseHabits()
        for (day, hour) in [(20, 9), (22, 15), (24, 20)] {
            let shown = Zones.civil(2026, 4, day, hour)
            habits.opened(UseHabits.Opening(shown.moment(offset: Zones.utc), shown: shown))
        }
        let now = Zones.moment(2026, 4, 24, 21)
        #expect(habits.isLearned(at: now))
        let rule = FetchRule(minimumInterval: .seconds(3600), lastFetch: now)
        #expect(rule.next(after: now, habits, offset: Zones.utc) == now + .seconds(3600))
    }

    @Test("What finds nothing new comes less often; what does, as often as before; failing says nothing")
    func results() {
        var rule = FetchRule(minimumInterval: .seconds(3600))
        func interval(_ results: [FetchResult]) -> Int64 {
            for result in results { rule.completed(result) }
            return rule.interval!.nanoseconds / 3_600_000_000_000
        }
        #expect(interval([.noData]) == 2)
        #expect(interval([.failed]) == 2)
        #expect(interval([.noData, .noData, .noData]) == 8)
        #expect(interval([.newData]) == 1)
    }

    @Test("A last fetch in the future is none: the clock was put back")
    func clockPutBack() {
        let now = Zones.moment(2026, 4, 20)
        let rule = FetchRule(minimumInterval: .seconds(3600), lastFetch: now + .seconds(1000))
        #expect(rule.next(after: now, UseHabits(), offset: Zones.utc) == now)
    }
}

@Suite("When an app is usually opened")
struct UseHabitsTests {
    private func habits(_ openings: [CivilTime]) -> UseHabits {
        var habits = UseHabits()
        for shown in openings { habits.opened(UseHabits.Opening(shown.moment(offset: Zones.utc), shown: shown)) }
        return habits
    }

    private func usual(_ habits: UseHabits, on day: CivilTime, today: CivilTime) -> [Int] {
        habits.usualMinutes(on: day, at: today.moment(offset: Zones.utc), today: today.dayNumber)
    }

    // 20 April 2026 is a Monday.

    @Test("Two days are needed, and three openings")
    func learned() {
        let now = Zones.moment(2026, 4, 30)
        #expect(
            !habits([Zones.civil(2026, 4, 20, 8), Zones.civil(2026, 4, 20, 9), Zones.civil(2026, 4, 20, 10)]).isLearned(
                at: now))
        #expect(!habits([Zones.civil(2026, 4, 20, 8), Zones.civil(2026, 4, 21, 8)]).isLearned(at: now))
        #expect(
            habits([Zones.civil(2026, 4, 20, 8), Zones.civil(2026, 4, 20, 9), Zones.civil(2026, 4, 21, 8)]).isLearned(
                at: now))
    }

    @Test("A workday goes by workdays, a day of the weekend by weekends")
    func kinds() {
        let habits = habits([
            Zones.civil(2026, 4, 20, 8), Zones.civil(2026, 4, 21, 8), Zones.civil(2026, 4, 25, 12),
            Zones.civil(2026, 4, 26, 12),
        ])
        let today = Zones.civil(2026, 4, 21, 9)
        #expect(usual(habits, on: Zones.civil(2026, 4, 22), today: today) == [8 * 60])
        #expect(usual(habits, on: Zones.civil(2026, 5, 2), today: Zones.civil(2026, 4, 27)) == [12 * 60])
    }

    @Test("A weekday that was seen twice goes by its own past")
    func weekday() {
        // Two weeks: at 10:00 on Wednesdays, at 08:00 on other workdays.
        let openings = (0..<14).filter { $0 % 7 < 5 }.map { day in
            let shown = Zones.april(day)
            return Zones.civil(shown.year, shown.month, shown.day, day % 7 == 2 ? 10 : 8)
        }
        let today = Zones.civil(2026, 5, 3)
        #expect(usual(habits(openings), on: Zones.civil(2026, 5, 6), today: today) == [10 * 60])
        #expect(usual(habits(openings), on: Zones.civil(2026, 5, 7), today: today) == [8 * 60])
    }

    @Test("What happens on less than half of the days isn't usual")
    func seldom() {
        let habits = habits([
            Zones.civil(2026, 4, 20, 8), Zones.civil(2026, 4, 21, 8), Zones.civil(2026, 4, 22, 8),
            Zones.civil(2026, 4, 22, 22),
        ])
        #expect(usual(habits, on: Zones.civil(2026, 4, 23), today: Zones.civil(2026, 4, 22, 23)) == [8 * 60])
    }

    @Test("Four weeks are remembered, and nothing of a future that the clock was put back from")
    func memory() {
        var habits = habits([Zones.civil(2026, 4, 1, 8), Zones.civil(2026, 4, 20, 8)])
        let may = Zones.civil(2026, 5, 10, 8)
        habits.opened(UseHabits.Opening(may.moment(offset: Zones.utc), shown: may))
        #expect(habits.openings.map(\.shown.day) == [20, 10])
        let april = Zones.civil(2026, 4, 25, 8)
        habits.opened(UseHabits.Opening(april.moment(offset: Zones.utc), shown: april))
        #expect(habits.openings.map(\.shown.day) == [20, 25])
    }

    @Test("Of an app that is opened all the time the latest openings are kept")
    func bounded() {
        var habits = UseHabits()
        for minute in 0..<600 {
            let time = Zones.moment(2026, 4, 20) + .seconds(Int64(minute) * 60)
            habits.opened(UseHabits.Opening(time, shown: CivilTime(time, offset: Zones.utc)!))
        }
        #expect(habits.openings.count == UseHabits.maximumCount)
        #expect(habits.openings.last?.shown.minuteOfDay == 599)
    }
}
