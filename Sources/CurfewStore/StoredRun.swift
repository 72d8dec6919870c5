/// What is kept of one run of an app: a row of the table `run`.
public struct StoredRun: Sendable, Hashable {
    /// How it ended.
    public struct End: Sendable, Hashable {
        /// In microseconds since 1970.
        public var ended: Int64
        /// A reason's word, `exited` or `memory-limit` for instance.
        public var reason: String
        /// What it exited with; nil where a signal ended it, or nobody knows.
        public var status: Int?
        public var signal: Int?
        /// CPU time of its whole tree in microseconds, as far as it could be measured.
        public var cpu: Int64?
        /// The largest footprint seen, in bytes.
        public var peak: Int64?

        public init(
            ended: Int64, reason: String, status: Int? = nil, signal: Int? = nil, cpu: Int64? = nil, peak: Int64? = nil
        ) {
            self.ended = ended
            self.reason = reason
            self.status = status
            self.signal = signal
            self.cpu = cpu
            self.peak = peak
        }
    }

    public var app: String
    /// From 1 on, one more each launch.
    public var number: Int
    /// In microseconds since 1970.
    public var began: Int64
    public var pid: Int
    /// Whether it was launched to the front.
    public var wasInFront: Bool
    /// nil while it runs, and where its server ended before it could write one.
    public var end: End?

    public init(app: String, number: Int, began: Int64, pid: Int, wasInFront: Bool, end: End? = nil) {
        self.app = app
        self.number = number
        self.began = began
        self.pid = pid
        self.wasInFront = wasInFront
        self.end = end
    }
}
