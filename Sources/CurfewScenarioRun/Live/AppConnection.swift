import CCurfew
import CurfewLinux
import CurfewWire
import Glibc

/// One connection to the app's supervisor: it tells every event as it comes, and answers one request at a time.
final class AppConnection {
    let descriptor: OwnedDescriptor
    private var reader = LineReader()
    private var lastID = 0
    private var items: [Message] = []
    private var final: Message?
    private(set) var isClosed = false

    /// Nil while nobody listens there.
    init?(path: String) {
        let number = curfew_unix_connect(path, 10)
        if number < 0 { return nil }
        descriptor = OwnedDescriptor(number)
    }

    /// Sends it; its answer is complete once `takeAnswer` has one.
    func send(_ message: Message) -> Bool {
        items = []
        final = nil
        if !write(message) { isClosed = true }
        return !isClosed
    }

    /// Asks for what nobody waits for; where it can't be sent, whoever asks next finds that out.
    func mention(_ message: Message) { _ = write(message) }

    /// Whole or not at all: a Unix stream takes at one go what is shorter than half its buffer, and a line is.
    ///
    /// Source: kernel, net/unix/af_unix.c, unix_stream_sendmsg(); docs/protocol.md, "Lines".
    private func write(_ message: Message) -> Bool {
        lastID += 1
        let message = Message(message.verb, [Field("id", String(lastID))] + message.fields)
        var bytes: [UInt8] = []
        message.encode(into: &bytes)
        return bytes.withUnsafeBytes { curfew_send(descriptor.number, $0.baseAddress, $0.count) } == bytes.count
    }

    func takeAnswer() -> (items: [Message], final: Message)? {
        defer { if final != nil { final = nil } }
        return final.map { (items, $0) }
    }

    /// Reads what is there; what happened to the app is told to `heard`. False where nothing was.
    func read(_ heard: (Message) -> Void) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        let count = bytes.withUnsafeMutableBytes { curfew_read(descriptor.number, $0.baseAddress, $0.count) }
        if count == -EINTR || count == -EAGAIN { return false }
        guard count > 0 else {
            isClosed = true
            return true
        }
        reader.append(Array(bytes[..<Int(count)]))
        while case .message(let message) = reader.next() { take(message, heard) }
        return true
    }

    private func take(_ message: Message, _ heard: (Message) -> Void) {
        if message.verb == "event" { return heard(message) }
        guard message["id"] == String(lastID) else { return }
        switch message.verb {
        case "ok", "error": final = message
        default: items.append(message)
        }
    }
}
