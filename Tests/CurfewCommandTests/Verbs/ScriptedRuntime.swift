import CCurfew
import CurfewLinux
import Glibc
import Synchronization
import Testing

@testable import CurfewCommand

/// A runtime directory with supervisors and servers in it: what each tells whoever connects is written beforehand, what it was
/// asked is read afterwards.
final class ScriptedRuntime {
    let directory: RuntimeDirectory
    private let scratch: Scratch
    private var listeners: [String: ScriptedListener] = [:]

    init() throws {
        scratch = try Scratch()
        directory = RuntimeDirectory(path: scratch.path)
        mkdir(directory.serverFolder.path, 0o700)
    }

    deinit { for listener in listeners.values { listener.end() } }

    /// One connection's lines, in order.
    struct Script: ExpressibleByArrayLiteral {
        var lines: [String]
        /// It closes the channel behind them.
        var isOver = false

        init(arrayLiteral lines: String...) { self.lines = lines }

        static func ending(_ lines: String...) -> Script {
            var script: Script = []
            (script.lines, script.isOver) = (lines, true)
            return script
        }
    }

    /// Of one app. With its last connection its name is gone, and nobody listens there any more.
    func supervisor(_ app: String, _ connections: Script...) throws {
        let path = directory.socketPath(app)
        listeners[path] = try ScriptedListener(path, connections)
    }

    /// The same of a server.
    func server(_ name: String, _ connections: Script...) throws {
        let path = directory.serverSocketPath(name)
        listeners[path] = try ScriptedListener(path, connections)
    }

    /// The app has its name from a server.
    func link(_ app: String, to server: String) { symlink("server/\(server).sock", directory.socketPath(app)) }

    /// The lines that came since, of each connection in turn.
    func asked(_ app: String) -> [String] { listeners[directory.socketPath(app)]?.asked() ?? [] }

    func asked(server: String) -> [String] { listeners[directory.serverSocketPath(server)]?.asked() ?? [] }
}

/// Accepts one connection for each of its scripts, on a thread of its own: nobody can be answered who isn't accepted.
private final class ScriptedListener: Sendable {
    private struct State {
        /// Nil once it is closed: the number may be another test's by then.
        var listening: Int32?
        var connections: [Int32] = []
    }

    private let state: Mutex<State>
    private let path: String

    init(_ path: String, _ scripts: [ScriptedRuntime.Script]) throws {
        self.path = path
        let listening = curfew_unix_listen(path, 16)
        try #require(listening >= 0)
        state = Mutex(State(listening: listening))
        let answers = scripts.map { (text: $0.lines.map { $0 + "\n" }.joined(), isOver: $0.isOver) }
        try SystemThread.start { [self] in
            for (index, answer) in answers.enumerated() {
                guard let connection = accept(listening, isLast: index == answers.count - 1) else { break }
                _ = send(connection, answer.text, answer.text.utf8.count, Int32(MSG_NOSIGNAL))
                if answer.isOver { shutdown(connection, Int32(SHUT_WR)) }
            }
            stopListening()
        }
    }

    deinit { for connection in state.withLock({ $0.connections }) { close(connection) } }

    private func accept(_ listening: Int32, isLast: Bool) -> Int32? {
        var waiting = pollfd(fd: listening, events: Int16(POLLIN), revents: 0)
        while poll(&waiting, 1, -1) < 0 {}
        let connection = curfew_unix_accept(listening)
        guard connection >= 0 else { return nil }
        state.withLock { $0.connections.append(connection) }
        if isLast { stopListening() }
        return connection
    }

    private func stopListening() {
        state.withLock { state in
            guard let listening = state.listening else { return }
            unlink(path)
            close(listening)
            state.listening = nil
        }
    }

    /// Whoever waits for a connection hears of it.
    func end() { state.withLock { if let listening = $0.listening { shutdown(listening, Int32(SHUT_RDWR)) } } }

    func asked() -> [String] {
        state.withLock { $0.connections }.flatMap { connection in
            var bytes = [UInt8](repeating: 0, count: 64 * 1024)
            let count = recv(connection, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            return String(decoding: bytes[..<max(0, count)], as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }
}
