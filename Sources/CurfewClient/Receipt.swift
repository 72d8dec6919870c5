/// What is done once the last one who owes it has let go of it.
final class Debt: Sendable {
    private let settle: @Sendable (EventOutcome?) -> Void
    /// The first that was told counts.
    private let outcome = Monitor<EventOutcome?>(nil)

    init(_ settle: @escaping @Sendable (EventOutcome?) -> Void) { self.settle = settle }

    deinit { settle(outcome.withLock { $0 }) }

    func tell(_ outcome: EventOutcome) { self.outcome.withLock { if $0 == nil { $0 = outcome } } }
}

/// One listener's share of an event's acknowledgement.
final class Receipt: Sendable {
    private struct State {
        var debt: Debt?
        var isDeferred = false
    }

    private let state: Monitor<State>

    init(_ debt: Debt) { state = Monitor(State(debt: debt)) }

    /// The listener has handled the event.
    func settle() {
        // Released after the lock: it may be the last one.
        _ = state.withLock { state in
            defer { state.debt = nil }
            return state.debt
        }
    }

    /// It has, with that outcome.
    func settle(_ outcome: EventOutcome) {
        let debt = state.withLock { state in
            defer { state.debt = nil }
            return state.debt
        }
        debt?.tell(outcome)
    }

    /// The listener will say itself when it has.
    func deferSettling() { state.withLock { $0.isDeferred = true } }

    /// The listener's loop asks for the next event, or its method has returned.
    func moveOn() {
        if !state.withLock({ $0.isDeferred }) { settle() }
    }
}
