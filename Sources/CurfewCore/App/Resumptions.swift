/// When an app was resumed for waking events, within the time in which they count.
struct Resumptions: Sendable, Hashable {
    private var instants: [Instant] = []

    /// Counts one more; returns how many there were within `window`, with it.
    mutating func count(within window: Span, at now: Moment) -> Int {
        instants.removeAll { $0 + window <= now.lifecycle }
        instants.append(now.lifecycle)
        return instants.count
    }
}
