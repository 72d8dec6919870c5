/// A suspension that waits for locked files to be let go, by real time.
struct LockDeferral: Sendable, Hashable {
    /// How soon locks are looked for again.
    static let interval = Span.milliseconds(50)

    private let until: Instant
    private var nextLook: Instant
    /// Nothing holds the suspension up any more.
    private(set) var isOver = false

    init(for span: Span, at now: Moment) {
        until = now.real + span
        nextLook = now.real
    }

    /// When it looks again, or gives up.
    var next: Instant { min(until, nextLook) }

    enum Step { case look, wait, suspend }

    /// What is to be done now.
    mutating func step(at now: Moment) -> Step {
        if isOver { return .suspend }
        if now.real >= until {
            isOver = true
            return .suspend
        }
        guard nextLook <= now.real else { return .wait }
        nextLook = now.real + Self.interval
        return .look
    }

    /// No lock is left.
    mutating func end() { isOver = true }
}
