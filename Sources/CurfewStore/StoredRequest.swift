/// What is kept of a refresh or processing request that waits: a row of the table `request`.
public struct StoredRequest: Sendable, Hashable {
    public var key: Key
    /// `refresh` or `processing`.
    public var kind: String
    /// Not before that, in microseconds since 1970; nil: as soon as may be.
    public var earliest: Int64?
    public var needsNetwork: Bool
    public var needsPower: Bool
    /// In microseconds since 1970.
    public var submitted: Int64

    public struct Key: Sendable, Hashable {
        public var app: String
        public var id: String

        public init(app: String, id: String) {
            self.app = app
            self.id = id
        }
    }

    public init(
        key: Key, kind: String, earliest: Int64? = nil, needsNetwork: Bool = false, needsPower: Bool = false,
        submitted: Int64
    ) {
        self.key = key
        self.kind = kind
        self.earliest = earliest
        self.needsNetwork = needsNetwork
        self.needsPower = needsPower
        self.submitted = submitted
    }
}
