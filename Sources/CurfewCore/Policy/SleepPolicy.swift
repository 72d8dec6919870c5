/// When an app is put to sleep, what wakes it, and how long that lasts; durations already divided by `--time-scale`.
public struct SleepPolicy: Sendable, Hashable {
    /// For how long it must have been idle in front; nil: it sleeps only when somebody asks for it.
    public var whenIdle: Span?
    /// What else would keep it awake doesn't.
    public var isForced = false
    /// The CPU time an idle tree may use, in millionths of one processor's.
    public var idleCPU = SleepPolicy.defaultIdleCPU
    /// Whether input on its own descriptors wakes it.
    public var wakesForInput = false
    /// How long a plain app that input has woken in background must have been idle before it is suspended again.
    public var quiet = SleepPolicy.defaultQuiet
    /// How long a connection waits at most where programs outside accept too, before it wakes the app; at first `quiet`.
    public var longestDelay = SleepPolicy.defaultLongestDelay
    /// Whether each time that input wakes it in background counts towards `resumeLimit`.
    public var countsResumptions = false
    /// Whether an app that has fallen asleep goes when memory has been short for long.
    public var exitsWhenIdle = false

    /// One per cent.
    public static let defaultIdleCPU = 10_000
    public static let defaultQuiet = Span.seconds(1)
    public static let defaultLongestDelay = Span.seconds(60)
    /// What an idle tree may have written meanwhile, in bytes.
    public static let idleBytes: UInt64 = 1024

    public init() {}

    /// The CPU time that is idleness within `span`.
    func allowed(in span: Span) -> Span {
        let share = span.nanoseconds.multipliedFullWidth(by: Int64(idleCPU))
        return Span(nanoseconds: Int64(1_000_000).dividingFullWidth(share).quotient)
    }

    func scaled(by scale: Double) -> SleepPolicy {
        var policy = self
        policy.whenIdle = whenIdle?.scaled(by: scale)
        policy.quiet = quiet.scaled(by: scale)
        policy.longestDelay = longestDelay.scaled(by: scale)
        return policy
    }
}
