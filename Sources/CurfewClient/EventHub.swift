/// Hands each event to all who listen, and acknowledges it when the last of them has handled it.
///
/// The feed runs while somebody listens or still owes an acknowledgement.
package final class EventHub: Sendable {
    private struct State {
        var mailboxes: [Int: Mailbox] = [:]
        var lastMailbox = 0
        var isRunning = false
        /// Counts the starts of the feed: what belongs to an earlier one is of no interest any more.
        var session = 0
        /// Events of this session that somebody has still to handle.
        var owed = 0
    }

    private let feed: any EventFeed
    private let state = Monitor(State())

    package init(_ feed: any EventFeed) { self.feed = feed }

    /// False where listening is no use.
    var isAvailable: Bool { feed.isAvailable }

    // MARK: Listeners

    /// Begins to listen; what comes before the first listener, or without a feed, is nothing.
    package func subscribe() -> Subscription {
        let mailbox = Mailbox()
        guard feed.isAvailable, let number = add(mailbox) else {
            mailbox.finish()
            return Subscription(mailbox) {}
        }
        return Subscription(mailbox) { [self] in unsubscribe(number) }
    }

    /// Runs it on a new thread; false when there can't be another one.
    typealias ThreadStart = @Sendable (_ body: @escaping @Sendable () -> Void) -> Bool

    /// Listens on a thread of its own: each event is handled once `receive` has returned. Nil where that can't be had.
    func listen(startThread: ThreadStart, _ receive: @escaping @Sendable (LifecycleEvent) -> Void) -> Subscription? {
        let subscription = subscribe()
        let mailbox = subscription.mailbox
        guard !mailbox.isFinished else { return nil }
        let isListening = startThread {
            while let event = mailbox.waitForNext() {
                receive(event)
                event.receipt?.moveOn()
            }
        }
        return isListening ? subscription : nil
    }

    private func add(_ mailbox: Mailbox) -> Int? {
        state.withLock { state in
            if !state.isRunning { start(&state) }
            guard state.isRunning else { return nil }
            state.lastMailbox += 1
            state.mailboxes[state.lastMailbox] = mailbox
            return state.lastMailbox
        }
    }

    private func start(_ state: inout State) {
        state.session += 1
        state.owed = 0
        let session = state.session
        let sink = EventSink(
            publish: { [weak self] event in self?.publish(event, session) },
            finish: { [weak self] in self?.finish(session) })
        state.isRunning = feed.start(sink)
    }

    private func unsubscribe(_ number: Int) {
        // What waits in it is dropped, and so handled, only after the lock.
        let mailbox = state.withLock { state in
            defer { stopIfIdle(&state) }
            return state.mailboxes.removeValue(forKey: number)
        }
        mailbox?.close()
    }

    private func stopIfIdle(_ state: inout State) {
        guard state.isRunning, state.mailboxes.isEmpty, state.owed == 0 else { return }
        state.isRunning = !feed.stop()
    }

    // MARK: Events

    private func publish(_ event: LifecycleEvent, _ session: Int) {
        let listeners = state.withLock { state -> [Mailbox] in
            guard state.isRunning, state.session == session else { return [] }
            if event.requiresAcknowledgement { state.owed += 1 }
            return state.mailboxes.sorted { $0.key < $1.key }.map(\.value)
        }
        // Nobody may listen any more: then it is handled at once.
        let debt = event.requiresAcknowledgement ? Debt { [self] in settle(event.sequence, session, $0) } : nil
        for listener in listeners { listener.deliver(event.owing(debt)) }
    }

    private func settle(_ sequence: Int, _ session: Int, _ outcome: EventOutcome?) {
        let isCurrent = state.withLock { $0.isRunning && $0.session == session }
        guard isCurrent else { return }
        feed.acknowledge(sequence, outcome)
        state.withLock { state in
            guard state.session == session else { return }
            state.owed -= 1
            stopIfIdle(&state)
        }
    }

    private func finish(_ session: Int) {
        let mailboxes = state.withLock { state -> [Mailbox] in
            guard state.isRunning, state.session == session else { return [] }
            state.isRunning = false
            defer { state.mailboxes = [:] }
            return Array(state.mailboxes.values)
        }
        for mailbox in mailboxes { mailbox.finish() }
    }
}
