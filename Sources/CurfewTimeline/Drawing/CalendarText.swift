/// A moment of the calendar, in UTC: the picture is the same wherever it is drawn.
enum CalendarText {
    /// Such as "2025-11-21 12:45:09.123 UTC", of nanoseconds since 1970.
    static func text(_ nanoseconds: Int64) -> String {
        let milliseconds = max(0, nanoseconds) / 1_000_000
        let date = date(ofDay: milliseconds / 86_400_000)
        let rest = milliseconds % 86_400_000
        let clock = [rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60].map { padded($0, 2) }
        return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2)) "
            + clock.joined(separator: ":") + "." + padded(rest % 1_000, 3) + " UTC"
    }

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    /// Of days since 1970-01-01 in the Gregorian calendar, where a year is counted from March: its leap day is its last.
    private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // 719,468 days lie between March 1 of the year 0 and 1970; an era of 400 years has 146,097.
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = 400 * era + yearOfEra + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
