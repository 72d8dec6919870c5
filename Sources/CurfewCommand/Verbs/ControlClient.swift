import CCurfew
import CurfewLinux
import CurfewWire
import Glibc

/// A client's end of the control channel: one request at a time, each with a deadline.
package struct ControlClient {
    package let descriptor: Descriptor
    private var reader = LineReader()
    /// The app that all requests are about, where a server has many.
    private let app: String?
    /// Where it has connected to, and who listened there; nil where others have connected it.
    private let listener: (path: String, pid: Int32)?

    /// How long a supervisor may take to answer; confirming a suspension takes a fifth of a second at most.
    package static let limitSeconds: Int64 = 10

    package enum Failure: Error, Equatable {
        /// Nobody listens there, or we may not ask.
        case unavailable(errno: Int32)
        /// Another user listens there, and was told nothing.
        case untrusted(uid: UInt32)
        /// It closed the channel: its app has ended.
        case ended
        /// It didn't answer, or tell anything, in time.
        case late
        /// It answered with nonsense, or doesn't take what is asked.
        case broken(String)
        /// It answered with an error: its code and its words.
        case refused(code: String, message: String)

        /// What such an answer says.
        static func refusal(_ answer: Message) -> Failure {
            .refused(code: answer["code"] ?? "", message: answer["message"] ?? "it gave no reason")
        }
    }

    package init(_ target: AppTarget) throws(Failure) { try self.init(path: target.path, app: target.app) }

    /// To somebody who is known already.
    init(connected descriptor: Descriptor, app: String? = nil) {
        self.descriptor = descriptor
        self.app = app
        listener = nil
    }

    /// `seconds`: how long it is waited where too many have connected already.
    package init(path: String, app: String? = nil, seconds: Int64 = limitSeconds) throws(Failure) {
        let connection = curfew_unix_connect(path, Int32(seconds))
        if connection == -EAGAIN { throw .late }
        if connection < 0 { throw .unavailable(errno: -connection) }
        self.app = app
        descriptor = Descriptor(connection)
        var peer = curfew_sender()
        let told = curfew_peer(connection, &peer)
        listener = (path, peer.pid)
        // Ours, or root's, who may do as he likes anyway.
        if told >= 0, [geteuid(), getuid(), 0].contains(peer.uid) { return }
        _ = curfew_close(connection)
        throw told < 0 ? .unavailable(errno: -told) : .untrusted(uid: peer.uid)
    }

    /// Whether it is about one of a server's apps, and stays when that has ended.
    var isServers: Bool { app != nil }

    /// Whether the same process takes connections still.
    func isOtherEndThere() -> Bool {
        guard let listener, let other = try? ControlClient(path: listener.path) else { return false }
        defer { _ = curfew_close(other.descriptor.number) }
        return other.listener?.pid == listener.pid
    }

    /// The lines that came before the final `ok`, and that one.
    package struct Answer {
        package var items: [Message] = []
        package var final: Message
    }

    /// `isPatient`: waits for as long as the supervisor lives; else it may take as long for the next line as for the first.
    package mutating func request(_ message: Message, isPatient: Bool = false) throws(Failure) -> Answer {
        try send(message)
        var items: [Message] = []
        while let line = try receive(until: isPatient ? nil : Self.answerDeadline()) {
            switch line.verb {
            case "ok": return Answer(items: items, final: line)
            case "error":
                throw .refusal(line)
            default: items.append(line)
            }
        }
        throw .ended
    }

    /// By when what is asked now is answered; of CLOCK_MONOTONIC.
    static func answerDeadline() -> Int64 { curfew_monotonic_nanoseconds() + limitSeconds * 1_000_000_000 }

    mutating func send(_ message: Message) throws(Failure) {
        var message = message
        if let app, message["app"] == nil { message.fields.append(Field("app", app)) }
        var bytes: [UInt8] = []
        message.encode(into: &bytes)
        let sent = bytes.withUnsafeBytes { curfew_send(descriptor.number, $0.baseAddress, $0.count) }
        if sent == -EPIPE || sent == -ECONNRESET { throw lastWord() }
        if sent != bytes.count { throw .broken("its supervisor doesn't read") }
    }

    /// Why it was closed: who has no room for us says so before.
    private mutating func lastWord() -> Failure {
        guard let line = try? receive(until: Self.answerDeadline()), line.verb == "error" else { return .ended }
        return .refusal(line)
    }

    /// The next line; nil when the channel is closed. `deadline`: of CLOCK_MONOTONIC, `late` is thrown then; nil waits for
    /// ever.
    mutating func receive(until deadline: Int64?) throws(Failure) -> Message? {
        while true {
            switch reader.next() {
            case .message(let message): return message
            case .malformed(let error): throw .broken("its supervisor sent a malformed line: \(error.problem)")
            case .tooLong: throw .broken("its supervisor sent a line that is too long")
            case .none: if try !readMore(until: deadline) { return nil }
            }
        }
    }

    private mutating func readMore(until deadline: Int64?) throws(Failure) -> Bool {
        var waiting = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        var milliseconds: Int32 = -1
        if let deadline {
            // Rounded up: before the deadline nobody is late.
            milliseconds = Int32(clamping: (max(0, deadline - curfew_monotonic_nanoseconds()) + 999_999) / 1_000_000)
        }
        if poll(&waiting, 1, milliseconds) == 0 { throw .late }
        return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            let count = curfew_read(descriptor.number, buffer.baseAddress, 4096)
            if count <= 0 { return count == -EINTR }
            reader.append(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]))
            return true
        }
    }

    /// What has been received and not yet read as a line.
    package mutating func nextBuffered() -> Message? {
        if case .message(let message) = reader.next() { return message }
        return nil
    }

    /// One read of what is there; false at the end.
    package mutating func readAvailable() -> Bool { (try? readMore(until: nil)) ?? false }
}

extension ControlClient.Failure {
    /// The line for people, and the status.
    package func explained(_ verb: String, _ target: AppTarget) -> (line: String, status: Int32) {
        let (problem, status) = problem(with: target)
        return ("curfew: \(verb): " + problem, status)
    }

    private func problem(with target: AppTarget) -> (String, Int32) {
        switch self {
        case .unavailable(ENOENT), .unavailable(ECONNREFUSED): (target.absence, ExitStatus.unavailable)
        case .unavailable(let number):
            (
                "can't reach \(target.subject) at \(target.path): \(String(cString: strerror(number)))",
                ExitStatus.unavailable
            )
        case .untrusted(let uid):
            (
                "\(target.path) can't be trusted: user \(uid) listens there, and not you or root; nothing was asked",
                ExitStatus.unavailable
            )
        case .ended: ("\(target.subject) ended before it answered", ExitStatus.unavailable)
        case .late:
            (
                "\(target.subject): its supervisor didn't answer in \(ControlClient.limitSeconds) s",
                ExitStatus.unavailable
            )
        case .broken(let why): ("\(target.subject): \(why)", ExitStatus.unavailable)
        case .refused(let code, let message): ("\(target.subject): refused (\(code)): \(message)", refusalStatus)
        }
    }

    private static let codesForGood: Set = [
        "invalid", "forbidden", "unknown", "malformed", "failed", "PayloadTooLarge", "no-background-mode",
        "unknown-push",
    ]

    /// A refusal that the next try may not meet has a status of its own.
    var refusalStatus: Int32 {
        guard case .refused(let code, _) = self, !["unsupported", "no-app", "not-running"].contains(code) else {
            return ExitStatus.unavailable
        }
        return Self.codesForGood.contains(code) ? ExitStatus.failure : ExitStatus.temporaryFailure
    }
}
