/// A moment of the wall clock, in microseconds since 1970 began in UTC. Unlike an `Instant` it can jump, as that clock does.
public struct WallTime: Sendable, Hashable, Comparable {
    public var microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// A moment that never comes.
    public static let distantFuture = WallTime(microseconds: .max)

    /// Before any other.
    public static let distantPast = WallTime(microseconds: .min)

    public static func seconds(_ count: Int64) -> WallTime { WallTime(microseconds: count * 1_000_000) }

    /// Whole seconds since 1970, those before it as the earlier one.
    var wholeSeconds: Int64 { microseconds.flooredQuotient(by: 1_000_000) }

    public static func < (left: WallTime, right: WallTime) -> Bool { left.microseconds < right.microseconds }

    /// Adding an infinite span, or one past the clock's range, gives `distantFuture`.
    public static func + (time: WallTime, span: Span) -> WallTime {
        if span.isInfinite { return .distantFuture }
        let (sum, overflow) = time.microseconds.addingReportingOverflow(span.nanoseconds / 1000)
        return overflow ? (span < .zero ? .distantPast : .distantFuture) : WallTime(microseconds: sum)
    }

    public static func - (time: WallTime, span: Span) -> WallTime {
        if span.isInfinite { return .distantPast }
        return time + Span(nanoseconds: -span.nanoseconds)
    }

    /// Infinite where a span can't be as long.
    public static func - (later: WallTime, earlier: WallTime) -> Span {
        let (difference, overflow) = later.microseconds.subtractingReportingOverflow(earlier.microseconds)
        let (nanoseconds, isTooLong) = difference.multipliedReportingOverflow(by: 1000)
        return overflow || isTooLong ? .infinite : Span(nanoseconds: nanoseconds)
    }
}

extension Int64 {
    /// Rounded down, below zero too. `divisor`: above 0.
    func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// What `flooredQuotient` leaves: 0 or above.
    func flooredRemainder(by divisor: Int64) -> Int64 { self - flooredQuotient(by: divisor) * divisor }
}
