import CCurfew
import Glibc

/// Where servers of many apps listen: `server/NAME.sock`. The name of each of their apps is a link that leads there.
extension RuntimeDirectory {
    static let serverFolder = "server"

    /// Where servers listen, and where they are handed orders.
    public var serverFolder: RuntimeDirectory { RuntimeDirectory(path: path + "/" + Self.serverFolder) }

    public func serverSocketPath(_ server: String) -> String { serverFolder.socketPath(server) }

    /// Where the name of an app of that server leads to.
    func linkTarget(ofServer server: String) -> String { Self.serverFolder + "/" + server + Self.socketSuffix }

    /// The servers that have a socket, in order; some may be gone.
    public func servers() -> [String] { serverFolder.names() }

    /// The server that holds the app of this name; nil where the name is nobody's, or a supervisor's own.
    public func server(of app: String) -> String? {
        let target: String? = withUnsafeTemporaryAllocation(byteCount: Self.maximumLinkBytes, alignment: 1) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let count = readlink(socketPath(app), base, buffer.count)
            return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
        }
        guard let target, target.hasSuffix(Self.socketSuffix) else { return nil }
        for prefix in [Self.serverFolder + "/", serverFolder.path + "/"] where target.hasPrefix(prefix) {
            let name = target.dropFirst(prefix.count).dropLast(Self.socketSuffix.count)
            return name.isEmpty || name.utf8.contains(UInt8(ascii: "/")) ? nil : String(name)
        }
        return nil
    }

    /// Longer than any that leads to a socket.
    private static let maximumLinkBytes = 512

    /// Whether somebody listens under this name, a supervisor or a server.
    public func isTaken(_ app: String) -> Bool { curfew_unix_is_bound(socketPath(app)) > 0 }

    public func isThere(server: String) -> Bool { curfew_unix_is_bound(serverSocketPath(server)) > 0 }
}
