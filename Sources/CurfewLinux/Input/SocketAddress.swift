import Glibc

/// Where a socket is, or its peer: an Internet address and a port, or a Unix socket's name.
enum SocketAddress: Sendable, Hashable {
    case ip4(UInt32, port: UInt16)
    case ip6(high: UInt64, low: UInt64, scope: UInt32, port: UInt16)
    /// As the kernel has it: an abstract name begins with a zero byte.
    case unix([UInt8])

    /// Nil for the address of any other family, for a Unix socket without a name, and where there is neither address
    /// nor port.
    ///
    /// What IPv6 has in place of an IPv4 address is one. Source: ip(7); ipv6(7); unix(7), "Address format".
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 2 else { return nil }
        switch Int32(bytes.loadUnaligned(as: UInt16.self)) {
        case AF_INET where bytes.count >= 8: self.init(ip4: bytes)
        case AF_INET6 where bytes.count >= 28: self.init(ip6: bytes)
        case AF_UNIX: self.init(unix: UnsafeRawBufferPointer(rebasing: bytes[2...]))
        default: return nil
        }
    }

    private init?(ip4 bytes: UnsafeRawBufferPointer) {
        let port = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        let address = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        if address == 0, port == 0 { return nil }
        self = .ip4(address, port: port)
    }

    private init?(ip6 bytes: UnsafeRawBufferPointer) {
        let port = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        let high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        let scope = bytes.loadUnaligned(fromByteOffset: 24, as: UInt32.self)
        if high == 0, low == 0, port == 0 { return nil }
        let isMapped = high == 0 && low >> 32 == 0xffff
        if isMapped {
            self = .ip4(UInt32(truncatingIfNeeded: low), port: port)
        } else {
            self = .ip6(high: high, low: low, scope: scope, port: port)
        }
    }

    private init?(unix name: UnsafeRawBufferPointer) {
        let bytes = name.first == 0 ? Array(name) : Array(name.prefix { $0 != 0 })
        if bytes.isEmpty { return nil }
        self = .unix(bytes)
    }

    /// Nil for a Unix socket's.
    var port: UInt16? {
        switch self {
        case .ip4(_, let port), .ip6(_, _, _, let port): port
        case .unix: nil
        }
    }

    // MARK: For people

    /// `127.0.0.1:80`, `[::1]:80`, `/run/socket`, `@abstract`. IPv6 as RFC 5952 has it.
    var text: String {
        switch self {
        case .ip4(let address, let port):
            let parts = [24, 16, 8, 0].map { String(address >> $0 & 0xff) }
            return parts.joined(separator: ".") + ":\(port)"
        case .ip6(let high, let low, let scope, let port):
            return "[" + Self.text(high, low) + (scope == 0 ? "" : "%\(scope)") + "]:\(port)"
        case .unix(let name):
            return String(decoding: name.map { $0 == 0 ? UInt8(ascii: "@") : $0 }, as: UTF8.self)
        }
    }

    /// The same of the place that a socket is at: `:80` where that is every IPv4 address.
    var place: String {
        if case .ip4(0, let port) = self { return ":\(port)" }
        return text
    }

    private static func text(_ high: UInt64, _ low: UInt64) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { room in
            var bytes = (high.bigEndian, low.bigEndian)
            guard let text = inet_ntop(AF_INET6, &bytes, room.baseAddress, socklen_t(room.count)) else { return "" }
            return String(cString: text)
        }
    }

    // MARK: Listening

    /// Whether a socket that listens here accepts what is connected to there.
    ///
    /// Every IPv6 address is every IPv4 one too, unless it was asked otherwise. Source: ipv6(7), IPV6_V6ONLY.
    func accepts(_ other: SocketAddress) -> Bool {
        switch self {
        case .ip4(0, let port):
            if case .ip4 = other { return other.port == port }
            return false
        case .ip6(0, 0, _, let port): return other.port == port
        default: return self == other
        }
    }
}
