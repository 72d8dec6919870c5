@testable import CurfewCore

/// When something is due, as somebody finds it who has a calendar on the wall and a list of when clocks are changed.
struct ReferenceRule {
    /// What is shown at the first of its moments: which page of the calendar, which place on it, which minute of that day.
    private let page: Int
    private let place: Int
    private let minute: Int64
    /// Past that minute, in microseconds; 0 where it goes by a zone's clocks.
    private let rest: Int64
    let zone: CalendarRule.Zone?
    let repetition: CalendarRule.Repetition?

    /// `time`: what is shown at first, in microseconds since 1970 began; `minute`: on that day, in place of its own.
    init(
        _ time: Int64, minute: Int64?, rest: Int64, _ zone: CalendarRule.Zone?, _ repetition: CalendarRule.Repetition?
    ) {
        let found = ReferenceCalendar.place(of: time / 86_400_000_000)
        page = found.page
        place = found.place
        self.minute = minute ?? time / 60_000_000 % 1_440
        self.rest = rest
        self.zone = zone
        self.repetition = repetition
    }

    /// The same for those who are tested.
    var rule: CalendarRule {
        guard let zone else {
            let first = Self.seconds(firstDay, minute) * 1_000_000 + rest
            return CalendarRule(.moment(WallTime(microseconds: first)), repetition)
        }
        let (year, month) = (ReferenceCalendar.firstYear + page / 12, page % 12 + 1)
        let shown = Zones.civil(year, month, place + 1, Int(minute) / 60, Int(minute) % 60)
        return CalendarRule(.civil(shown, zone), repetition)
    }

    // MARK: When

    /// The moment after `count` others, in microseconds since 1970 began; nil: it comes no more.
    func moment(_ count: Int64, _ zones: ReferenceZones) -> Int64? {
        switch repetition {
        case nil: count == 0 ? moment(on: firstDay, zones) : nil
        case .every(let period)?: moment(on: firstDay, zones) + count * Self.microseconds(period)
        case .daily?: moment(on: firstDay + count, zones)
        case .weekly?: moment(on: firstDay + 7 * count, zones)
        case .monthly?: moment(on: day(onPage: page + Int(count)), zones)
        case .yearly?: moment(on: day(onPage: page + 12 * Int(count)), zones)
        }
    }

    /// How many of its moments are over by `now`, of which `least` are in any case.
    func passed(by now: Int64, atLeast least: Int64, _ zones: ReferenceZones) -> Int64 {
        if case .every(let period)? = repetition {
            let first = moment(on: firstDay, zones)
            return now < first ? least : max(least, (now - first) / Self.microseconds(period) + 1)
        }
        var count = least
        while let next = moment(count, zones), next <= now { count += 1 }
        return count
    }

    private var firstDay: Int64 { ReferenceCalendar.pages[page][place] }

    /// The last one of a page that is too short.
    private func day(onPage page: Int) -> Int64 {
        let days = ReferenceCalendar.pages[page]
        return days[min(place, days.count - 1)]
    }

    private func moment(on day: Int64, _ zones: ReferenceZones) -> Int64 {
        let shown = Self.seconds(day, minute)
        guard let zone else { return shown * 1_000_000 + rest }
        return zones[zone].moment(showing: shown) * 1_000_000 + rest
    }

    private static func seconds(_ day: Int64, _ minute: Int64) -> Int64 { (day * 1_440 + minute) * 60 }

    private static func microseconds(_ period: Span) -> Int64 { period.nanoseconds / 1_000 }
}

enum ReferenceCalendar {
    static let firstYear = 2025

    /// A page for each month, and on it the numbers of its days, counted from 1 January 1970 on.
    static let pages: [[Int64]] = {
        var pages: [[Int64]] = []
        var next: Int64 = 20_089
        for year in firstYear...2034 {
            let february: Int64 = year == 2028 || year == 2032 ? 29 : 28
            for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
                pages.append(Array(next..<next + days))
                next += days
            }
        }
        return pages
    }()

    static func place(of day: Int64) -> (page: Int, place: Int) {
        for (page, days) in pages.enumerated() where days[0] <= day && day < days[0] + Int64(days.count) {
            return (page: page, place: Int(day - days[0]))
        }
        preconditionFailure("day \(day) is on no page")
    }
}

/// What the clocks of a zone show: how many seconds they are ahead of UTC, and from which second on.
struct ReferenceZone: Sendable {
    private let changes: [(from: Int64, offset: Int64)]

    private init(_ first: Int64, _ changes: [(from: Int64, offset: Int64)]) {
        self.changes = [(from: Int64.min, offset: first)] + changes
    }

    static let berlin = ReferenceZone(
        3_600,
        [
            (from: 1_774_746_000, offset: 7_200), (from: 1_792_890_000, offset: 3_600),
            (from: 1_806_195_600, offset: 7_200), (from: 1_824_944_400, offset: 3_600),
        ])
    static let newYork = ReferenceZone(
        -18_000,
        [
            (from: 1_772_953_200, offset: -14_400), (from: 1_793_512_800, offset: -18_000),
            (from: 1_805_007_600, offset: -14_400), (from: 1_825_567_200, offset: -18_000),
        ])
    /// By half an hour.
    static let lordHowe = ReferenceZone(
        39_600, [(from: 1_775_314_800, offset: 37_800), (from: 1_791_041_400, offset: 39_600)])
    /// An island that leaves out 1 May 2026, as one did that went over to the other side of the date line.
    static let westOfTheLine = ReferenceZone(-39_600, [(from: 1_777_633_200, offset: 46_800)])
    /// One that goes the other way, and has that evening and much of the day twice.
    static let eastOfTheLine = ReferenceZone(46_800, [(from: 1_777_633_200, offset: -39_600)])

    static let all = [berlin, newYork, lordHowe, westOfTheLine, eastOfTheLine]

    func offset(at second: Int64) -> Int64 {
        var offset = changes[0].offset
        for change in changes where change.from <= second { offset = change.offset }
        return offset
    }

    /// The first second at which they show that, or more.
    func moment(showing shown: Int64) -> Int64 {
        for index in changes.indices.dropLast() {
            let moment = max(changes[index].from, shown - changes[index].offset)
            if moment < changes[index + 1].from { return moment }
        }
        let last = changes[changes.count - 1]
        return max(last.from, shown - last.offset)
    }
}

/// The machine's zone, which can be another one by and by, and those that go by a name.
struct ReferenceZones: Sendable {
    var local = ReferenceZone.berlin

    subscript(zone: CalendarRule.Zone) -> ReferenceZone {
        switch zone {
        case .local: local
        case .named("America/New_York"): .newYork
        case .named: .berlin
        }
    }

    /// The same for those who are tested.
    var offsets: LocalNotifications.Offsets {
        { zone, time in self[zone].offset(at: time.microseconds / 1_000_000) }
    }
}
