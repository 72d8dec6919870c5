import CurfewWire

/// Asks for time in the background, once, when it suits the machine: what BackgroundTasks calls `BGTaskRequest`.
///
/// Source: docs/schedules.md.
public struct TaskRequest: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Some seconds, to be up to date when the app is opened.
        case appRefresh = "refresh"
        /// Minutes, while nobody needs the machine.
        case processing
    }

    public var kind: Kind
    /// What its launch handler is registered for: 1 to 64 letters, digits, `-`, `_` and `.`.
    public var identifier: String
    /// Not before that; nil: as soon as it suits.
    public var earliestBeginDate: FireDate?
    public var requiresNetworkConnectivity = false
    public var requiresExternalPower = false

    public init(_ kind: Kind, identifier: String, earliestBeginDate: FireDate? = nil) {
        self.kind = kind
        self.identifier = identifier
        self.earliestBeginDate = earliestBeginDate
    }

    /// One that waits; nil for anything else that an app has scheduled, and for what the app works on already.
    init?(scheduled: Message) {
        guard scheduled["waits"] != "runs", let kind = scheduled["kind"].flatMap({ Kind(rawValue: $0) }),
            let identifier = scheduled["request"]
        else { return nil }
        self.init(kind, identifier: identifier)
        earliestBeginDate = scheduled["earliest"].flatMap { Double($0) }.map { FireDate(secondsSince1970: $0) }
        requiresNetworkConnectivity = scheduled["needs-network"] == "1"
        requiresExternalPower = scheduled["needs-power"] == "1"
    }

    var message: Message {
        var fields = [Field("kind", kind.rawValue), Field("request", identifier)]
        if let earliestBeginDate { fields.append(Field("earliest", earliestBeginDate.description)) }
        if requiresNetworkConnectivity { fields.append(Field("needs-network", "1")) }
        if requiresExternalPower { fields.append(Field("needs-power", "1")) }
        return Message("submit", fields)
    }
}

/// Work that the app has submitted a request for, and was woken or launched for: what BackgroundTasks calls `BGTask`.
public final class RequestedTask: Sendable {
    public let identifier: String
    public let kind: TaskRequest.Kind
    private let event: LifecycleEvent
    private let handler = Monitor<(@Sendable () -> Void)?>(nil)

    /// Nil for an event that isn't about a request.
    init?(_ event: LifecycleEvent) {
        guard event.kind == .wake, let kind = TaskRequest.Kind(rawValue: event.name) else { return nil }
        self.kind = kind
        self.event = event
        identifier = event.info["request"] ?? ""
        event.deferAcknowledgement()
    }

    /// Called some seconds before its time is over, on the thread of the launch handlers; without one it has failed then.
    public var expirationHandler: (@Sendable () -> Void)? {
        get { handler.withLock { $0 } }
        set { handler.withLock { $0 = newValue } }
    }

    /// The work is over; from any thread, once: later calls change nothing.
    ///
    /// An app that hasn't said so when its time is over is killed.
    public func setTaskCompleted(success: Bool) { event.setTaskCompleted(success: success) }

    /// The number of the event to answer.
    var sequence: Int { event.sequence }

    func expire() { if let handler = expirationHandler { handler() } else { setTaskCompleted(success: false) } }
}
