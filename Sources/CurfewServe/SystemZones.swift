import CurfewCore
import CurfewEngine
import Foundation

/// The tz database, as Foundation reads it. The machine's zone is that of TZ, else that of /etc/localtime.
final class SystemZones: ZoneTables {
    /// A time in which one offset holds: from its first second on, before its end.
    private struct Stretch {
        let range: Range<Int64>
        let offset: Int64
    }

    /// What was found of each zone; asking again costs a thousand times as much.
    private var stretches: [CalendarRule.Zone: [Stretch]] = [:]
    private var zones: [CalendarRule.Zone: TimeZone?] = [:]
    /// What was found last: of thousands that are looked at most ask for the same.
    private var last: (zone: CalendarRule.Zone, stretch: Stretch)?
    /// More than a zone changes in a lifetime: then it is begun anew.
    private static let mostStretches = 256

    func isKnown(_ name: String) -> Bool { TimeZone(identifier: name) != nil }

    func reload() {
        NSTimeZone.resetSystemTimeZone()
        zones = [:]
        stretches = [:]
        last = nil
    }

    func offset(of zone: CalendarRule.Zone, at time: WallTime) -> Int64 {
        let second = time.microseconds / 1_000_000
        if let last, last.stretch.range.contains(second), last.zone == zone { return last.stretch.offset }
        guard let found = stretch(of: zone, at: second) else { return 0 }
        last = (zone, found)
        return found.offset
    }

    private func stretch(of zone: CalendarRule.Zone, at second: Int64) -> Stretch? {
        if let known = stretches[zone]?.first(where: { $0.range.contains(second) }) { return known }
        guard let table = table(of: zone) else { return nil }
        let found = Self.stretch(of: table, at: second)
        if stretches[zone]?.count ?? 0 >= Self.mostStretches { stretches[zone] = [] }
        stretches[zone, default: []].append(found)
        return found
    }

    private static func stretch(of table: TimeZone, at second: Int64) -> Stretch {
        let date = Date(timeIntervalSince1970: Double(second))
        let offset = Int64(table.secondsFromGMT(for: date))
        let next = table.nextDaylightSavingTimeTransition(after: date)
        // Half a year at most: not every change of a zone's clocks is one to or from summer time.
        let end = min(second + halfYear, next.map { Int64($0.timeIntervalSince1970) } ?? .max)
        let last = Int64(table.secondsFromGMT(for: Date(timeIntervalSince1970: Double(end - 1))))
        return Stretch(range: second..<(last == offset ? max(end, second + 1) : second + 1), offset: offset)
    }

    private static let halfYear: Int64 = 182 * 86_400

    private func table(of zone: CalendarRule.Zone) -> TimeZone? {
        if let known = zones[zone] { return known }
        let found: TimeZone? =
            switch zone {
            case .local: TimeZone.current
            case .named(let name): TimeZone(identifier: name)
            }
        zones[zone] = found
        return found
    }
}
