/// Listens for a delegate, and calls it on a thread that exists while one is set.
package final class DelegateCaller: Sendable {
    private struct State {
        var delegate: (any CurfewApplicationDelegate)?
        var subscription: Subscription?
    }

    private let hub: EventHub
    private let state = Monitor(State())

    package init(_ hub: EventHub) { self.hub = hub }

    package var delegate: (any CurfewApplicationDelegate)? { state.withLock { $0.delegate } }

    /// Sets or replaces the delegate; nil ends the listening.
    package func set(
        _ delegate: (any CurfewApplicationDelegate)?, of application: some BackgroundTaskScheduling
    ) {
        guard hub.isAvailable else { return }
        // What was there before is released after the lock: a delegate's end may call us.
        let before = state.withLock { state in
            defer {
                state.delegate = delegate
                if delegate == nil { state.subscription = nil }
            }
            return state
        }
        if delegate != nil, before.subscription?.mailbox.isFinished ?? true { listen(for: application) }
    }

    private func listen(for application: some BackgroundTaskScheduling) {
        let subscription = hub.subscribe()
        let mailbox = subscription.mailbox
        let isListening = SystemThread.start { [weak self, weak application] in
            while let event = mailbox.waitForNext() {
                if let application { self?.delegate?.receive(event, from: application) }
                event.receipt?.moveOn()
            }
        }
        // Without a thread the app had better be plain than owe what nobody handles.
        guard isListening else { return }
        _ = state.withLock { state in
            defer { state.subscription = subscription }
            return state.subscription
        }
    }
}
