@testable import CurfewCore

/// Zones for tests, by rules that are easily foreseen.
enum Zones {
    /// Central Europe in 2026: an hour ahead, two from 29 March, 01:00 UTC, to 25 October, 01:00 UTC.
    static func berlin(_ time: WallTime) -> Int64 {
        moment(2026, 3, 29, 1) <= time && time < moment(2026, 10, 25, 1) ? 7200 : 3600
    }

    static func utc(_: WallTime) -> Int64 { 0 }

    static func newYork(_: WallTime) -> Int64 { -5 * 3600 }

    static func moment(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0) -> WallTime {
        civil(year, month, day, hour, minute).moment(offset: utc)
    }

    static func civil(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0) -> CivilTime {
        guard let time = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute) else {
            preconditionFailure("no calendar shows \(year)-\(month)-\(day) \(hour):\(minute)")
        }
        return time
    }

    /// What a zone shows at a moment of the years that there are.
    static func shown(_ time: WallTime, _ offset: CivilTime.Offset = utc) -> CivilTime {
        guard let shown = CivilTime(time, offset: offset) else { preconditionFailure("no calendar shows \(time)") }
        return shown
    }

    /// So many days after 20 April 2026, a Monday.
    static func april(_ days: Int64) -> CivilTime {
        shown(moment(2026, 4, 20) + .seconds(days * 86_400))
    }
}
