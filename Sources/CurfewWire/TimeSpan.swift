/// Times as people type them: those of GNU timeout, and the time spans of systemd.
public enum TimeSpan {
    /// What is accepted where a time has an end, for messages about a bad value.
    public static let acceptedFinite = "a duration such as 90, 1.5s, 10m or 1h30min"

    /// Nanoseconds, 0 or more; `Int64.max` for "inf", "infinity" and whatever is longer than 292 years.
    ///
    /// Numbers with an optional unit, one after another, are summed; without a unit they are seconds, and `m` is
    /// minutes. Decimal fractions are exact, what is below a nanosecond is cut off, but nothing above zero becomes
    /// zero, which for GNU timeout means "no limit". Nil if empty, negative or anything else.
    /// Source: coreutils manual, "timeout invocation"; systemd.time(7), "Parsing Time Spans".
    public static func parse(_ text: String) -> Int64? {
        var rest = Substring(text).utf8
        skipSpaces(&rest)
        if isInfinity(rest) { return .max }
        var total: Int64?
        while !rest.isEmpty {
            guard let term = takeTerm(&rest) else { return nil }
            let (sum, overflows) = (total ?? 0).addingReportingOverflow(term)
            total = overflows ? .max : sum
        }
        return total
    }

    /// One number with its unit, and the spaces around them.
    private static func takeTerm(_ text: inout Substring.UTF8View) -> Int64? {
        guard let number = DecimalNumber(from: &text, allowsExponent: true) else { return nil }
        let afterNumber = text
        skipSpaces(&text)
        let word = text.prefix { isLetter($0) }
        text = text[word.endIndex...]
        // "12.34.56" is a slip, "12.34 .56" is not.
        if word.isEmpty, !text.isEmpty, afterNumber.count == text.count { return nil }
        guard let unit = nanoseconds(ofUnit: String(Substring(word))) else { return nil }
        skipSpaces(&text)
        let product = number.times(unit).map { $0 == 0 && !number.isZero ? 1 : $0 }
        return product.flatMap(Int64.init(exactly:)) ?? .max
    }

    private static func nanoseconds(ofUnit word: String) -> UInt64? {
        switch word {
        // The micro sign and the Greek letter look alike.
        case "usec", "us", "\u{b5}s", "\u{3bc}s": 1_000
        case "msec", "ms": 1_000_000
        case "", "seconds", "second", "sec", "s": 1_000_000_000
        case "minutes", "minute", "min", "m": 60_000_000_000
        case "hours", "hour", "hr", "h": 3_600_000_000_000
        case "days", "day", "d": 86_400_000_000_000
        case "weeks", "week", "w": 604_800_000_000_000
        default: nil
        }
    }

    private static func isInfinity(_ text: Substring.UTF8View) -> Bool {
        var word = text
        if word.first == UInt8(ascii: "+") { word.removeFirst() }
        while let last = word.last, isSpace(last) { word.removeLast() }
        let lower = word.map { $0 | 0x20 }
        return lower.elementsEqual("inf".utf8) || lower.elementsEqual("infinity".utf8)
    }

    /// Bytes of other scripts count as letters, so that the micro sign is part of its word.
    private static func isLetter(_ byte: UInt8) -> Bool {
        byte >= 0x80 || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

    private static func skipSpaces(_ text: inout Substring.UTF8View) {
        text = text.drop(while: isSpace)
    }
}
