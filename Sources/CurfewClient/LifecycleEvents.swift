/// The app's events, for `for await`: from when the loop begins, until it ends or the supervisor is gone.
///
/// Each loop gets every event. Without a supervisor the loop ends at once. An event is acknowledged when the loop asks
/// for the next one; changes that wait for a slow loop replace each other, the latest of each name stays.
public struct LifecycleEvents: AsyncSequence, Sendable {
    private let hub: EventHub

    package init(_ hub: EventHub) { self.hub = hub }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: hub.subscribe()) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let subscription: Subscription

        public mutating func next() async -> LifecycleEvent? { await subscription.next() }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> LifecycleEvent? {
            await subscription.next()
        }
    }
}
