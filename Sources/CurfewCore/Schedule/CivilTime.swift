/// What a calendar and a clock on the wall show, wherever that is: a date of the Gregorian calendar, and a time of day.
public struct CivilTime: Sendable, Hashable {
    public let year: Int
    /// From 1 on.
    public let month: Int
    /// From 1 on.
    public let day: Int
    /// Since midnight, as the clock shows it: below 86,400.
    public let secondOfDay: Int

    /// The years that one can be in: before, no machine's clock is.
    public static let years = 1970...9999

    /// Nil for what no calendar and no clock shows; a leap second is none of these.
    public init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        guard Self.years ~= year, 1...12 ~= month, 1...Self.days(inMonth: month, of: year) ~= day,
            0..<24 ~= hour, 0..<60 ~= minute, 0..<60 ~= second
        else { return nil }
        self.init(year, month, day, secondOfDay: hour * 3600 + minute * 60 + second)
    }

    private init(_ year: Int, _ month: Int, _ day: Int, secondOfDay: Int) {
        self.year = year
        self.month = month
        self.day = day
        self.secondOfDay = secondOfDay
    }

    public static func days(inMonth month: Int, of year: Int) -> Int {
        if month == 2 { return isLeap(year) ? 29 : 28 }
        return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    // MARK: By days

    /// Days since 1 January 1970.
    ///
    /// Counted from 1 March on, so that a leap day is its year's last, in eras of 400 years, which are all as long.
    public var dayNumber: Int64 {
        let march = Int64(month > 2 ? month - 3 : month + 9)
        let marchYear = Int64(month > 2 ? year : year - 1)
        let era = marchYear.flooredQuotient(by: 400)
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * march + 2) / 5 + Int64(day) - 1
        return era * Self.daysOfEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - Self.daysBefore1970
    }

    private static let daysOfEra: Int64 = 146_097
    /// From 1 March of the year 0.
    private static let daysBefore1970: Int64 = 719_468

    /// Nil outside `years`. `secondOfDay`: below 86,400.
    init?(dayNumber: Int64, secondOfDay: Int) {
        let days = dayNumber + Self.daysBefore1970
        let era = days.flooredQuotient(by: Self.daysOfEra)
        let dayOfEra = days - era * Self.daysOfEra
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let march = (5 * dayOfYear + 2) / 153
        let month = Int(march < 10 ? march + 3 : march - 9)
        let year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
        guard Self.years ~= year else { return nil }
        self.init(year, month, Int(dayOfYear - (153 * march + 2) / 5) + 1, secondOfDay: secondOfDay)
    }

    /// From 1, Monday, to 7, as ISO 8601 counts.
    public var weekday: Int { Int((dayNumber + 3).flooredRemainder(by: 7)) + 1 }

    public var minuteOfDay: Int { secondOfDay / 60 }

    // MARK: Further on

    /// As late on another day; nil outside `years`.
    public func adding(days: Int64) -> CivilTime? {
        let (number, overflow) = dayNumber.addingReportingOverflow(days)
        guard !overflow, abs(number) < 5_000_000 else { return nil }
        return CivilTime(dayNumber: number, secondOfDay: secondOfDay)
    }

    /// On that day of another month, or on the last where the month lacks it; nil outside `years`.
    public func adding(months: Int64) -> CivilTime? {
        guard abs(months) < 200_000 else { return nil }
        let count = Int64(year) * 12 + Int64(month - 1) + months
        let (year, month) = (Int(count.flooredQuotient(by: 12)), Int(count.flooredRemainder(by: 12)) + 1)
        guard Self.years ~= year else { return nil }
        return CivilTime(year, month, min(day, Self.days(inMonth: month, of: year)), secondOfDay: secondOfDay)
    }

    // MARK: In a zone

    /// How many seconds a zone's clocks are ahead of UTC at a moment: what its tables say.
    public typealias Offset = (WallTime) -> Int64

    /// What is shown at that moment; nil outside `years`.
    public init?(_ time: WallTime, offset: Offset) {
        let seconds = time.wholeSeconds + offset(time)
        self.init(
            dayNumber: seconds.flooredQuotient(by: Self.secondsOfDay),
            secondOfDay: Int(seconds.flooredRemainder(by: Self.secondsOfDay)))
    }

    private static let secondsOfDay: Int64 = 86_400

    /// When the clocks of a zone show this: of two moments the first; where they never do, since they are put forward over it, the
    /// first moment after.
    public func moment(offset: Offset) -> WallTime {
        let shown = dayNumber * Self.secondsOfDay + Int64(secondOfDay)
        // No zone is further from UTC than a day.
        let (early, late) = (WallTime.seconds(shown - Self.secondsOfDay), WallTime.seconds(shown + Self.secondsOfDay))
        let before = offset(early)
        let first = WallTime.seconds(shown - before)
        if offset(first) == before { return first }
        let second = WallTime.seconds(shown - offset(late))
        if offset(second) == offset(late) { return second }
        return Self.change(of: before, from: early.wholeSeconds, to: late.wholeSeconds, offset)
    }

    /// The first second at which a zone's offset isn't that any more.
    private static func change(of before: Int64, from early: Int64, to late: Int64, _ offset: Offset) -> WallTime {
        var (early, late) = (early, late)
        while late - early > 1 {
            let middle = early + (late - early) / 2
            if offset(.seconds(middle)) == before { early = middle } else { late = middle }
        }
        return .seconds(late)
    }
}
