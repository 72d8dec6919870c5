import CurfewCore

/// How often something may happen within a time, as people type it: `15`, `20/10min`, `inf`.
public enum RateArgument {
    public static let accepted = "a number from 0 to 10000, as within 300 s, or with a time, such as 20/10min, or inf"

    /// Within `span`; nil: any number.
    public struct Rate: Sendable, Hashable {
        public var count: Int?
        public var span = Policy.defaultResumeWindow
    }

    /// Nil if it is none, or too large.
    public static func parse(_ text: String) -> Rate? {
        if text == "inf" || text == "infinity" { return Rate() }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let count = count(parts[0]) else { return nil }
        var rate = Rate(count: count)
        if parts.count == 2 {
            guard let span = DurationArgument.parse(String(parts[1])), span > 0 else { return nil }
            rate.span = Span(nanoseconds: span)
        }
        return rate
    }

    private static func count(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }), let count = Int(text), count <= 10_000
        else { return nil }
        return count
    }
}
