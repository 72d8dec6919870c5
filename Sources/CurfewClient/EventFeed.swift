/// Where the events of an `EventHub` come from: a supervisor, or a test's script.
package protocol EventFeed: AnyObject, Sendable {
    /// False where it can't be used at all; asked before any lock is taken.
    var isAvailable: Bool { get }

    /// Begins to send events into the sink; false when there are none to be had. Called under the hub's lock.
    func start(_ sink: EventSink) -> Bool

    /// Tells that an event was handled, and what came of it where that is known.
    func acknowledge(_ sequence: Int, _ outcome: EventOutcome?)

    /// Ends what `start` began; false when it can't be ended. Called under the hub's lock.
    func stop() -> Bool
}

/// Takes the events of one start of a feed, in their order, from one thread at a time; never from within the feed's calls.
package struct EventSink: Sendable {
    package let publish: @Sendable (LifecycleEvent) -> Void
    /// There will be no more.
    package let finish: @Sendable () -> Void
}
