/// Hands one value from the thread that has it to one that waits for it, unless that has given up.
final class Latch<Value: Sendable>: Sendable {
    private enum State {
        case empty, abandoned
        case full(Value)
    }

    private let state = Monitor(State.empty)

    /// False when nobody waits for the value any more.
    func fulfil(_ value: Value) -> Bool {
        state.withLock { state in
            guard case .empty = state else { return false }
            state = .full(value)
            return true
        }
    }

    /// The value; nil, and given up, when it hasn't come within `seconds` of running.
    func wait(seconds: Int) -> Value? {
        let value = state.wait(seconds: seconds) { state in
            if case .full(let value) = state { value } else { nil }
        }
        return value ?? abandon()
    }

    /// It may have come between the last look and now.
    private func abandon() -> Value? {
        state.withLock { state in
            if case .full(let value) = state { return value }
            state = .abandoned
            return nil
        }
    }
}
