import Testing

@testable import CurfewCore

@Suite("When something is due, once or again and again")
struct CalendarRuleTests {
    private func moments(
        _ rule: CalendarRule, _ counts: [Int64], offset: CivilTime.Offset = Zones.berlin
    ) -> [WallTime?] {
        counts.map { rule.occurrence($0, offset: offset) }
    }

    @Test("Once is once")
    func once() {
        let rule = CalendarRule(.moment(Zones.moment(2026, 5, 1, 8)))
        #expect(moments(rule, [-1, 0, 1]) == [nil, Zones.moment(2026, 5, 1, 8), nil])
    }

    @Test("What is absolute stays at its moment wherever clocks are put to; what has a zone follows them")
    func zones() {
        let shown = Zones.civil(2026, 3, 28, 8)
        let absolute = CalendarRule(.moment(Zones.moment(2026, 3, 28, 7)), .daily)
        let local = CalendarRule(.civil(shown, .local), .daily)
        #expect(moments(absolute, [0, 1]) == [Zones.moment(2026, 3, 28, 7), Zones.moment(2026, 3, 29, 7)])
        #expect(moments(local, [0, 1]) == [Zones.moment(2026, 3, 28, 7), Zones.moment(2026, 3, 29, 6)])
        #expect(moments(local, [0], offset: Zones.newYork) == [Zones.moment(2026, 3, 28, 13)])
    }

    @Test("Each repetition, from the start and not from the one before")
    func repetitions() {
        let start = CalendarRule.Start.civil(Zones.civil(2026, 1, 31, 12), .named("UTC"))
        func days(_ repetition: CalendarRule.Repetition) -> [WallTime?] {
            moments(CalendarRule(start, repetition), [1, 2], offset: Zones.utc)
        }
        #expect(days(.daily) == [Zones.moment(2026, 2, 1, 12), Zones.moment(2026, 2, 2, 12)])
        #expect(days(.weekly) == [Zones.moment(2026, 2, 7, 12), Zones.moment(2026, 2, 14, 12)])
        #expect(days(.monthly) == [Zones.moment(2026, 2, 28, 12), Zones.moment(2026, 3, 31, 12)])
        #expect(days(.yearly) == [Zones.moment(2027, 1, 31, 12), Zones.moment(2028, 1, 31, 12)])
        #expect(days(.every(.seconds(300))) == [Zones.moment(2026, 1, 31, 12, 5), Zones.moment(2026, 1, 31, 12, 10)])
    }

    @Test("What is absolute keeps its fractions of a second")
    func fractions() {
        let rule = CalendarRule(.moment(WallTime(microseconds: 1_500_000)), .daily)
        #expect(moments(rule, [1]) == [WallTime(microseconds: 86_401_500_000)])
    }

    @Test(
        "So many have come: all that are due by then, and no other",
        arguments: [
            CalendarRule.Repetition.daily, .weekly, .monthly, .yearly, .every(.seconds(60)), .every(.seconds(5000)),
        ])
    func counts(_ repetition: CalendarRule.Repetition) {
        var random = SplitMix64(seed: 7)
        for _ in 0..<300 {
            let start = Zones.civil(
                2026, Int.random(in: 1...12, using: &random), Int.random(in: 1...28, using: &random), 2, 30)
            let rule = CalendarRule(.civil(start, .local), repetition)
            let time = Zones.moment(2026, 1, 1) + .seconds(Int64.random(in: 0...(5 * 365 * 86_400), using: &random))
            let count = rule.count(upTo: time, offset: Zones.berlin)
            #expect(rule.occurrence(count, offset: Zones.berlin)! > time)
            if count > 0 { #expect(rule.occurrence(count - 1, offset: Zones.berlin)! <= time) }
        }
    }

    @Test("It ends with the calendar")
    func end() {
        let rule = CalendarRule(.civil(Zones.civil(9999, 12, 31), .local), .daily)
        #expect(moments(rule, [1]) == [nil])
        #expect(moments(CalendarRule(.moment(.distantFuture), .every(.seconds(60))), [1]) == [nil])
    }
}
