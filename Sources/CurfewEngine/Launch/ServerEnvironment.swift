import CurfewLinux
import Glibc

/// The environment that apps of a manifest and sources get: the server's own, and what it was told since.
struct ServerEnvironment {
    private var entries: [(key: ByteString, value: ByteString)] = []

    /// What `reload` may change: where a desktop is, which a server can outlive. Nothing else comes from a client.
    static let changeable = ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK", "XAUTHORITY"]

    /// `KEY=VALUE` each; the first of a key counts, as getenv(3) has it.
    init(_ inherited: [ByteString]) {
        for text in inherited {
            guard let equals = text.bytes.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let key = ByteString(text.bytes[..<equals])
            if entries.contains(where: { $0.key == key }) { continue }
            entries.append((key, ByteString(text.bytes[(equals + 1)...])))
        }
    }

    /// This process's own.
    static func own() -> ServerEnvironment {
        var inherited: [ByteString] = []
        var entry = environ
        while let text = entry.pointee {
            inherited.append(ByteString(cString: text))
            entry += 1
        }
        return ServerEnvironment(inherited)
    }

    /// What `reload` may have changed, as it is now.
    var ofSession: [(key: String, value: String)] {
        Self.changeable.compactMap { key in
            entries.first { $0.key == ByteString(key) }.map { (key, String(decoding: $0.value.bytes, as: UTF8.self)) }
        }
    }

    mutating func set(_ key: String, _ value: String) { set(ByteString(key), ByteString(value)) }

    private mutating func set(_ key: ByteString, _ value: ByteString) {
        if let index = entries.firstIndex(where: { $0.key == key }) {
            entries[index].value = value
        } else {
            entries.append((key, value))
        }
    }

    /// `KEY=VALUE` each, with these besides or in place.
    func with(_ added: [(key: String, value: String)]) -> [ByteString] {
        var all = self
        for pair in added { all.set(pair.key, pair.value) }
        return all.entries.map { ByteString($0.key.bytes + [UInt8(ascii: "=")] + $0.value.bytes) }
    }
}
