import CurfewWire
import Glibc

/// Requests, replies and events over one connection, which a thread of its own reads.
final class Channel: Sendable {
    /// Called once, on the reading thread, before any event that came after the reply; nil when there will be none.
    typealias ReplyHandler = @Sendable (Message?) -> Void

    /// What came of a question.
    enum Answer {
        case ok(Message)
        case refused(code: String)
        /// Nobody is there.
        case gone
        /// Nothing was heard in time.
        case silence
    }

    /// What came of a question whose answer can be longer than a line.
    enum LongAnswer {
        case ok(Message, parts: [Message])
        case refused(code: String)
    }

    private struct State {
        var isOpen = true
        var lastRequest = 0
        var waiting: [Int: ReplyHandler] = [:]
        /// What has come of replies that are longer than a line, of those that want to know.
        var parts: [Int: [Message]] = [:]
    }

    private let connection: Connection
    /// Tells our replies from those to other processes that share the connection.
    private let tag = String(getpid())
    private let state = Monitor(State())

    /// Begins to read; nil when no thread can be had, or no connection is given.
    ///
    /// - Parameters:
    ///   - onEvent: called on the reading thread for each event; it mustn't wait for a reply.
    ///   - onEnd: called on it once, when the connection has ended, after every waiting reply was given up.
    init?(
        _ connection: Connection?, onEvent: @escaping @Sendable (Message) -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) {
        guard let connection else { return nil }
        self.connection = connection
        let isReading = SystemThread.start { [self] in
            read(onEvent)
            end()
            onEnd()
        }
        guard isReading else {
            connection.close()
            return nil
        }
    }

    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Whether other processes hold the same connection.
    var isShared: Bool { connection.isShared }

    /// Ends the connection, if it is ours alone; the reading thread ends with it.
    func close() { connection.shutDown() }

    // MARK: Asking

    /// Sends what is answered by nothing, or by nothing of interest; false when it can't be sent.
    @discardableResult
    func send(_ message: Message) -> Bool {
        var bytes: [UInt8] = []
        message.encode(into: &bytes)
        if connection.send(bytes) { return true }
        // Who doesn't read isn't there. What is shared stays, and ends when the other end does.
        close()
        return false
    }

    /// Sends a request; false, and `onReply` is not called, when it can't be sent.
    func request(_ message: Message, onReply: @escaping ReplyHandler) -> Bool {
        let number: Int? = state.withLock { state in
            guard state.isOpen else { return nil }
            state.lastRequest += 1
            state.waiting[state.lastRequest] = onReply
            return state.lastRequest
        }
        guard let number else { return false }
        var message = message
        message.fields.insert(Field("id", "\(tag).\(number)"), at: 0)
        if send(message) { return true }
        // Unless the reading thread has seen the end first, and has answered already.
        return state.withLock { $0.waiting.removeValue(forKey: number) } == nil
    }

    /// Sends a request and waits for its reply, for `patience` seconds of running. Not for the reading thread.
    func ask(_ message: Message, patience: Int) -> Answer {
        let latch = Latch<Message?>()
        guard request(message, onReply: { _ = latch.fulfil($0) }) else { return .gone }
        guard let reply = latch.wait(seconds: patience) else { return .silence }
        guard let reply else { return .gone }
        return reply.verb == "ok" ? .ok(reply) : .refused(code: reply["code"] ?? "")
    }

    /// The same with all that comes before the reply; nil when there is none in time.
    func askAtLength(_ message: Message, patience: Int) -> LongAnswer? {
        let latch = Latch<(Message, [Message])?>()
        let isSent = request(message) { [weak self] reply in
            let parts = reply.flatMap { self?.number(of: $0) }.flatMap { self?.takeParts(of: $0) } ?? []
            _ = latch.fulfil(reply.map { ($0, parts) })
        }
        guard isSent, let answer = latch.wait(seconds: patience), let (reply, parts) = answer else { return nil }
        return reply.verb == "ok" ? .ok(reply, parts: parts) : .refused(code: reply["code"] ?? "")
    }

    private func takeParts(of number: Int) -> [Message]? { state.withLock { $0.parts.removeValue(forKey: number) } }

    // MARK: Reading

    private func read(_ onEvent: (Message) -> Void) {
        var reader = LineReader()
        var buffer = [UInt8](repeating: 0, count: LineReader.maximumLineBytes)
        while true {
            let count = buffer.withUnsafeMutableBytes { buffer in
                let count = connection.receive(into: buffer)
                reader.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                return count
            }
            if count == 0 || !handleLines(of: &reader, onEvent) { return }
        }
    }

    /// False when what comes isn't a supervisor's.
    private func handleLines(of reader: inout LineReader, _ onEvent: (Message) -> Void) -> Bool {
        while true {
            switch reader.next() {
            case .message(let message): handle(message, onEvent)
            // On a shared connection another process may have read the rest of this line.
            case .malformed: continue
            case .tooLong: return false
            case .none: return true
            }
        }
    }

    private func handle(_ message: Message, _ onEvent: (Message) -> Void) {
        switch message.verb {
        case "event": onEvent(message)
        case "ok", "error": takeReplyHandler(for: message)?(message)
        case "part", "schedule": keep(message)
        default: break
        }
    }

    private func takeReplyHandler(for reply: Message) -> ReplyHandler? {
        guard let number = number(of: reply) else { return nil }
        return state.withLock { $0.waiting.removeValue(forKey: number) }
    }

    /// Nil for another process's.
    private func number(of reply: Message) -> Int? {
        guard let parts = reply["id"]?.split(separator: "."), parts.count == 2, parts[0] == tag else { return nil }
        return Int(parts[1])
    }

    private func keep(_ part: Message) {
        guard let number = number(of: part) else { return }
        state.withLock { if $0.waiting[number] != nil { $0.parts[number, default: []].append(part) } }
    }

    private func end() {
        let waiting = state.withLock { state in
            state.isOpen = false
            defer { state.waiting = [:] }
            return state.waiting
        }
        connection.close()
        for (_, onReply) in waiting.sorted(by: { $0.key < $1.key }) { onReply(nil) }
    }
}
