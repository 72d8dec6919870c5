import CCurfew
import Glibc

/// What time it is for the store; a test's moves only when it says so.
public struct StoreClock: Sendable {
    /// Nanoseconds of CLOCK_MONOTONIC.
    var monotonic: @Sendable () -> Int64
    /// Seconds since 1970.
    var calendar: @Sendable () -> Int
    /// Does nothing for so many milliseconds.
    var pause: @Sendable (Int64) -> Void

    public init(
        monotonic: @escaping @Sendable () -> Int64, calendar: @escaping @Sendable () -> Int,
        pause: @escaping @Sendable (Int64) -> Void
    ) {
        self.monotonic = monotonic
        self.calendar = calendar
        self.pause = pause
    }

    public static let system = StoreClock(
        monotonic: { curfew_monotonic_nanoseconds() }, calendar: { time(nil) },
        pause: { milliseconds in usleep(UInt32(milliseconds * 1000)) })

    /// SQLite's busy handler: short pauses first, none once `StoreBounds.busyMilliseconds` are over.
    func waitsAgain(after tries: Int) -> Bool {
        let waited = (0..<min(tries, 64)).reduce(0) { $0 + Self.pause(after: $1) }
        let left = StoreBounds.busyMilliseconds - waited
        guard left > 0 else { return false }
        pause(min(left, Self.pause(after: tries)))
        return true
    }

    private static func pause(after tries: Int) -> Int64 { tries < 6 ? 1 << Int64(tries) : 50 }
}

/// How long until what couldn't be written is tried again: 1 s, doubling up to 5 min.
struct RetryPause {
    private static let second: Int64 = 1_000_000_000
    private static let longest = 300 * second
    private var pause = second

    /// The next pause, in nanoseconds; the one after it is longer.
    mutating func next() -> Int64 {
        defer { pause = min(2 * pause, Self.longest) }
        return pause
    }
}
