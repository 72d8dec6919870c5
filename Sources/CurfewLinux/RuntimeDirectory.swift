import CCurfew
import Glibc

/// Where the control sockets of this user's supervisors are.
public struct RuntimeDirectory: Sendable {
    public let path: String

    /// What a path may have in a socket's address. Source: unix(7), sun_path.
    public static let maximumSocketPathBytes = 107

    public init(path: String) { self.path = path }

    /// `$XDG_RUNTIME_DIR/curfew` where that directory is this user's, else one under /tmp named by the uid.
    public static func ofThisUser() -> RuntimeDirectory {
        if let variable = getenv("XDG_RUNTIME_DIR"), variable[0] == 47, belongsToUser(variable) {
            return RuntimeDirectory(path: String(cString: variable) + "/curfew")
        }
        return RuntimeDirectory(path: "/tmp/curfew-" + decimal(Int(geteuid())))
    }

    /// Under `sudo -u`, `su` or cron the variable can name a directory that isn't there, or another user's.
    private static func belongsToUser(_ path: UnsafePointer<CChar>) -> Bool {
        var status = curfew_file_status()
        return curfew_stat_at(AT_FDCWD, path, true, &status) == 0 && status.uid == geteuid()
    }

    public func socketPath(_ name: String) -> String { path + "/" + name + Self.socketSuffix }

    /// What follows an app's name in its socket's.
    public static let socketSuffix = ".sock"

    /// Makes sure of it: ours alone, 0700. EPERM: somebody else's, or open to others.
    public func prepare() throws(KernelError) -> Descriptor {
        var descriptor = Descriptor(openNoFollow())
        if descriptor.number == -ENOENT {
            let made = curfew_mkdir_at(AT_FDCWD, path, 0o700)
            if made < 0, made != -EEXIST { throw KernelError("make", path, errno: -made) }
            descriptor = Descriptor(openNoFollow())
        }
        if !descriptor.isOpen { throw KernelError("open", path, errno: -descriptor.number) }
        var status = curfew_file_status()
        try check(curfew_fstat(descriptor.number, &status), "look at", path)
        guard status.uid == geteuid(), status.mode & 0o077 == 0 else {
            descriptor.close()
            throw KernelError("trust (it must belong to this user alone, mode 0700)", path, errno: EPERM)
        }
        return descriptor
    }

    private func openNoFollow() -> Int32 { curfew_open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0) }

    /// The names that have a socket here, in order; some may be of supervisors that are gone.
    public func names() -> [String] {
        let suffix = Self.socketSuffix
        let names = Directory.names(of: path) ?? []
        return names.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.utf8.count)) }.sorted()
    }
}

/// A supervisor's listening socket, by which it has its name.
public struct NamedSocket: Sendable {
    public let name: String
    public let path: String
    public let descriptor: Descriptor

    public enum Claim: Sendable {
        case claimed(NamedSocket)
        case taken
    }

    /// Takes the name; under a lock on the directory, so that nobody takes a socket that isn't listening yet for dead.
    public static func claim(_ name: String, in directory: RuntimeDirectory) throws(KernelError) -> Claim {
        var lock = try directory.lock()
        defer { lock.close() }
        let path = directory.socketPath(name)
        var listening = curfew_unix_listen(path, 64)
        if listening == -EADDRINUSE {
            if isAlive(path) { return .taken }
            _ = curfew_unlink_at(AT_FDCWD, path)
            listening = curfew_unix_listen(path, 64)
        }
        try check(listening, "listen on", path)
        return .claimed(NamedSocket(name: name, path: path, descriptor: Descriptor(listening)))
    }

    /// Removes the socket of a supervisor that is gone; one that somebody listens on by now stays.
    public static func removeDead(_ path: String, in directory: RuntimeDirectory) {
        guard var lock = try? directory.lock() else { return }
        if !isAlive(path) { _ = curfew_unlink_at(AT_FDCWD, path) }
        lock.close()
    }

    /// Nobody listens, or its supervisor has removed it just now.
    private static func isAlive(_ path: String) -> Bool {
        var connection = Descriptor(curfew_unix_connect(path))
        let isAlive = connection.isOpen || (connection.number != -ECONNREFUSED && connection.number != -ENOENT)
        connection.close()
        return isAlive
    }

    public func remove() { _ = curfew_unlink_at(AT_FDCWD, path) }
}

extension RuntimeDirectory {
    /// The directory, locked until the descriptor is closed.
    fileprivate func lock() throws(KernelError) -> Descriptor {
        let lock = try prepare()
        try check(curfew_flock(lock.number, true), "lock", path)
        return lock
    }
}
