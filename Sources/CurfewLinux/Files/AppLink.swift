import CCurfew
import Glibc

/// The name of a server's app: a link `NAME.sock` that leads to the server's socket, by which nobody else can have that name.
public struct AppLink: Sendable, Hashable {
    public let name: String
    public let path: String

    public enum Claim: Sendable {
        case claimed(AppLink)
        case taken
        /// Nobody has it, but what one that is gone has left is in the way, and somebody holds the directory's lock.
        case blocked
    }

    /// Takes the name, in one step which fails if there is one of that name. What is dead is taken away first.
    public static func claim(
        _ name: String, for server: String, in directory: RuntimeDirectory
    ) throws(KernelError) -> Claim {
        let path = directory.socketPath(name)
        guard path.utf8.count <= RuntimeDirectory.maximumSocketPathBytes else {
            throw KernelError("listen on", path, errno: ENAMETOOLONG)
        }
        // Others can take the name between two looks, but not for ever.
        for _ in 0..<8 {
            let made = curfew_symlink(directory.linkTarget(ofServer: server), path)
            if made >= 0 { return .claimed(AppLink(name: name, path: path)) }
            if made != -EEXIST { throw KernelError("make", path, errno: -made) }
            if !directory.isDead(path) { return .taken }
            guard directory.removeDead(path) else { return .blocked }
        }
        return .taken
    }

    public func remove() { _ = curfew_unlink_at(AT_FDCWD, path) }

    /// Takes away the names of a server that is gone, and its socket, for whoever survives it; nothing where another has
    /// come in its place. Under the lock of the folder of servers, which that one needs to take away the dead socket.
    public static func removeAll(of server: String, in directory: RuntimeDirectory) {
        let folder = directory.serverFolder
        guard let lock = folder.lock(for: 1_000_000) else { return }
        var held = lock
        defer { held.close() }
        guard curfew_unix_is_bound(folder.socketPath(server)) != 1 else { return }
        removeLeft(of: server, in: directory)
        _ = curfew_unlink_at(AT_FDCWD, folder.socketPath(server))
    }

    /// Takes away what one that is gone has left, for whoever has its name now, and no app yet.
    public static func removeLeft(of server: String, in directory: RuntimeDirectory) {
        for name in directory.names() where directory.server(of: name) == server {
            _ = curfew_unlink_at(AT_FDCWD, directory.socketPath(name))
        }
    }
}
