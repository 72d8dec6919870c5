import CurfewLinux

/// What is kept of an app: a row of the table `app`.
public struct StoredApp: Sendable, Hashable {
    /// Where its definition comes from.
    public enum Source: String, Sendable, Hashable, CaseIterable {
        case manifest, desktop
        /// A command that was launched without a manifest: all there is to know of it stands here.
        case bare
    }

    public var name: String
    public var source: Source
    public var command: [ByteString]
    /// The words for `curfew run`, as `--budget`, `10m`.
    public var options: [String]
    /// Where it is launched; nil: where the server is.
    public var directory: ByteString?
    /// Off the task list, until somebody opens it.
    public var isRemoved: Bool
    /// How often it was launched; the number of its latest run.
    public var launches: Int
    /// The latest pause before it was launched again, in microseconds; nil when it hasn't been of late.
    public var restartPause: Int64?
    /// When it is to be launched again, in microseconds since 1970; nil when it isn't.
    public var restartDue: Int64?
    /// How many restored launches in a row ended at once.
    public var restoredEnds: Int
    /// The higher, the more recently it was in front. The store gives it out.
    public internal(set) var position: Int64 = 0

    public init(
        name: String, source: Source, command: [ByteString], options: [String] = [], directory: ByteString? = nil,
        isRemoved: Bool = false, launches: Int = 0, restartPause: Int64? = nil, restartDue: Int64? = nil,
        restoredEnds: Int = 0
    ) {
        self.name = name
        self.source = source
        self.command = command
        self.options = options
        self.directory = directory
        self.isRemoved = isRemoved
        self.launches = launches
        self.restartPause = restartPause
        self.restartDue = restartDue
        self.restoredEnds = restoredEnds
    }
}
