/// The connections of an app, what it was told there, and the answers it owes.
struct Channel: Sendable, Hashable {
    /// The connections that may say `hello` for one app; later ones are refused by silence.
    static let maximumConnections = 64

    /// Those that said `hello`, in that order.
    private(set) var connections: [ConnectionID] = []
    /// Events delivered and not yet acknowledged, oldest first.
    private(set) var pending: [PendingAcknowledgement] = []
    /// What is left to say `hello`, when that is demanded; it runs on as what is left to acknowledge the launch.
    private(set) var launch: Watchdog?
    /// Whether the launch was delivered.
    private(set) var hasFinishedLaunching = false
    /// Of the event told last.
    private(set) var lastSequence = 0

    struct PendingAcknowledgement: Sendable, Hashable {
        var sequence: Int
        var event: Event
        var watchdog: Watchdog
        /// How long before its end the app is warned of it; nil: it isn't, or was.
        var lead: Span?
        /// Whether what is computed for it isn't counted.
        var isUnmetered = false

        /// When it is warned.
        var warning: Instant? {
            guard let lead else { return nil }
            return watchdog.end.map { $0 - lead }
        }

        /// Whether it was warned: what it has left then is all that it gets.
        var isExpired: Bool { event.isRequest && lead == nil }
    }

    /// Whether any other app would be plain.
    var isAware: Bool { !connections.isEmpty }

    /// Whether it has an answer to give, or to say `hello`.
    var owes: Bool { launch != nil || !pending.isEmpty }

    /// Whether it has yet to say `hello`, or to acknowledge its launch.
    var owesLaunch: Bool { launch != nil || pending.contains { $0.event == .lifecycle(.didFinishLaunching) } }

    func owes(_ event: Event) -> Bool { pending.contains { $0.event == event } }

    /// Whether so many waking events wait for their acknowledgement that no other may come.
    var isFullOfWakingEvents: Bool {
        pending.count { if case .wake = $0.event { true } else { false } } >= App.maximumWakingEvents
    }

    // MARK: Connections

    func accepts(_ connection: ConnectionID) -> Bool {
        !connections.contains(connection) && connections.count < Self.maximumConnections
    }

    mutating func add(_ connection: ConnectionID) { connections.append(connection) }

    /// Whether it was the last.
    mutating func remove(_ connection: ConnectionID) -> Bool {
        guard let index = connections.firstIndex(of: connection) else { return false }
        connections.remove(at: index)
        return connections.isEmpty
    }

    /// Those and one more, where there is one that isn't among them.
    func listeners(with other: ConnectionID?) -> [ConnectionID] {
        var listeners = connections
        if let other, !listeners.contains(other) { listeners.append(other) }
        return listeners
    }

    // MARK: Telling

    mutating func nextSequence() -> Int {
        lastSequence += 1
        return lastSequence
    }

    mutating func demandHello(_ watchdog: Watchdog) { launch = watchdog }

    mutating func finishLaunching() { hasFinishedLaunching = true }

    /// Nobody owes the launch's limit any more; what is left of it, if it runs.
    mutating func takeLaunch() -> Watchdog? {
        defer { launch = nil }
        return launch
    }

    /// `lead`: how long before the watchdog's end it is warned; nil: it isn't.
    mutating func owe(
        _ event: Event, sequence: Int, _ watchdog: Watchdog, lead: Span? = nil, isUnmetered: Bool = false
    ) {
        pending.append(
            PendingAcknowledgement(
                sequence: sequence, event: event, watchdog: watchdog, lead: lead, isUnmetered: isUnmetered))
    }

    /// The one at that index was told that its time is nearly over, and has `span` from now on, if it had more.
    mutating func warned(_ index: Int, leaving span: Span, at now: Moment) {
        pending[index].lead = nil
        pending[index].watchdog.shorten(to: span, at: now)
    }

    // MARK: Answers

    /// The event; nil where nothing is owed by that number.
    mutating func acknowledge(_ sequence: Int) -> Event? {
        guard let index = pending.firstIndex(where: { $0.sequence == sequence }) else { return nil }
        let acknowledged = pending.remove(at: index)
        return acknowledged.event
    }

    /// It is ready, and owes its launch no answer; those that it owed.
    mutating func acknowledgeLaunch() -> [PendingAcknowledgement] {
        launch = nil
        let done = pending.filter { $0.event == .lifecycle(.didFinishLaunching) }
        if !done.isEmpty { pending.removeAll { $0.event == .lifecycle(.didFinishLaunching) } }
        return done
    }

    /// A launch that was left unanswered is owed again, in the time left.
    mutating func demandLaunchAgain() {
        guard let unanswered = pending.first(where: { $0.event == .lifecycle(.didFinishLaunching) }) else { return }
        launch = unanswered.watchdog
        hasFinishedLaunching = false
    }

    /// It has come back to the front.
    mutating func dropBackgroundEvents() { pending.removeAll { $0.event.isBackgroundOnly } }

    mutating func dropPending() { pending.removeAll() }

    mutating func dropAll() {
        pending.removeAll()
        launch = nil
    }

    // MARK: Watchdogs

    /// What those that weren't have begun with.
    mutating func measured(_ cpuTime: Span) {
        for index in pending.indices where pending[index].watchdog.cpuTimeAtStart == nil {
            pending[index].watchdog.cpuTimeAtStart = cpuTime
        }
    }

    mutating func set(running: Bool, at now: Moment) {
        for index in pending.indices { pending[index].watchdog.set(running: running, at: now) }
        launch?.set(running: running, at: now)
    }

    /// Whether more time can be had for something that it owes.
    var isExtensible: Bool { launch != nil || pending.contains { !$0.isExpired } }

    mutating func extend(to span: Span, at now: Moment) {
        launch?.extend(to: span, at: now)
        for index in pending.indices where !pending[index].isExpired {
            pending[index].watchdog.extend(to: span, at: now)
        }
    }
}

extension Event {
    /// What an app that has come back to the front doesn't owe any more.
    fileprivate var isBackgroundOnly: Bool {
        switch self {
        case .lifecycle(let event): event == .didEnterBackground
        case .wake: true
        case .change: false
        }
    }
}
