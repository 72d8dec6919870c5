import Glibc

/// What counts as input of a sleeping app, and can't be waited for.
public struct MissingInput: Sendable, Hashable {
    public var pid: Int32
    /// The command's.
    public var name: String
    public var what: String
    /// The kernel's reason in words, or ours.
    public var why: String

    public init(pid: Int32, name: String, what: String, why: String) {
        self.pid = pid
        self.name = name
        self.what = what
        self.why = why
    }

    init(of pid: Int32, _ what: String, why: String) {
        self.init(pid: pid, name: (Procfs.isOurs ? Procfs.commandName(pid) : nil) ?? "?", what: what, why: why)
    }

    init(of pid: Int32, _ what: String, errno: Int32) {
        self.init(of: pid, what, why: String(cString: strerror(errno)))
    }

    public var text: String { "\(name) (\(pid)): \(what): \(why)" }
}
