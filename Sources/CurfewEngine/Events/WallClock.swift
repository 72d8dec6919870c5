import CCurfew
import CurfewCore

/// The calendar's time of an instant, by what the two clocks say now.
enum WallClock {
    /// How close together they are to be read, in nanoseconds, and how often that is tried: whoever stands still between the
    /// two would have everything happen so much later.
    private static let closeness: Int64 = 100_000
    private static let tries = 4

    /// In nanoseconds since 1970.
    static func nanoseconds(of instant: Instant) -> Int64 { instant.nanoseconds + offset() }

    /// How far the one clock is ahead of the other; of several readings the closest.
    private static func offset() -> Int64 {
        var best: (offset: Int64, gap: Int64) = (0, .max)
        for _ in 0..<tries {
            if best.gap <= closeness { break }
            let before = curfew_monotonic_nanoseconds()
            let realtime = curfew_realtime_nanoseconds()
            let gap = curfew_monotonic_nanoseconds() - before
            if gap < best.gap { best = (realtime - before - gap / 2, gap) }
        }
        return best.offset
    }
}
