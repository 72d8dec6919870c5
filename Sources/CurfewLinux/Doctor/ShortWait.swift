import CCurfew
import Glibc

/// Waiting for what should come at once, so that a doctor never hangs.
enum ShortWait {
    static let milliseconds: Int32 = 1000

    /// Whether it comes true in time; looked at every half millisecond.
    static func until(_ condition: () -> Bool) -> Bool {
        let deadline = curfew_monotonic_nanoseconds() + Int64(milliseconds) * 1_000_000
        while !condition() {
            if curfew_monotonic_nanoseconds() > deadline { return false }
            usleep(500)
        }
        return true
    }
}
