import Glibc

/// Where this process finds its supervisor.
struct SupervisorAddress: Sendable {
    /// The socket for connections of one's own.
    var socketPath: String?
    /// The control pipe, which the whole tree has inherited; the second choice.
    var inheritedDescriptor: Int32?

    /// How many seconds a supervisor may be too busy to accept a connection.
    private static let patience = 10

    /// What the environment says; neither, when nothing supervises this process.
    ///
    /// Source: docs/protocol.md, "An app finds these in its environment".
    static func fromEnvironment() -> SupervisorAddress {
        SupervisorAddress(
            socketPath: variable("CURFEW_SOCKET"), inheritedDescriptor: variable("CURFEW_FD").flatMap { Int32($0) })
    }

    /// Where this process's app keeps its state; nil when the environment doesn't say.
    static func stateDirectoryFromEnvironment() -> String? { variable("CURFEW_STATE_DIR") }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Connects; nil when nobody is there.
    func connect() -> Connection? {
        if let socketPath, let descriptor = SupervisorAddress.connect(to: socketPath) {
            return Connection(owning: descriptor, isShared: false)
        }
        if let inheritedDescriptor, let descriptor = SupervisorAddress.duplicate(inheritedDescriptor) {
            return Connection(owning: descriptor, isShared: true)
        }
        return nil
    }

    private static func connect(to path: String) -> Int32? {
        guard var address = address(of: path) else { return nil }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return nil }
        // For a socket of this kind it limits how long connecting waits. Source: kernel, net/unix/af_unix.c.
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                retryingInterrupted { Glibc.connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_un>.size)) }
            }
        }
        if result == 0, isTrusted(descriptor) { return descriptor }
        close(descriptor)
        return nil
    }

    /// Whether this user, or root, listens there: whoever has set the variable may have planted a socket of his own.
    private static func isTrusted(_ descriptor: Int32) -> Bool {
        // As struct ucred, which Glibc's module lacks: pid, uid, gid. Source: unix(7), SO_PEERCRED.
        var peer: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: peer))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 else { return false }
        return [geteuid(), getuid(), 0].contains(peer.uid)
    }

    private static func retryingInterrupted(_ call: () -> Int32) -> Int32 {
        while true {
            let result = call()
            if result == 0 || errno != EINTR { return result }
        }
    }

    /// Nil for a path that doesn't fit.
    private static func address(of path: String) -> sockaddr_un? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
            // One byte is left for the NUL at the end.
            guard path.utf8.count < room.count else { return false }
            room.copyBytes(from: path.utf8)
            return true
        }
        return fits ? address : nil
    }

    /// A descriptor of our own for the same socket; nil unless it is a connected stream socket.
    ///
    /// A program may have closed the control pipe unknowingly and opened something else under its number.
    private static func duplicate(_ descriptor: Int32) -> Int32? {
        guard option(SO_DOMAIN, of: descriptor) == AF_UNIX,
            option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue), hasPeer(descriptor)
        else { return nil }
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        return duplicate >= 0 ? duplicate : nil
    }

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    /// Looks without taking: what is there may be for another process.
    private static func hasPeer(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return count > 0 || (count < 0 && errno == EAGAIN)
    }
}
