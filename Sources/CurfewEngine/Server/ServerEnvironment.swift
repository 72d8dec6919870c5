import CurfewLinux
import Glibc

/// The environment that apps of a manifest get: the server's own, and what it was told since.
struct ServerEnvironment {
    private var entries: [(key: String, value: String)] = []

    /// What `reload` may change: where a desktop is, which a server can outlive. Nothing else comes from a client.
    static let changeable = ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK", "XAUTHORITY"]

    /// `KEY=VALUE` each; the first of a key counts, as getenv(3) has it.
    init(_ inherited: [String]) {
        for text in inherited {
            guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let key = String(text[..<equals])
            if entries.contains(where: { $0.key == key }) { continue }
            entries.append((key, String(text[text.index(after: equals)...])))
        }
    }

    /// This process's own.
    static func own() -> ServerEnvironment {
        var inherited: [String] = []
        var entry = environ
        while let text = entry.pointee {
            inherited.append(String(cString: text))
            entry += 1
        }
        return ServerEnvironment(inherited)
    }

    mutating func set(_ key: String, _ value: String) {
        if let index = entries.firstIndex(where: { $0.key == key }) {
            entries[index].value = value
        } else {
            entries.append((key, value))
        }
    }

    /// `KEY=VALUE` each, with these besides or in place.
    func with(_ added: [(key: String, value: String)]) -> [String] {
        var all = self
        for pair in added { all.set(pair.key, pair.value) }
        return all.entries.map { $0.key + "=" + $0.value }
    }
}
