/// An event that was not acknowledged in time, for which a supervisor would have killed the app.
public struct NotAcknowledged: Error, Hashable, CustomStringConvertible {
    public let event: String
    public let limit: Duration

    public init(event: String, limit: Duration) {
        self.event = event
        self.limit = limit
    }

    public var description: String { "\(event) was not acknowledged within \(limit)" }
}
