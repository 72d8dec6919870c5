/// Listens for the events of requests, and calls their launch handlers on a thread that exists once one is registered.
package final class RequestCaller: Sendable {
    package typealias Handler = @Sendable (RequestedTask) -> Void

    /// As supervisors call the change that tells that the time for a request is nearly over.
    private static let expirationName = "taskWillExpire"

    private struct State {
        var handlers: [String: Handler] = [:]
        var subscription: Subscription?
        /// An app works on one at a time.
        var task: RequestedTask?
    }

    private let hub: EventHub
    private let state = Monitor(State())

    package init(_ hub: EventHub) { self.hub = hub }

    /// False where it couldn't be called.
    package func register(_ identifier: String, _ handler: @escaping Handler) -> Bool {
        guard hub.isAvailable else { return false }
        let subscription = state.withLock { state in
            state.handlers[identifier] = handler
            return state.subscription
        }
        guard subscription?.mailbox.isFinished ?? true else { return true }
        return listen()
    }

    private func listen() -> Bool {
        let subscription = hub.listen(startThread: SystemThread.start) { [weak self] in self?.receive($0) }
        guard let subscription else { return false }
        _ = state.withLock { state in
            defer { state.subscription = subscription }
            return state.subscription
        }
        return true
    }

    private func receive(_ event: LifecycleEvent) {
        if event.kind == .change, event.name == Self.expirationName {
            let task = state.withLock { $0.task }
            if let task, event.info["seq"] == String(task.sequence) { task.expire() }
            return
        }
        guard let identifier = event.info["request"], let handler = state.withLock({ $0.handlers[identifier] }),
            let task = RequestedTask(event)
        else { return }
        // The one before is released after the lock: its end may settle an event.
        _ = state.withLock { state in
            defer { state.task = task }
            return state.task
        }
        handler(task)
    }
}
