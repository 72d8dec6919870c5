import CurfewCore

/// Stops of the supervisor itself: one a second is told of, and the first to people too.
struct SupervisorStops {
    enum News: Hashable {
        case first, again
    }

    private var pace = OnceASecond()
    private var wasEverTold = false

    /// What is told of this one; nil: nothing.
    mutating func news(at now: Instant) -> News? {
        guard pace.isTold(at: now) else { return nil }
        defer { wasEverTold = true }
        return wasEverTold ? .again : .first
    }
}
