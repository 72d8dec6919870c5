/// An app's claim "let me finish this", open until it is ended, its owner dies, or the app goes.
public struct BackgroundTask: Sendable, Hashable {
    public let id: TaskID
    public let name: String
    /// By lifecycle time.
    public let begun: Instant
    public let owner: OwnerID
    /// Where `backgroundTaskWillExpire` goes too, aware or not; nil once that connection has closed.
    public var connection: ConnectionID?
}
