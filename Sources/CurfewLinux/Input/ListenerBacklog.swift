/// The connections that were seen to wait at a listening socket since all of its app was stopped. One that is there no more
/// was accepted by somebody else, for those whose peers give up stay until they are accepted.
///
/// Source: kernel, net/ipv4/inet_connection_sock.c, inet_csk_accept(); net/unix/af_unix.c, unix_accept().
struct ListenerBacklog: Sendable, Hashable {
    /// Where the socket is among those that are waited for.
    let index: Int
    /// As many as were seen for sure.
    private(set) var seen: Int

    mutating func hasOne() { seen = max(seen, 1) }

    mutating func has(_ count: Int) { seen = count }
}

extension InputWatch {
    /// How many listening sockets are looked at before the app is continued, a microsecond each.
    private static let mostLooks = 64

    /// The listening sockets, and where they are, at which somebody else has accepted a connection that was seen to wait. To be
    /// asked before the app is continued, and before `close`.
    public func takenConnections() -> [(listener: UInt64, place: String?)] {
        guard epoll.isOpen else { return [] }
        var taken: [(listener: UInt64, place: String?)] = []
        for (listener, backlog) in backlogs.filter({ $0.value.seen > 0 }).prefix(Self.mostLooks) {
            guard let (count, socket) = look(backlog), count < backlog.seen else { continue }
            taken.append((listener, socket.local?.place))
        }
        return taken
    }

    /// What waits at a listening socket; nil for nothing.
    public func connection(at listener: UInt64) -> InputCause? {
        guard epoll.isOpen, let backlog = backlogs[listener], let (count, socket) = look(backlog) else { return nil }
        backlogs[listener]?.has(count)
        guard count > 0, var cause = socket.causeWhereListening(.readable) else { return nil }
        cause.listener = listener
        return cause
    }

    /// How many wait there; nil where it listens no more.
    private func look(_ backlog: ListenerBacklog) -> (count: Int, socket: InputSocket)? {
        let input = watched[backlog.index]
        guard case .socket(let socket) = input.source else { return nil }
        let ready = Readiness.now(input.descriptor.number)
        guard ready.isDisjoint(with: .ended) else { return nil }
        let count = ready.contains(.readable) ? input.source.measure.count(of: input.descriptor.number) : 0
        return (count, socket)
    }
}
