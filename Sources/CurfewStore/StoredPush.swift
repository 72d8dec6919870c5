/// What is kept of a remote notification: a row of the table `push`.
public struct StoredPush: Sendable, Hashable {
    public var app: String
    /// Of all the server's; later ones have higher numbers.
    public var number: Int
    /// In microseconds since 1970.
    public var received: Int64
    /// What its sender calls it; nil: nothing.
    public var apnsID: String?
    /// Whether nothing of it is shown.
    public var isSilent: Bool
    /// When it was delivered, in microseconds since 1970; 0: never, for a later one has taken its place; nil: not yet.
    public var delivered: Int64?
    /// JSON, as it came.
    public var payload: String

    public init(
        app: String, number: Int, received: Int64, apnsID: String?, isSilent: Bool, delivered: Int64? = nil,
        payload: String
    ) {
        self.app = app
        self.number = number
        self.received = received
        self.apnsID = apnsID
        self.isSilent = isSilent
        self.delivered = delivered
        self.payload = payload
    }
}
