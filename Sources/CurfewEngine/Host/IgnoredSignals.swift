import CurfewCore

/// Signals that nobody had a say by: one a second is told of, and by whom it was sent where that is known.
struct IgnoredSignals {
    private var pace = OnceASecond()

    /// What is told of this one; nil: nothing.
    mutating func record(_ signal: Int32, from sender: SignalSender, at now: Instant) -> EventRecord? {
        guard pace.isTold(at: now) else { return nil }
        return .signalIgnored(signal, from: sender.pid)
    }
}
