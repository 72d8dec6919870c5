import CurfewCore

/// How much of a source was read lately, in however many pieces that came: so much in the time of one rest, and then it rests.
struct SourceTurn {
    /// Lines, and packets that they come in.
    static let most = 64
    static let nanoseconds: Int64 = 1_000_000
    static let rest = Span.milliseconds(50)

    private var began: Instant?
    private var count = 0
    private var used: Int64 = 0

    /// To be called before something is read of it; what was read a rest ago counts no more.
    mutating func begin(at now: Instant) {
        if let began, now - began < Self.rest { return }
        self = SourceTurn()
        began = now
    }

    /// One more was read, which took so long.
    mutating func note(_ nanoseconds: Int64) {
        count += 1
        used += nanoseconds
    }

    var isOver: Bool { count >= Self.most || used > Self.nanoseconds }
}
