import CCurfew
import CurfewLinux
import Glibc

/// A process of ours that is outside every app, joined to us by a socket of packets: one that runs hooks or a source, or shows
/// notifications.
///
/// It is a child of the proxy: were it ours, what it starts would count as processes of an app, and could drive no supervisor.
/// See docs/adr/0004-events-outside-the-channel.md.
struct OutsideProcess {
    /// What `ps` shows of it; by that name the proxy knows it as soon as it is its child. Known to Sources/CCurfew/proxy.c.
    let name: StaticString
    /// Bytes that it sends and we haven't read yet, or so; more wait with it. Nil: as many as the kernel allows.
    var mostUnread: Int32?
    /// Of others like it: held there, an end of ours wouldn't be one to those.
    var others: [Descriptor] = []

    struct Problem: Error {
        let text: String
    }

    /// Forks it; to be called before this process becomes a subreaper. `serve`: what it does, with its end of the socket.
    ///
    /// Returns our end.
    func start(_ serve: (Int32) -> Never) throws(Problem) -> Descriptor {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Self.problem("make a socket", errno) }
        if var size = mostUnread {
            _ = setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        // Orphaned at once, it goes to the proxy.
        let middle = curfew_fork(SIGCHLD)
        if middle == 0 { becomeIt(ends, serve) }
        close(ends[1])
        guard middle > 0 else {
            close(ends[0])
            throw Self.problem("start a process", -middle)
        }
        var info = curfew_wait_info()
        while curfew_waitid(Int32(P_PID.rawValue), middle, WEXITED, &info) == -EINTR {}
        return Descriptor(ends[0])
    }

    private func becomeIt(_ ends: [Int32], _ serve: (Int32) -> Never) -> Never {
        close(ends[0])
        for var other in others { other.close() }
        name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) {
            _ = curfew_set_name($0)
        }
        if curfew_fork(SIGCHLD) != 0 { curfew_exit(0) }
        serve(ends[1])
    }

    private static func problem(_ what: String, _ number: Int32) -> Problem {
        Problem(text: "can't \(what): \(String(cString: strerror(number)))")
    }
}
