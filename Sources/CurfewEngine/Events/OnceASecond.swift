import CurfewCore

/// Tells what somebody outside can bring about as often as he likes once a second at most, so that it doesn't push all else
/// out of the history.
struct OnceASecond {
    private var last: Instant?

    /// Whether it is to be told now.
    mutating func isTold(at now: Instant) -> Bool {
        if let last, now - last < .seconds(1) { return false }
        last = now
        return true
    }
}
