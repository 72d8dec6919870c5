/// Listens for keep-alive's events, and calls the handler on a thread that exists while one is set.
package final class KeepAliveCaller: Sendable {
    package typealias Handler = @Sendable () -> Void
    /// As supervisors call the event.
    private static let eventName = "keepAlive"

    private struct State {
        var handler: Handler?
        var subscription: Subscription?
    }

    private let hub: EventHub
    private let startThread: EventHub.ThreadStart
    private let state = Monitor(State())

    package convenience init(_ hub: EventHub) { self.init(hub, startThread: SystemThread.start) }

    init(_ hub: EventHub, startThread: @escaping EventHub.ThreadStart) {
        self.hub = hub
        self.startThread = startThread
    }

    /// Sets or replaces the handler; nil ends the listening. False where it couldn't be called: no handler is set then.
    @discardableResult
    package func set(_ handler: Handler?) -> Bool {
        guard hub.isAvailable else { return handler == nil }
        // What was there before is released after the lock: a handler's end may call us.
        let before = state.withLock { state in
            defer {
                state.handler = handler
                if handler == nil { state.subscription = nil }
            }
            return state
        }
        guard handler != nil, before.subscription?.mailbox.isFinished ?? true else { return true }
        if listen() { return true }
        set(nil)
        return false
    }

    private func listen() -> Bool {
        let subscription = hub.listen(startThread: startThread) { [weak self] in self?.receive($0) }
        guard let subscription else { return false }
        _ = state.withLock { state in
            defer { state.subscription = subscription }
            return state.subscription
        }
        return true
    }

    private func receive(_ event: LifecycleEvent) {
        guard event.kind == .wake, event.name == Self.eventName else { return }
        state.withLock { $0.handler }?()
    }
}
