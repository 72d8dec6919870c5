import CurfewCore

/// CPU time over a window, as people type it: `80%`, `150%/10s`, `inf`.
public enum CPULimitArgument {
    public static let accepted = "a share of one processor over a window, such as 80%/60s or 150%, or inf"

    public enum Limit: Sendable, Hashable {
        case unlimited
        case limited(CPUPolicy)
    }

    /// The window is 60 s unless it is given, at least 10 ms. Nil if it is anything else.
    public static func parse(_ text: String) -> Limit? {
        if text == "inf" || text == "infinity" { return .unlimited }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let percent = PercentArgument.parse(String(parts[0])) else { return nil }
        var window = CPUPolicy.standard.window
        if parts.count == 2 {
            guard let given = DurationArgument.parse(String(parts[1])) else { return nil }
            window = Span(nanoseconds: given)
        }
        guard !window.isInfinite, window >= .milliseconds(10) else { return nil }
        let limit = Double(window.nanoseconds) * percent / 100
        guard limit < Double(Int64.max) else { return nil }
        return .limited(CPUPolicy(limit: Span(nanoseconds: Int64(limit)), window: window))
    }
}
