import Testing

@testable import CurfewCore

@Suite("Dates and times of day")
struct CivilTimeTests {
    @Test(
        "Only what a calendar and a clock show",
        arguments: [
            (2026, 0, 1, 0, 0, 0), (2026, 13, 1, 0, 0, 0), (2026, 2, 29, 0, 0, 0), (1900, 1, 1, 0, 0, 0),
            (2026, 4, 31, 0, 0, 0),
            (2026, 1, 0, 0, 0, 0), (2026, 1, 1, 24, 0, 0), (2026, 1, 1, 0, 60, 0), (2026, 1, 1, 0, 0, 60),
            (10_000, 1, 1, 0, 0, 0),
        ])
    func none(_ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int) {
        #expect(CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second) == nil)
    }

    @Test("Days count from 1970, weekdays from Monday")
    func days() {
        #expect(Zones.civil(1970, 1, 1).dayNumber == 0)
        #expect(Zones.civil(1970, 1, 1).weekday == 4)
        #expect(Zones.civil(2000, 2, 29).dayNumber == 11_016)
        #expect(Zones.civil(2026, 11, 24).dayNumber == 20_781)
        #expect(Zones.civil(2026, 11, 24).weekday == 2)
        #expect(Zones.civil(2026, 11, 29).weekday == 7)
    }

    @Test("Each day is the one before and one more, over four centuries")
    func consecutive() {
        var day = Zones.civil(1970, 1, 1)
        for number in Int64(0)...146_097 {
            guard day.dayNumber == number else {
                return _ = Issue.record("\(day) has the number \(day.dayNumber), not \(number)")
            }
            guard let next = day.adding(days: 1) else { return _ = Issue.record("\(day) is the last") }
            day = next
        }
        #expect(day == Zones.civil(2370, 1, 2))
    }

    @Test("A month that lacks the day has its last")
    func months() {
        #expect(Zones.civil(2026, 1, 31).adding(months: 1) == Zones.civil(2026, 2, 28))
        #expect(Zones.civil(2026, 1, 31).adding(months: 25) == Zones.civil(2028, 2, 29))
        #expect(Zones.civil(2028, 2, 29).adding(months: 12) == Zones.civil(2029, 2, 28))
        #expect(Zones.civil(2026, 3, 31).adding(months: -1) == Zones.civil(2026, 2, 28))
        #expect(Zones.civil(9999, 12, 1).adding(months: 1) == nil)
    }

    @Test("What a zone shows, and when it shows that")
    func zone() {
        let summer = Zones.moment(2026, 7, 1, 12)
        #expect(CivilTime(summer, offset: Zones.berlin) == Zones.civil(2026, 7, 1, 14))
        #expect(Zones.civil(2026, 7, 1, 14).moment(offset: Zones.berlin) == summer)
        #expect(Zones.civil(2026, 1, 1).moment(offset: Zones.berlin) == Zones.moment(2025, 12, 31, 23))
    }

    @Test("An hour that doesn't exist: the first moment after it")
    func gap() {
        for minute in [0, 30, 59] {
            let shown = Zones.civil(2026, 3, 29, 2, minute)
            #expect(shown.moment(offset: Zones.berlin) == Zones.moment(2026, 3, 29, 1))
        }
        #expect(Zones.civil(2026, 3, 29, 1, 59).moment(offset: Zones.berlin) == Zones.moment(2026, 3, 29, 0, 59))
        #expect(Zones.civil(2026, 3, 29, 3).moment(offset: Zones.berlin) == Zones.moment(2026, 3, 29, 1))
    }

    @Test("An hour that comes twice: the first")
    func twice() {
        #expect(Zones.civil(2026, 10, 25, 2, 30).moment(offset: Zones.berlin) == Zones.moment(2026, 10, 25, 0, 30))
        #expect(Zones.civil(2026, 10, 25, 3).moment(offset: Zones.berlin) == Zones.moment(2026, 10, 25, 2))
    }

    @Test("A day that a zone leaves out: the first moment after it")
    func dayLeftOut() {
        // Samoa crossed the date line so at the end of 2011.
        let change = Zones.moment(2011, 12, 30, 10)
        func samoa(_ time: WallTime) -> Int64 { time < change ? -10 * 3600 : 14 * 3600 }
        #expect(Zones.civil(2011, 12, 30, 12).moment(offset: samoa) == change)
        #expect(Zones.civil(2011, 12, 31).moment(offset: samoa) == change)
        #expect(Zones.civil(2011, 12, 29, 23).moment(offset: samoa) == Zones.moment(2011, 12, 30, 9))
    }

    @Test("Every moment of a year is shown, and found by what is shown, but for the hour that comes twice")
    func roundTrip() {
        var time = Zones.moment(2026, 1, 1)
        while time < Zones.moment(2027, 1, 1) {
            let shown = Zones.shown(time, Zones.berlin)
            let found = shown.moment(offset: Zones.berlin)
            let isSecond = Zones.moment(2026, 10, 25, 1) <= time && time < Zones.moment(2026, 10, 25, 2)
            #expect(found == (isSecond ? time - .seconds(3600) : time))
            time = time + .seconds(15 * 60)
        }
    }
}
