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
    private let state = Monitor(State())

    package init(_ hub: EventHub) { self.hub = hub }

    /// Sets or replaces the handler; nil ends the listening.
    package func set(_ handler: Handler?) {
        guard hub.isAvailable else { return }
        // What was there before is released after the lock: a handler's end may call us.
        let before = state.withLock { state in
            defer {
                state.handler = handler
                if handler == nil { state.subscription = nil }
            }
            return state
        }
        if handler != nil, before.subscription?.mailbox.isFinished ?? true { listen() }
    }

    private func listen() {
        let subscription = hub.subscribe()
        let mailbox = subscription.mailbox
        let isListening = SystemThread.start { [weak self] in
            while let event = mailbox.waitForNext() {
                self?.receive(event)
                event.receipt?.moveOn()
            }
        }
        guard isListening else { return }
        _ = state.withLock { state in
            defer { state.subscription = subscription }
            return state.subscription
        }
    }

    private func receive(_ event: LifecycleEvent) {
        guard event.kind == .wake, event.name == Self.eventName else { return }
        state.withLock { $0.handler }?()
    }
}
