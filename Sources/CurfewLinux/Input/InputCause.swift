/// What has come to a sleeping app.
public struct InputCause: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case connection, data, datagram, terminal, pipe, timer
        /// Nothing more comes: a pipe's writers are gone, a terminal was hung up, a connection ended or failed.
        case end
        /// What took no more takes some again, or a connection is made.
        case room
    }

    public var kind: Kind
    /// For people; completes "woken by …".
    public var text: String
    /// The peer's address, where it is known: `127.0.0.1:54321`.
    public var from: String?
    /// What it came to: `:6379`, `[::]:80`, or a path.
    public var to: String?
    /// Of a connection: the inode of the socket that listens.
    public var listener: UInt64?

    public init(kind: Kind, text: String, from: String? = nil, to: String? = nil, listener: UInt64? = nil) {
        self.kind = kind
        self.text = text
        self.from = from
        self.to = to
        self.listener = listener
    }
}
