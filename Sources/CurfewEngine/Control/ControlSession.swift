import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// One connection of the control channel: what came in, what is still to go out, and who is at its other end.
final class ControlSession {
    let id: ConnectionID
    private(set) var descriptor: Descriptor
    /// The inherited `CURFEW_FD`; every other came through the socket.
    let isInherited: Bool
    /// Made by us: whoever is at its other end was looked at before.
    let leadsToServer: Bool
    /// Kept open until the first message comes: most apps never send one, and the end of their copies would wake us
    /// just before their exit does.
    var childsEnd = Descriptor.none
    /// The app it has last spoken for.
    private(set) var app: AppID?
    /// Who sent the last message; before the first one, who connected.
    private(set) var peer = curfew_sender()
    /// Who connected.
    private(set) var maker = curfew_sender()
    /// What that one may do; set once it was found out.
    var makersRole: Role?
    var reader = LineReader()
    /// Whose events it follows as `curfew events --follow` does.
    var followed = Followed.nobody
    /// What `peer` may do; set once it was found out.
    var role: Role? { didSet { if case .app(let app)? = role { self.app = app } } }
    /// Whether whole lines wait in `reader` because their turn was over; nothing more is read before they are done.
    var hasBacklog = false
    /// What is waited for.
    private var interest: UInt32 = 0

    private var unsent: [Pending] = []
    private var unsentBytes = 0
    private var windowStart: Int64 = 0
    private var windowMessages = 0

    /// What a session may do.
    enum Role: Hashable {
        /// Inside that app: speaks for it, and drives no supervisor.
        case app(AppID)
        /// This user, outside every app.
        case `operator`
        /// Anybody else.
        case stranger
    }

    /// Whose events a session is told of as they come.
    enum Followed: Hashable {
        case nobody
        case app(AppID)
        case all

        func includes(_ app: AppID) -> Bool {
            switch self {
            case .nobody: false
            case .app(let own): own == app
            case .all: true
            }
        }
    }

    private struct Pending {
        var bytes: [UInt8]
        /// What a later message of the same kind makes stale; nil for a reply.
        var aspect: String?
    }

    /// A client that leaves this much unread loses its channel.
    static let maximumUnsentBytes = 64 * 1024
    /// So does one that sends more than this in a second; round trips in a loop stay far below.
    static let maximumMessagesPerSecond = 200_000

    /// `app`: whose control pipe it is; nil for one that came through the socket.
    init(id: ConnectionID, descriptor: Descriptor, of app: AppID?) {
        self.id = id
        self.descriptor = descriptor
        self.app = app
        isInherited = app != nil
        leadsToServer = false
        role = app.map { .app($0) }
    }

    /// To a server of this user's, or root's.
    init(toServer descriptor: Descriptor, id: ConnectionID) {
        self.id = id
        self.descriptor = descriptor
        app = nil
        isInherited = false
        leadsToServer = true
        role = .operator
    }

    var hasUnsent: Bool { !unsent.isEmpty }

    func noteMaker() {
        guard curfew_peer(descriptor.number, &peer) == 0 else { return }
        maker = peer
    }

    /// What is read next is this process's: whoever has a descriptor of it can write, so each message is judged by its
    /// own sender. False where it would end a line that another has begun.
    func noteSender(_ sender: curfew_sender) -> Bool {
        if leadsToServer { return true }
        let isSame = sender.pid == peer.pid && sender.uid == peer.uid
        if isInherited {
            if sender.pid > 0 { peer = sender }
            return true
        }
        guard isSame || reader.pendingBytes == 0 else { return false }
        peer = sender
        // Its pid can be another's by now.
        role = nil
        return true
    }

    func close() { descriptor.close() }

    // MARK: Reading

    enum Received {
        case something, nothing
        case closed
        /// Of two processes, within one line.
        case mixed
    }

    /// Takes what is there for `reader`: one buffer's worth, so that a flood on one connection holds up nobody else.
    func receive() -> Received {
        withUnsafeTemporaryAllocation(byteCount: LineReader.maximumLineBytes, alignment: 8) { buffer in
            var sender = curfew_sender()
            let count = curfew_receive(descriptor.number, buffer.baseAddress, buffer.count, &sender)
            if count == -EAGAIN || count == -EINTR { return .nothing }
            guard count > 0 else { return .closed }
            childsEnd.close()
            guard noteSender(sender) else { return .mixed }
            reader.append(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]))
            return .something
        }
    }

    /// Counts a message; false once the bound is passed.
    func admitsMessage(at now: Instant) -> Bool {
        if now.nanoseconds - windowStart > 1_000_000_000 {
            windowStart = now.nanoseconds
            windowMessages = 0
        }
        windowMessages += 1
        return windowMessages <= Self.maximumMessagesPerSecond
    }

    // MARK: Waiting

    private var token: UInt64 { EventLoop.Source.connection.token(id.rawValue) }

    func startWaiting(in loop: EventLoop) {
        interest = EventLoop.readable
        loop.add(descriptor, token)
    }

    /// Lines that wait need no descriptor to be ready; what comes after them, or being writable, calls for them.
    func updateInterest(in loop: EventLoop) {
        guard descriptor.isOpen else { return }
        let wanted = EventLoop.readable | (hasBacklog || hasUnsent ? EventLoop.writable : 0)
        guard wanted != interest else { return }
        interest = wanted
        loop.change(descriptor, token, interest: wanted)
    }

    // MARK: Writing

    /// Sends what the socket takes now and keeps the rest; false when the channel is to be dropped.
    ///
    /// `aspect`: an event that waits is replaced by a later one about the same thing.
    func send(_ message: Message, aspect: String? = nil) -> Bool {
        var bytes: [UInt8] = []
        message.encode(into: &bytes)
        if unsent.isEmpty, case let sent = write(bytes[...]), sent >= 0 {
            // What has begun to go out can't be replaced any more.
            if sent < bytes.count { keep(Array(bytes[sent...]), aspect: sent == 0 ? aspect : nil) }
            return true
        } else if unsent.isEmpty {
            return false
        }
        if let aspect, let index = unsent.firstIndex(where: { $0.aspect == aspect }) {
            unsentBytes += bytes.count - unsent[index].bytes.count
            unsent[index].bytes = bytes
        } else {
            keep(bytes, aspect: aspect)
        }
        return unsentBytes <= Self.maximumUnsentBytes
    }

    private func keep(_ bytes: [UInt8], aspect: String?) {
        unsent.append(Pending(bytes: bytes, aspect: aspect))
        unsentBytes += bytes.count
    }

    /// Goes on with what was kept; false when the other end is gone.
    func flush() -> Bool {
        while let first = unsent.first {
            let sent = write(first.bytes[...])
            if sent < 0 { return false }
            unsentBytes -= sent
            if sent == 0 { return true }
            if sent < first.bytes.count {
                unsent[0] = Pending(bytes: Array(first.bytes[sent...]), aspect: nil)
                return true
            }
            unsent.removeFirst()
        }
        return true
    }

    /// The bytes taken, 0 when the socket is full, below 0 when it is broken.
    private func write(_ bytes: ArraySlice<UInt8>) -> Int {
        let sent = bytes.withUnsafeBytes { curfew_send(descriptor.number, $0.baseAddress, $0.count) }
        return sent == -EAGAIN ? 0 : Int(sent)
    }
}
