import CCurfew
import Glibc

/// What is to be known of a socket that is waited for.
struct InputSocket: Sendable, Hashable {
    /// A stream, or one of packets in order: data comes by a connection.
    var isConnectionBased: Bool
    var listens: Bool
    /// Nil: without a name.
    var local: SocketAddress?
    var isConnected: Bool
    /// Nil: not connected, or with one that has no name.
    var peer: SocketAddress?
    /// Whether it was not yet connected when it was looked at, and on its way there.
    var isConnecting = false
}

extension InputSocket {
    /// Nil for what no input of an app comes by: sockets of other families, and what is connected with this process,
    /// which says nothing to an app that is asleep.
    init?(_ descriptor: Int32) {
        var seen = curfew_socket()
        guard curfew_look_at_socket(descriptor, &seen) == 0,
            [AF_INET, AF_INET6, AF_UNIX].contains(seen.domain)
        else { return nil }
        // Of a raw socket it is the protocol that stands for the port.
        let isRaw = seen.type == Int32(SOCK_RAW.rawValue)
        let types = [SOCK_STREAM, SOCK_SEQPACKET].map { Int32($0.rawValue) }
        self.init(
            isConnectionBased: types.contains(seen.type), listens: seen.listens,
            local: isRaw ? nil : Self.address(seen.local, seen.local_length), isConnected: seen.peer_length > 0,
            peer: isRaw ? nil : Self.address(seen.peer, seen.peer_length))
        if seen.domain == AF_UNIX, local == nil, Self.isOurs(descriptor) { return nil }
    }

    /// The bytes are a tuple here.
    private static func address<Bytes>(_ bytes: Bytes, _ length: UInt32) -> SocketAddress? {
        withUnsafeBytes(of: bytes) { SocketAddress(UnsafeRawBufferPointer(rebasing: $0[..<Int(length)])) }
    }

    /// Whether this process made the pair that it is one of, or is who it has connected to: the app's channel, and its
    /// requests. Source: unix(7), SO_PEERCRED.
    private static func isOurs(_ descriptor: Int32) -> Bool {
        var peer = curfew_sender()
        return curfew_peer(descriptor, &peer) == 0 && peer.pid == getpid()
    }

    /// Whether it counts where only these local ports do; all do where there are none.
    func isAt(_ ports: [UInt16]) -> Bool { ports.isEmpty || local?.port.map(ports.contains) ?? false }
}
