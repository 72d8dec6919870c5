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
    /// When its last turn was over, in nanoseconds; counts while it has such lines.
    var lastTurn: Int64 = 0
    /// What is waited for.
    private var interest: UInt32 = 0
    /// The number of the last request that has come by it.
    private(set) var lastRequest = 0
    var answers = AnswerOrder()

    private var unsent: [Pending] = []
    private var unsentBytes = 0
    /// How many of `unsent` are lines that aren't made yet.
    private var listCount = 0
    /// How much has gone out so far, in bytes.
    private(set) var sentBytes = 0
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

    /// Makes one line after the other of a long answer; nil once that was the last.
    typealias Lines = () -> Message?

    private struct Pending {
        var bytes: [UInt8]
        /// What a later message of the same kind makes stale; nil for a reply.
        var aspect: String?
        /// Of a long answer, what comes behind `bytes`.
        var lines: Lines?
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

    /// Whether a long answer is under way. Until all of it has gone out no request is read, for its answer would come after that.
    var isTellingList: Bool { listCount > 0 }

    func nextRequest() -> Int {
        lastRequest += 1
        return lastRequest
    }

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

    private var token: UInt64 { EventLoop.Kind.connection.token(id.rawValue) }

    func startWaiting(in loop: EventLoop) {
        interest = EventLoop.readable
        loop.add(descriptor, token)
    }

    /// Lines that wait need no descriptor to be ready; what comes after them, or being writable, calls for them.
    func updateInterest(in loop: EventLoop) {
        guard descriptor.isOpen else { return }
        let reads = isTellingList ? 0 : EventLoop.readable
        let wanted = reads | (hasBacklog || hasUnsent ? EventLoop.writable : 0)
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
            sentBytes += sent
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

    /// So many bytes of a long answer are made at a time, and kept at most.
    private static let chunkBytes = 4096

    /// Sends lines as the client reads them, whatever their number; what is sent later comes behind them. Few lines are sent as any
    /// message is. False when the channel is to be dropped.
    ///
    /// `isOver`: whether it is others' turn; what is left goes out in later ones.
    func send(lines: @escaping Lines, isOver: () -> Bool = { false }) -> Bool {
        var bytes: [UInt8] = []
        let isAll = Self.make(&bytes, of: lines, isOver)
        unsent.append(Pending(bytes: bytes, lines: isAll ? nil : lines))
        unsentBytes += bytes.count
        if !isAll { listCount += 1 }
        guard unsent.count > 1 || flush(isOver: isOver) else { return false }
        return unsentBytes <= Self.maximumUnsentBytes
    }

    /// One turn's, or one chunk's. True when no line is left.
    private static func make(_ bytes: inout [UInt8], of lines: Lines, _ isOver: () -> Bool) -> Bool {
        repeat {
            guard let line = lines() else { return true }
            line.encode(into: &bytes)
        } while bytes.count < chunkBytes && !isOver()
        return false
    }

    /// Goes on with what was kept; false when the other end is gone.
    func flush(isOver: () -> Bool = { false }) -> Bool {
        while !unsent.isEmpty {
            let sent = write(unsent[0].bytes[...])
            if sent < 0 { return false }
            unsentBytes -= sent
            sentBytes += sent
            if sent < unsent[0].bytes.count {
                if sent > 0 {
                    unsent[0].bytes.removeFirst(sent)
                    unsent[0].aspect = nil
                }
                return true
            }
            guard goOn(isOver) else { continue }
            if isOver() { return true }
        }
        return true
    }

    /// What is first in line has gone out. True when that is a list, of which more is to go out.
    private func goOn(_ isOver: () -> Bool) -> Bool {
        guard let lines = unsent[0].lines else {
            unsent.removeFirst()
            return false
        }
        unsent[0].bytes.removeAll(keepingCapacity: true)
        if Self.make(&unsent[0].bytes, of: lines, isOver) {
            unsent[0].lines = nil
            listCount -= 1
        }
        unsentBytes += unsent[0].bytes.count
        return true
    }

    /// The bytes taken, 0 when the socket is full, below 0 when it is broken.
    private func write(_ bytes: ArraySlice<UInt8>) -> Int {
        if bytes.isEmpty { return 0 }
        let sent = bytes.withUnsafeBytes { curfew_send(descriptor.number, $0.baseAddress, $0.count) }
        return sent == -EAGAIN ? 0 : Int(sent)
    }
}
