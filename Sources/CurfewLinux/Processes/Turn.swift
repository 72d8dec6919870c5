import CCurfew

/// How much of something long is done before it is others' turn: so many processes however long they take, and what can be
/// done in a few milliseconds.
///
/// A process takes 20 to 300 µs, and thousands would hold up everything else for seconds.
public struct Turn: Sendable {
    /// What so few have is done at one go, on a busy machine too.
    public static let fewest = 32
    public static let microseconds: Int64 = 5_000

    private var left: Int
    /// On the clock of `curfew_monotonic_nanoseconds`.
    let end: Int64

    public init(fewest: Int = Self.fewest, microseconds: Int64 = Self.microseconds) {
        left = fewest
        end = curfew_monotonic_nanoseconds() + microseconds * 1000
    }

    /// Whether it is over, with one process more.
    mutating func isOver() -> Bool {
        left -= 1
        return left <= 0 && curfew_monotonic_nanoseconds() >= end
    }
}
