/// Times on the wire: decimal seconds as text, nanoseconds in the program, no floating point between them.
public enum Seconds {
    private static let nanosecondsPerMillisecond: Int64 = 1_000_000
    private static let decimals = 9

    /// Seconds with three decimals, rounded down (towards minus infinity), such as "571.204"; `Int64.max` is "inf".
    public static func text(nanoseconds: Int64) -> String {
        if nanoseconds == .max { return "inf" }
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: nanosecondsPerMillisecond)
        let milliseconds = remainder < 0 ? quotient - 1 : quotient
        let (seconds, rest) = milliseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
        let fraction = rest < 10 ? "00\(rest)" : rest < 100 ? "0\(rest)" : "\(rest)"
        return "\(milliseconds < 0 ? "-" : "")\(seconds).\(fraction)"
    }

    /// The same with six decimals, for what takes less than a millisecond: "0.000412".
    public static func fineText(nanoseconds: Int64) -> String {
        if nanoseconds == .max { return "inf" }
        let microseconds = (nanoseconds.magnitude + (nanoseconds < 0 ? 999 : 0)) / 1000
        let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let digits = String(rest)
        return (nanoseconds < 0 ? "-" : "") + "\(seconds)." + String(repeating: "0", count: 6 - digits.count) + digits
    }

    /// Nanoseconds of an optional `-`, digits, and optionally a point and 1 to 9 decimals; "inf" is `Int64.max`.
    ///
    /// Nil for anything else, and for what 64 bits can't hold.
    public static func parse(_ text: String) -> Int64? {
        if text == "inf" { return .max }
        let isNegative = text.utf8.first == ASCII.minus
        guard let negated = negatedNanoseconds(text.utf8.dropFirst(isNegative ? 1 : 0)) else { return nil }
        if isNegative { return negated }
        return negated == .min ? nil : -negated
    }

    private static func negatedNanoseconds(_ text: Substring.UTF8View) -> Int64? {
        let whole = text.prefix(while: ASCII.isDigit)
        guard !whole.isEmpty, var total = subtract(whole, from: 0) else { return nil }
        var fraction = text[whole.endIndex...]
        if !fraction.isEmpty {
            guard fraction.removeFirst() == ASCII.point, !fraction.isEmpty else { return nil }
        }
        guard fraction.count <= decimals, fraction.allSatisfy(ASCII.isDigit) else { return nil }
        for digits in [fraction, "000000000".dropFirst(fraction.count).utf8] {
            guard let next = subtract(digits, from: total) else { return nil }
            total = next
        }
        return total
    }

    /// Appends decimal digits to a number that is not above zero, so that `Int64.min` needs no special case.
    private static func subtract(_ digits: Substring.UTF8View, from start: Int64) -> Int64? {
        var total = start
        for digit in digits {
            let (tenfold, overflows) = total.multipliedReportingOverflow(by: 10)
            let (sum, underflows) = tenfold.subtractingReportingOverflow(Int64(digit - ASCII.zero))
            if overflows || underflows { return nil }
            total = sum
        }
        return total
    }
}
