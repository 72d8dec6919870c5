/// Times of a monkey's steps, in nanoseconds.
enum MonkeyTime {
    static let millisecond: Int64 = 1_000_000
    /// From the roundest.
    private static let units: [Int64] = [60_000, 10_000, 1_000, 100, 10, 1].map { $0 * millisecond }

    /// As `9m54s950ms`; what is below a millisecond, as decimals of these.
    static func text(_ nanoseconds: Int64) -> String {
        let (minutes, seconds) = (nanoseconds / 60_000_000_000, nanoseconds / 1_000_000_000 % 60)
        let (milliseconds, rest) = (nanoseconds / millisecond % 1_000, nanoseconds % millisecond)
        var text = ""
        if minutes > 0 { text += "\(minutes)m" }
        if seconds > 0 { text += "\(seconds)s" }
        if milliseconds > 0 || rest > 0 || text.isEmpty {
            let digits = String(rest)
            let decimals = rest == 0 ? "" : "." + String(repeating: "0", count: 6 - digits.count) + digits
            text += "\(milliseconds)\(decimals)ms"
        }
        return text
    }

    /// Each is rounder, or as round and shorter; so simplifying ends.
    static func simpler(_ nanoseconds: Int64) -> [Int64] {
        var found: [Int64] = []
        for unit in units {
            let down = nanoseconds / unit * unit
            // As round already: the half, then one less.
            let candidates = down == nanoseconds ? [down / 2 / unit * unit, down - unit] : [down, down + unit]
            for candidate in candidates where candidate > 0 && candidate != nanoseconds && !found.contains(candidate) {
                found.append(candidate)
            }
            if down == nanoseconds { break }
        }
        return found
    }
}
