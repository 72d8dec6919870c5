/// Times since the beginning, for people: as exact as somebody who looks closely wants them.
enum ElapsedText {
    private static let units: [(length: Int64, name: String)] = [
        (86_400_000_000_000, "d"), (3_600_000_000_000, "h"), (60_000_000_000, "min"),
    ]

    /// Such as "12.5 ms", "1.683 s", "2 min 3.4 s" or "3 h 5 min 7 s".
    static func text(_ nanoseconds: Int64) -> String {
        if nanoseconds < 0 { return "-" + text(-max(nanoseconds, -.max)) }
        switch nanoseconds {
        case 0: return "0 s"
        case ..<1_000: return "\(nanoseconds) ns"
        case ..<1_000_000: return decimal(nanoseconds, of: 1_000, places: 1) + " µs"
        case ..<1_000_000_000: return decimal(nanoseconds, of: 1_000_000, places: 1) + " ms"
        case ..<60_000_000_000: return decimal(nanoseconds, of: 1_000_000_000, places: 3) + " s"
        default: return compound(nanoseconds)
        }
    }

    /// Units from the largest that fits; below a minute seconds, with a decimal up to an hour.
    static func compound(_ nanoseconds: Int64) -> String {
        var rest = nanoseconds
        var parts: [String] = []
        for unit in units where rest >= unit.length {
            parts.append("\(rest / unit.length) \(unit.name)")
            rest %= unit.length
        }
        let seconds = decimal(rest, of: 1_000_000_000, places: nanoseconds < 3_600_000_000_000 ? 1 : 0)
        if seconds != "0" || parts.isEmpty { parts.append(seconds + " s") }
        return parts.joined(separator: " ")
    }

    /// Rounded down, without zeros at the end.
    static func decimal(_ amount: Int64, of unit: Int64, places: Int) -> String {
        let whole = amount / unit
        var digits = ""
        var rest = amount % unit
        for _ in 0..<places {
            let tenfold = rest.multipliedReportingOverflow(by: 10)
            if tenfold.overflow { break }
            digits += String(tenfold.partialValue / unit)
            rest = tenfold.partialValue % unit
        }
        while digits.last == "0" { digits.removeLast() }
        return digits.isEmpty ? "\(whole)" : "\(whole).\(digits)"
    }
}
