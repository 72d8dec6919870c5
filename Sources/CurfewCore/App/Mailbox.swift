/// What waits for an app until it can hear of it.
struct Mailbox: Sendable, Hashable {
    /// Changes posted while it was suspended: one per aspect, the latest, in the order of their first posting.
    private(set) var changes: [PostedEvent] = []
    /// Waking events that came before it was aware, oldest first.
    private var wakingEvents: [WakingEvent] = []

    /// Whoever else listens hears of the event the app was launched for with the launch, and has heard of any other.
    struct WakingEvent: Sendable, Hashable {
        var event: PostedEvent
        var isOfLaunch: Bool
    }

    init(launchEvent: PostedEvent?) {
        if let launchEvent { wakingEvents = [WakingEvent(event: launchEvent, isOfLaunch: true)] }
    }

    /// False where it would be one too many.
    mutating func keep(change: PostedEvent) -> Bool {
        if let index = changes.firstIndex(where: { $0.name == change.name }) {
            changes[index] = change
        } else {
            guard changes.count < App.maximumKeptChanges else { return false }
            changes.append(change)
        }
        return true
    }

    /// A plain app may never say hello: of too many, the oldest go.
    mutating func keep(wakingEvent event: PostedEvent) {
        if wakingEvents.count == App.maximumWakingEvents { wakingEvents.removeFirst() }
        wakingEvents.append(WakingEvent(event: event, isOfLaunch: false))
    }

    /// Whether one waits that is about a request of the app's.
    var holdsRequest: Bool { wakingEvents.contains { TaskRequest.Kind(event: $0.event.name) != nil } }

    var holdsUnmeteredRequest: Bool { wakingEvents.contains(where: \.event.isUnmetered) }

    /// That of the launch stays.
    mutating func drop(wakingEvent name: String) {
        wakingEvents.removeAll { $0.event.name == name && !$0.isOfLaunch }
    }

    mutating func takeChanges() -> [PostedEvent] {
        let taken = changes
        changes.removeAll()
        return taken
    }

    mutating func takeWakingEvents() -> [WakingEvent] {
        let taken = wakingEvents
        wakingEvents.removeAll()
        return taken
    }

    mutating func dropChanges() { changes.removeAll() }

    mutating func dropWakingEvents() { wakingEvents.removeAll() }
}
