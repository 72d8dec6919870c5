import CurfewCore

@testable import CurfewEngine

/// One zone, an hour ahead of UTC; the machine's is two, or what a test says.
final class FakeZones: ZoneTables {
    var local: Int64 = 7200
    private(set) var readings = 0

    /// How often it was asked for an offset.
    private(set) var questions = 0

    func offset(of zone: CalendarRule.Zone, at time: WallTime) -> Int64 {
        questions += 1
        return zone == .local ? local : 3600
    }
    func isKnown(_ name: String) -> Bool { name == "Europe/Berlin" }
    func reload() { readings += 1 }
}
