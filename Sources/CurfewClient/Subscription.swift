/// One listener's listening, which ends with it.
package final class Subscription: Sendable {
    let mailbox: Mailbox
    private let unsubscribe: @Sendable () -> Void
    private let current = Monitor<Receipt?>(nil)

    init(_ mailbox: Mailbox, unsubscribe: @escaping @Sendable () -> Void) {
        self.mailbox = mailbox
        self.unsubscribe = unsubscribe
    }

    deinit {
        moveOn(to: nil)
        unsubscribe()
    }

    /// The next event; asking for it acknowledges the one before. Nil at the end, and when the task is cancelled.
    package func next() async -> LifecycleEvent? {
        moveOn(to: nil)
        let event = await mailbox.next()
        moveOn(to: event)
        return event
    }

    private func moveOn(to event: LifecycleEvent?) {
        let handled = current.withLock { current in
            defer { current = event?.receipt }
            return current
        }
        handled?.moveOn()
    }
}
