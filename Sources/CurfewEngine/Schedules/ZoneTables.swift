import CurfewCore

/// What clocks show in each zone: the tz database, as whoever composes a server has it.
public protocol ZoneTables: AnyObject {
    /// How many seconds the clocks there are ahead of UTC then; of a zone that isn't known 0.
    func offset(of zone: CalendarRule.Zone, at time: WallTime) -> Int64
    /// Whether there is one of that name.
    func isKnown(_ name: String) -> Bool
    /// The machine's zone, or its rules, may be others now.
    func reload()
}
