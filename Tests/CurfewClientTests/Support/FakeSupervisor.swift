import CurfewWire
import Glibc
import Synchronization
import Testing

@testable import CurfewClient

/// A supervisor's end of the control channel: it records what it is asked, in one order over all connections, and answers.
final class FakeSupervisor: Sendable {
    /// One request, and which connection it came on; -1 and the verb `closed` when that ended.
    struct Request: Sendable, CustomStringConvertible {
        let connection: Int
        let message: Message

        var description: String { "\(connection): \(message.line)" }
    }

    /// Lines to answer with, without their LF; nil for the usual ones.
    typealias Answering = @Sendable (Message) -> [String]?

    private struct State: Sendable {
        /// Nil once it is closed: the number may be another test's socket by then.
        var listener: Int32?
        var hasDied = false
        var requests: [Request] = []
        var connections: [Int: Int32] = [:]
        var lastConnection = 0
        var lastTask = 0
        var tasks: Set<Int> = []
    }

    /// What a test may wait for anything, in seconds.
    static let patience = 30

    let address: SupervisorAddress
    private let state = Monitor(State())
    private let answering: Answering
    private let path: String?

    /// Listens on a socket of its own, as CURFEW_SOCKET names one.
    init(answering: @escaping Answering = { _ in nil }) throws {
        self.answering = answering
        let path = "/tmp/curfew-client-test-\(getpid())-\(FakeSupervisor.nextNumber())"
        let listener = try FakeSupervisor.listen(path)
        self.path = path
        address = SupervisorAddress(socketPath: path, inheritedDescriptor: nil)
        state.withLock { $0.listener = listener }
        try onThread { [self] in accept(on: listener) }
    }

    /// Holds the other end of a control pipe, as CURFEW_FD names one.
    init(pipeAnswering answering: @escaping Answering) throws {
        self.answering = answering
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        path = nil
        address = SupervisorAddress(socketPath: nil, inheritedDescriptor: ends[1])
        let isRead = add(ends[0])
        try #require(isRead)
    }

    private static let numbers = Atomic(0)
    private static func nextNumber() -> Int { numbers.add(1, ordering: .relaxed).newValue }

    private static func listen(_ path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        try #require(isBound && Glibc.listen(descriptor, 64) == 0, "errno \(errno)")
        return descriptor
    }

    // MARK: Connections

    private func accept(on listener: Int32) {
        while case let descriptor = Glibc.accept(listener, nil, nil), descriptor >= 0 {
            if !add(descriptor) { Glibc.close(descriptor) }
        }
        state.withLock { $0.listener = nil }
        close(listener)
    }

    private func add(_ descriptor: Int32) -> Bool {
        let connection: Int? = state.withLock { state in
            // Accepted just before, it would outlive it.
            if state.hasDied { return nil }
            state.lastConnection += 1
            state.connections[state.lastConnection] = descriptor
            return state.lastConnection
        }
        guard let connection else { return false }
        return SystemThread.start { [self] in
            read(descriptor, connection)
            state.withLock { state in
                state.connections[connection] = nil
                state.requests.append(Request(connection: connection, message: Message("closed")))
            }
            close(descriptor)
        }
    }

    private func read(_ descriptor: Int32, _ connection: Int) {
        var reader = LineReader()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
            reader.append(Array(buffer[..<count]))
            while case .message(let message) = reader.next() { handle(message, connection) }
        }
    }

    /// Records a request and answers it in one step: what is sent by whoever sees the request comes after the answer.
    private func handle(_ message: Message, _ connection: Int) {
        state.withLock { state in
            state.requests.append(Request(connection: connection, message: message))
            let lines = answering(message) ?? FakeSupervisor.usualAnswer(to: message, &state)
            guard !lines.isEmpty, let descriptor = state.connections[connection] else { return }
            FakeSupervisor.send(FakeSupervisor.bytes(of: lines), to: descriptor)
        }
    }

    private static func usualAnswer(to message: Message, _ state: inout State) -> [String] {
        let id = message["id"].map { "id=\($0) " } ?? ""
        switch message.verb {
        case "hello": return ["ok \(id)version=1 app=test state=active"]
        case "begin": return ["ok \(id)task=\(beginTask(&state)) remaining=inf"]
        case "end":
            let isKnown = state.tasks.remove(Int(message["task"] ?? "") ?? 0) != nil
            return [isKnown ? "ok \(id)" : "ok \(id)ignored=unknown-task"]
        case "keep-alive": return ["ok \(id)"]
        case "remaining": return ["ok \(id)seconds=571.204"]
        case "status": return ["task \(id)task=1 name=x age=1.000", "ok \(id)app=test state=background"]
        default: return []
        }
    }

    private static func beginTask(_ state: inout State) -> Int {
        state.lastTask += 1
        state.tasks.insert(state.lastTask)
        return state.lastTask
    }

    private static func bytes(of lines: [String]) -> [UInt8] { Array(lines.map { $0 + "\n" }.joined().utf8) }

    private static func send(_ bytes: [UInt8], to descriptor: Int32) {
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    // MARK: What a test does

    /// The number of a new open task.
    func beginTask() -> Int { state.withLock { FakeSupervisor.beginTask(&$0) } }

    /// Sends lines, in one piece, to one connection.
    func send(_ lines: [String], to connection: Int) { sendBytes(FakeSupervisor.bytes(of: lines), to: connection) }

    func sendBytes(_ bytes: [UInt8], to connection: Int) {
        // Gone with its app, perhaps.
        state.withLock { if let descriptor = $0.connections[connection] { FakeSupervisor.send(bytes, to: descriptor) } }
    }

    /// Ends every connection, as a supervisor that dies does.
    func die() {
        if let path { unlink(path) }
        state.withLock { state in
            state.hasDied = true
            if let listener = state.listener { _ = shutdown(listener, Int32(SHUT_RDWR)) }
            for descriptor in state.connections.values { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    /// Ends one connection only.
    func drop(_ connection: Int) {
        state.withLock { if let descriptor = $0.connections[connection] { _ = shutdown(descriptor, Int32(SHUT_RDWR)) } }
    }

    // MARK: What a test sees

    var requests: [Request] { state.withLock { $0.requests } }
    var openTasks: Set<Int> { state.withLock { $0.tasks } }

    func count(_ verb: String) -> Int { requests.filter { $0.message.verb == verb }.count }

    /// Waits for the `count`th request with this verb.
    @discardableResult
    func wait(
        for verb: String, count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Request {
        try await offThePool { try self.wait(for: verb, count: count, sourceLocation: sourceLocation) }
    }

    /// As the other, for a test that needs no task of the pool to go on meanwhile.
    @discardableResult
    func wait(for verb: String, count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation) throws -> Request {
        let found = state.wait(seconds: FakeSupervisor.patience) { state -> Request? in
            let matching = state.requests.filter { $0.message.verb == verb }
            return matching.count >= count ? matching[count - 1] : nil
        }
        return try #require(
            found, "request \(count) of \(verb) didn't come; these did: \(requests)", sourceLocation: sourceLocation)
    }

    /// Waits until no task is open.
    func waitUntilNoTaskIsOpen(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let isOver: Void? = state.wait(seconds: FakeSupervisor.patience) { $0.tasks.isEmpty ? () : nil }
        try #require(isOver != nil, "open: \(openTasks); requests: \(requests)", sourceLocation: sourceLocation)
    }
}

/// Runs a body with an application and the supervisor it is connected to; both are gone afterwards.
func withSupervisor<Success>(
    answering: @escaping FakeSupervisor.Answering = { _ in nil },
    _ body: (FakeSupervisor, CurfewApplication) throws -> Success
) throws -> Success {
    let supervisor = try FakeSupervisor(answering: answering)
    defer { supervisor.die() }
    return try body(supervisor, CurfewApplication(at: supervisor.address, patience: FakeSupervisor.patience))
}

/// As the other, for a body that waits.
func withSupervisor<Success>(
    answering: @escaping FakeSupervisor.Answering = { _ in nil },
    _ body: (FakeSupervisor, CurfewApplication) async throws -> Success
) async throws -> Success {
    let supervisor = try FakeSupervisor(answering: answering)
    defer { supervisor.die() }
    return try await body(supervisor, CurfewApplication(at: supervisor.address, patience: FakeSupervisor.patience))
}
