/// A point of time in nanoseconds: of CLOCK_MONOTONIC, since the machine started, or of lifecycle time (`Moment`), which is
/// the same where nobody holds it.
///
/// The machine's clock stands still while the machine sleeps, so a laptop's sleep spends no budget.
/// Source: clock_gettime(2).
public struct Instant: Sendable, Hashable, Comparable {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// A moment no clock reaches: a deadline that never comes.
    public static let distantFuture = Instant(nanoseconds: .max)

    /// Before any other: a deadline that has come whatever the time is.
    static let distantPast = Instant(nanoseconds: .min)

    public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Adding an infinite span, or one past the clock's range, gives `distantFuture`.
    public static func + (instant: Instant, span: Span) -> Instant {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(span.nanoseconds)
        return overflow ? .distantFuture : Instant(nanoseconds: sum)
    }

    /// Taking a span from `distantFuture` leaves it where it is.
    public static func - (instant: Instant, span: Span) -> Instant {
        if instant == .distantFuture { return instant }
        let (difference, overflow) = instant.nanoseconds.subtractingReportingOverflow(span.nanoseconds)
        return overflow ? Instant(nanoseconds: .min) : Instant(nanoseconds: difference)
    }

    public static func - (later: Instant, earlier: Instant) -> Span {
        if later == .distantFuture { return .infinite }
        return Span(nanoseconds: later.nanoseconds - earlier.nanoseconds)
    }
}

/// A length of time in nanoseconds; `infinite` is longer than any other.
public struct Span: Sendable, Hashable, Comparable {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static let zero = Span(nanoseconds: 0)
    public static let infinite = Span(nanoseconds: .max)

    public static func seconds(_ count: Int64) -> Span { Span(nanoseconds: count * 1_000_000_000) }
    public static func milliseconds(_ count: Int64) -> Span { Span(nanoseconds: count * 1_000_000) }
    public static func microseconds(_ count: Int64) -> Span { Span(nanoseconds: count * 1_000) }

    public var isInfinite: Bool { self == .infinite }

    public static func < (left: Span, right: Span) -> Bool { left.nanoseconds < right.nanoseconds }

    public static func + (left: Span, right: Span) -> Span {
        if left.isInfinite || right.isInfinite { return .infinite }
        let (sum, overflow) = left.nanoseconds.addingReportingOverflow(right.nanoseconds)
        return overflow ? .infinite : Span(nanoseconds: sum)
    }

    /// Taking anything from an infinite span leaves it infinite.
    public static func - (left: Span, right: Span) -> Span {
        if left.isInfinite { return .infinite }
        return Span(nanoseconds: left.nanoseconds - right.nanoseconds)
    }

    /// This span divided by `scale` (above 0); an infinite one stays infinite, and no other becomes 0.
    public func scaled(by scale: Double) -> Span {
        if isInfinite || self == .zero { return self }
        let divided = Double(nanoseconds) / scale
        if divided >= Double(Int64.max) { return .infinite }
        return Span(nanoseconds: max(1, Int64(divided)))
    }
}
