/// The CPU time an app may use in background: so much of each window.
public struct CPUPolicy: Sendable, Hashable {
    /// CPU time of the whole tree, on all processors together.
    public var limit: Span
    public var window: Span
    public var action: CPULimitAction
    /// As many as can use CPU time at once; how soon a limit can be passed depends on it.
    public var processors: Int

    public init(limit: Span, window: Span, action: CPULimitAction = .kill, processors: Int = 1) {
        self.limit = limit
        self.window = window
        self.action = action
        self.processors = max(1, processors)
    }

    /// Source: reports of iOS: "48 seconds cpu time over 60 seconds (80% cpu average), exceeding limit of 80% cpu over
    /// 60 seconds".
    public static let standard = CPUPolicy(limit: .seconds(48), window: .seconds(60))

    /// Looked at late, more than a window may have passed; the share is the same.
    func allowed(in elapsed: Span) -> Span {
        guard elapsed > window else { return limit }
        let windows = Double(elapsed.nanoseconds) / Double(window.nanoseconds)
        return limit.scaled(by: 1 / windows)
    }

    /// No window is made shorter than this: an average over less tells of the start of a program, not of its work.
    public static let shortestScaledWindow = Span.seconds(1)

    /// The share stays the same.
    func scaled(by scale: Double) -> CPUPolicy {
        let longest = Double(window.nanoseconds) / Double(min(window, Self.shortestScaledWindow).nanoseconds)
        let divisor = scale > 1 ? min(scale, longest) : scale
        var policy = self
        policy.limit = limit.scaled(by: divisor)
        policy.window = window.scaled(by: divisor)
        return policy
    }
}

/// What follows when an app passes its background CPU limit.
public enum CPULimitAction: String, Sendable, Hashable, CaseIterable {
    case kill
    /// It goes on with the share it is allowed, until it is opened.
    case throttle
    /// It is told of, once in each stay in background.
    case log
}
