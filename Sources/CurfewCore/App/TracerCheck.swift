/// Whether a debugger outside its tree holds an app, and when one was last looked for.
struct TracerCheck: Sendable, Hashable {
    static let interval = Span.seconds(1)

    private(set) var isTraced = false
    private(set) var isAwaitingAnswer = false
    /// When the last answer came.
    private var lastAnswer: Instant?

    /// False where an answer is awaited already.
    mutating func ask() -> Bool {
        if isAwaitingAnswer { return false }
        isAwaitingAnswer = true
        return true
    }

    mutating func answered(at now: Moment) {
        isAwaitingAnswer = false
        lastAnswer = now.real
    }

    /// Whether that is news.
    mutating func found(_ isTraced: Bool) -> Bool {
        if isTraced == self.isTraced { return false }
        self.isTraced = isTraced
        return true
    }

    /// Never more often than once in an interval; `first` is when there is a reason to look, nil for none. One that is
    /// there is looked for again in any case.
    func nextLook(first: Instant?) -> Instant? {
        let next = lastAnswer.map { $0 + Self.interval }
        if isTraced { return next }
        guard let first else { return nil }
        return next.map { max($0, first) } ?? first
    }
}
