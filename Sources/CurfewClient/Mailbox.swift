/// Where one listener's events wait for it, and it for them: in a task, or on a thread.
final class Mailbox: Sendable {
    private struct State: Sendable {
        var queue = EventQueue()
        var isFinished = false
        var waiters: [Waiter] = []
        var lastWaiter = 0
    }

    private struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<LifecycleEvent?, Never>
    }

    private let state = Monitor(State())

    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Adds an event for whoever waits; one that comes after the end is dropped.
    func deliver(_ event: LifecycleEvent) {
        let waiter = state.withLock { state -> Waiter? in
            guard !state.isFinished else { return nil }
            if !state.waiters.isEmpty { return state.waiters.removeFirst() }
            state.queue.append(event)
            return nil
        }
        waiter?.continuation.resume(returning: event)
    }

    /// There will be no more; what has come can still be taken.
    func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }

    /// Nobody will look any more; what waits is dropped.
    func close() {
        // Released after the lock, for that may acknowledge.
        _ = state.withLock { state in
            defer { state.queue = EventQueue() }
            return state.queue
        }
        finish()
    }

    // MARK: Taking

    /// The next event, waiting on the calling thread; nil at the end.
    func waitForNext() -> LifecycleEvent? {
        state.wait { state -> LifecycleEvent?? in
            if let event = state.queue.popFirst() { return .some(event) }
            return state.isFinished ? .some(nil) : nil
        }
    }

    /// The next event; nil at the end, and when the task is cancelled.
    func next() async -> LifecycleEvent? {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wait(Waiter(number: number, continuation: $0)) }
        } onCancel: {
            cancel(number)
        }
    }

    private func wait(_ waiter: Waiter) {
        let result = state.withLock { state -> LifecycleEvent?? in
            // Cancelled later than this look, `cancel` finds the waiter.
            if Task.isCancelled { return .some(nil) }
            if let event = state.queue.popFirst() { return .some(event) }
            if state.isFinished { return .some(nil) }
            state.waiters.append(waiter)
            return nil
        }
        if let result { waiter.continuation.resume(returning: result) }
    }

    private func cancel(_ number: Int) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(returning: nil)
    }
}
