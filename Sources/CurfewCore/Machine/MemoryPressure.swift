/// What a supervisor makes of a machine that runs short of memory: warnings first, then victims, one at a time.
///
/// Source of the numbers: XNU bsd/kern/kern_memorystatus_notify.c and kern_memorystatus_policy.c.
public struct MemoryPressure: Sendable, Hashable {
    /// Where it begins, in bytes available.
    public let low: UInt64
    /// How long a warning lasts before idle apps go.
    public let sustained: Span
    /// Whether somebody tells when processes wait for memory.
    let isToldOfStalls: Bool
    public internal(set) var level = PressureLevel.normal
    /// Whether somebody has said what the level is: then nothing measured changes it.
    var isSimulated = false
    /// Whether somebody asked for memory to be watched; else it is over with its simulation.
    var isWatched = true
    /// When `level` last changed.
    public internal(set) var since: Instant
    /// In bytes, when last measured.
    public internal(set) var available: UInt64?
    /// What it should have been then.
    var wanted: UInt64
    /// Who is to be warned of `level` yet, in order.
    var unwarned: [AppID] = []
    var nextWarning: Instant
    var nextKill: Instant
    /// When available memory is looked at again; nil: not before somebody stalls.
    var nextLook: Instant?

    /// Where it begins if nobody says otherwise, in percent of the machine's memory.
    ///
    /// Source: XNU bsd/kern/kern_memorystatus.c: 12 % of a machine with more than 6 GB is where pressure begins.
    public static let defaultLowPercent = 12.0
    /// Between two warnings.
    static let warningInterval = Span.milliseconds(250)
    /// Between two kills.
    static let killInterval = Span.milliseconds(500)
    /// How long a warning is sustained before idle apps are killed.
    public static let sustainedTime = Span.seconds(600)
    /// While it is short, it is looked at again so soon.
    static let shortInterval = Span.milliseconds(500)
    static let warningLook = Span.seconds(2)
    /// While it isn't, at most and at least this often, as long as an app runs.
    static let longest = Span.seconds(10)
    static let shortest = Span.milliseconds(100)

    init(low: UInt64, sustained: Span, isToldOfStalls: Bool, at now: Moment) {
        self.low = low
        self.sustained = sustained
        self.isToldOfStalls = isToldOfStalls
        wanted = low
        since = now.real
        nextWarning = now.real
        nextKill = now.real
        nextLook = now.real
    }

    /// How soon to look again; an app, or anything else, may use up what is left at an assumed speed.
    func interval(available: UInt64) -> Span {
        switch level {
        case .critical: return Self.shortInterval
        case .warning: return Self.warningLook
        case .normal:
            let headroom = available > low ? available - low : 0
            return MemorySampling.interval(headroom: headroom, shortest: Self.shortest, longest: Self.longest)
        }
    }

    /// Enough was left when last measured, and somebody tells when that is no longer so.
    var isAtEase: Bool { available != nil && level == .normal && isToldOfStalls }
}
