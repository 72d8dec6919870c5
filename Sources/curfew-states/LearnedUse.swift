import CurfewCore

/// Two weeks of an app that asks to fetch once an hour, by virtual time: opened at 08:00 and 18:30 on workdays and at noon on
/// weekends, some minutes later each time.
struct LearnedUse {
    /// What came of one day, in minutes since midnight.
    struct Day {
        var openings: [Int] = []
        var fetches: [Int] = []
    }

    private(set) var days: [Day] = []
    private var schedule = FetchSchedule()
    private static let interval = Span.seconds(3600)
    private static let secondsOfDay: Int64 = 86_400
    /// 20 April 2026, a Monday.
    private static let first = WallTime.seconds(1_776_643_200)

    init() {
        schedule.define(Self.interval, at: Self.first, offset: Self.offset)
        for number in 0..<14 { play(number) }
    }

    /// Clocks there show UTC.
    private static func offset(_: WallTime) -> Int64 { 0 }

    private mutating func play(_ number: Int) {
        let midnight = Self.first + .seconds(Int64(number) * Self.secondsOfDay)
        days.append(Day())
        for minute in Self.openings(on: number) {
            let time = midnight + .seconds(Int64(minute) * 60)
            fetch(until: time, since: midnight)
            days[number].openings.append(minute)
            if let shown = CivilTime(time, offset: Self.offset) {
                schedule.opened(UseHabits.Opening(time, shown: shown), offset: Self.offset)
            }
        }
        fetch(until: midnight + .seconds(Self.secondsOfDay), since: midnight)
    }

    private static func openings(on number: Int) -> [Int] {
        let late = number * 7 % 10
        return (number % 7 >= 5 ? [12 * 60] : [8 * 60, 18 * 60 + 30]).map { $0 + late }
    }

    /// All that is due before `end`, each finding something new.
    private mutating func fetch(until end: WallTime, since midnight: WallTime) {
        while let due = schedule.due, due < end {
            days[days.count - 1].fetches.append(Int((due.microseconds - midnight.microseconds) / 60_000_000))
            schedule.began(at: due, offset: Self.offset)
            schedule.completed(.newData, at: due, offset: Self.offset)
        }
    }
}
