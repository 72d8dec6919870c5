/// Durations and sizes for people: two units at most.
///
/// Durations are rounded to the nearest, so that half a second just begun isn't shown as 0.4 s; sizes are rounded down,
/// so that a limit not yet reached isn't shown as reached. Nothing above zero is shown as zero.
public enum HumanText {
    /// A duration such as "40 ms", "0.4 s", "12 s", "10 min 5 s", "2 h 3 min" or "3 d 4 h"; `Int64.max` is "unlimited".
    public static func duration(nanoseconds: Int64) -> String {
        if nanoseconds == .max { return "unlimited" }
        return (nanoseconds < 0 ? "-" : "") + duration(nanoseconds.magnitude)
    }

    /// A size such as "3 B", "12 KiB" or "199.6 MiB"; `UInt64.max` is "unlimited".
    public static func size(bytes: UInt64) -> String {
        if bytes == .max { return "unlimited" }
        let prefixes = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        let power = bytes == 0 ? 0 : (UInt64.bitWidth - 1 - bytes.leadingZeroBitCount) / 10
        return "\(tenths(bytes, of: 1 << UInt64(10 * power))) \(prefixes[power])"
    }

    /// A share such as "0.25 %", "1.5 %" or "230 %", to two digits below 100 %. `whole`: above zero.
    public static func percent(_ part: Int64, of whole: Int64) -> String {
        let exact = min(Double(max(0, part)) * 10_000 / Double(max(1, whole)), 1e15)
        let hundredths = max(part > 0 ? 1 : 0, UInt64(exact.rounded()))
        switch hundredths {
        case ..<100:
            let digits = hundredths % 10 == 0 ? "\(hundredths / 10)" : (hundredths < 10 ? "0" : "") + "\(hundredths)"
            return (hundredths == 0 ? "0" : "0.\(digits)") + " %"
        case ..<995: return tenths((hundredths + 5) / 10, of: 10) + " %"
        default: return "\((hundredths + 50) / 100) %"
        }
    }

    private static func duration(_ exact: UInt64) -> String {
        let nanoseconds = rounded(exact)
        let seconds = nanoseconds / 1_000_000_000
        switch nanoseconds {
        case 0: return "0 s"
        case ..<1_000: return "\(nanoseconds) ns"
        case ..<1_000_000: return "\(nanoseconds / 1_000) us"
        case ..<100_000_000: return "\(nanoseconds / 1_000_000) ms"
        case ..<10_000_000_000: return "\(tenths(nanoseconds, of: 1_000_000_000)) s"
        case ..<60_000_000_000: return "\(seconds) s"
        case ..<3_600_000_000_000: return pair(seconds, 60, "min", 1, "s")
        case ..<86_400_000_000_000: return pair(seconds, 3_600, "h", 60, "min")
        default: return pair(seconds, 86_400, "d", 3_600, "h")
        }
    }

    /// To the last digit that is shown of such a duration, half of it up. What becomes as long as the next kind, as
    /// 59.6 s does, is a multiple of what is shown of those.
    private static func rounded(_ nanoseconds: UInt64) -> UInt64 {
        let digit: UInt64
        switch nanoseconds {
        case ..<1_000: return nanoseconds
        case ..<1_000_000: digit = 1_000
        case ..<100_000_000: digit = 1_000_000
        case ..<10_000_000_000: digit = 100_000_000
        case ..<3_600_000_000_000: digit = 1_000_000_000
        case ..<86_400_000_000_000: digit = 60_000_000_000
        default: digit = 3_600_000_000_000
        }
        return (nanoseconds + digit / 2) / digit * digit
    }

    private static func pair(
        _ seconds: UInt64, _ large: UInt64, _ largeUnit: String, _ small: UInt64, _ smallUnit: String
    ) -> String {
        let rest = seconds % large / small
        return "\(seconds / large) \(largeUnit)" + (rest == 0 ? "" : " \(rest) \(smallUnit)")
    }

    /// With one decimal, unless that is zero.
    private static func tenths(_ amount: UInt64, of unit: UInt64) -> String {
        let tenth = amount % unit * 10 / unit
        return "\(amount / unit)" + (tenth == 0 ? "" : ".\(tenth)")
    }
}
