import CurfewClient

/// Something that happens once, and one task waits for it with a limit.
final class Signal: Sendable {
    private struct State {
        var result: Bool?
        var waiter: CheckedContinuation<Bool, Never>?
    }

    private let state = Monitor(State())

    /// It has happened.
    func send() { finish(true) }

    /// False when it hasn't happened within the limit.
    func wait(within limit: Duration) async -> Bool {
        let timer = Task {
            try await Task.sleep(for: limit)
            finish(false)
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { continuation in
            let result = state.withLock { state in
                if state.result == nil { state.waiter = continuation }
                return state.result
            }
            if let result { continuation.resume(returning: result) }
        }
    }

    /// Only the first result counts.
    private func finish(_ result: Bool) {
        let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.result == nil else { return nil }
            state.result = result
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: result)
    }
}
