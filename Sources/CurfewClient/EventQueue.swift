/// The events one listener hasn't looked at yet, bounded.
///
/// Of changes that wait only the latest of each name is kept, as the supervisor does for a suspended app. Beyond the
/// bound the oldest event that owes nothing is dropped; of those that do, the supervisor lets few be open.
struct EventQueue {
    static let maximumCount = 1024

    private var events: [LifecycleEvent] = []

    var count: Int { events.count }

    /// Adds an event at the end, or in the place of the change it makes stale.
    mutating func append(_ event: LifecycleEvent) {
        if event.kind == .change,
            let stale = events.firstIndex(where: { $0.kind == .change && $0.name == event.name })
        {
            events[stale] = event
            return
        }
        if events.count >= EventQueue.maximumCount,
            let idle = events.firstIndex(where: { !$0.requiresAcknowledgement })
        {
            events.remove(at: idle)
        }
        events.append(event)
    }

    /// The oldest event, or nil.
    mutating func popFirst() -> LifecycleEvent? { events.isEmpty ? nil : events.removeFirst() }
}
