import CurfewWire
import Glibc

/// Durations as people type them: those of GNU timeout, and the time spans of systemd.
public enum DurationArgument {
    /// What is accepted, for messages about a bad value.
    public static let accepted = "a duration such as 90, 1.5s, 10m, 1h30min or inf"

    /// Nanoseconds, 0 or more; `Int64.max` for "inf" and what is as long. Nil for what is no time; see `TimeSpan`.
    public static func parse(_ text: String) -> Int64? { TimeSpan.parse(text) }

    /// What strtod(3) reads and `parse` doesn't, with at most one of s, m, h and d: hexadecimal numbers, `inf` with a unit,
    /// a zero with a minus. Nil below zero, and for `nan`.
    public static func parseAsTimeout(_ text: String) -> Int64? {
        text.withCString { text in
            var end: UnsafeMutablePointer<CChar>?
            errno = 0
            var number = strtod(text, &end)
            // Too small for a double; neither zero, which would be no limit, nor, with a minus, anything.
            if number == 0, errno == ERANGE { number = number.sign == .minus ? -1 : .leastNonzeroMagnitude }
            guard let end, end != UnsafeMutablePointer(mutating: text), number >= 0 else { return nil }
            guard let unit = unit(end) else { return nil }
            let product = (number * unit).rounded(.up)
            return product < 9e18 ? Int64(product) : .max
        }
    }

    private static func unit(_ suffix: UnsafePointer<CChar>) -> Double? {
        switch UInt8(bitPattern: suffix[0]) {
        case 0: return 1e9
        case _ where suffix[1] != 0: return nil
        case UInt8(ascii: "s"): return 1e9
        case UInt8(ascii: "m"): return 60e9
        case UInt8(ascii: "h"): return 3600e9
        case UInt8(ascii: "d"): return 86400e9
        default: return nil
        }
    }
}
