/// How an app's time limit is kept where `curfew timeout` runs it: as timeout(1) does, by asking first.
public struct TimeoutPolicy: Sendable, Hashable {
    /// What is sent at the limit. Source: signal(7): SIGTERM is 15; 0 is no signal, as for kill(2).
    public var signal: Int32
    /// How long after the first signal SIGKILL follows; nil: never.
    public var killAfter: Span?
    /// Whether the command alone is signalled, and what it has started is left alone.
    public var sparesDescendants: Bool
    /// Whether the command's own status is passed on even after the limit.
    public var preservesStatus: Bool

    public init(
        signal: Int32 = 15, killAfter: Span? = nil, sparesDescendants: Bool = false, preservesStatus: Bool = false
    ) {
        self.signal = signal
        self.killAfter = killAfter
        self.sparesDescendants = sparesDescendants
        self.preservesStatus = preservesStatus
    }

    func scaled(by scale: Double) -> TimeoutPolicy {
        var policy = self
        policy.killAfter = killAfter?.scaled(by: scale)
        return policy
    }
}

/// What has become of it by the end.
public struct TimeoutOutcome: Sendable, Hashable {
    /// The limit has passed, or was said to have by SIGALRM.
    public var isExpired: Bool
    /// The app's whole group was killed, which `timeout` is in itself.
    public var diesOfKill: Bool
    public var preservesStatus: Bool

    public init(isExpired: Bool, diesOfKill: Bool, preservesStatus: Bool) {
        self.isExpired = isExpired
        self.diesOfKill = diesOfKill
        self.preservesStatus = preservesStatus
    }
}
