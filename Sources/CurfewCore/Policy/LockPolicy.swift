/// What becomes of an app that holds locked files when it is suspended.
public enum LockPolicy: String, Sendable, Hashable, CaseIterable {
    case report
    /// Source: iOS: 0xdead10cc, killed for a file lock held over a suspension.
    case kill
    /// The suspension waits for a bounded time until they are let go; what is held then is reported.
    case `defer`
    case ignore
}

/// A file lock that somebody else may have to wait for as long as its holder is stopped.
public struct FileLock: Sendable, Hashable {
    public var path: String
    /// POSIX, FLOCK or OFD.
    public var kind: String
    public var isWrite: Bool
    /// The process that has it open.
    public var pid: Int32
    /// Whether a process outside the app is blocked on it.
    public var isWaitedFor: Bool

    public init(path: String, kind: String, isWrite: Bool, pid: Int32, isWaitedFor: Bool) {
        self.path = path
        self.kind = kind
        self.isWrite = isWrite
        self.pid = pid
        self.isWaitedFor = isWaitedFor
    }
}
