import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// The control channel's connections: accepting, reading, answering, dropping.
extension Supervision {
    /// More than this many at once and no more are accepted, and fewer where `descriptors` doesn't allow them.
    static let maximumConnections = 256
    /// The last ones are for operators: an app that opens all it can must still be quit.
    private static let maximumAppConnections = 192
    /// How many are accepted, and how long one connection's lines are dealt with, before it is others' turn.
    private static let acceptedPerTurn = 32
    private static let nanosecondsPerTurn: Int64 = 1_000_000
    private static let readable: UInt32 = 1
    private static let writable: UInt32 = 4

    func acceptConnections() {
        guard let socket else { return }
        for _ in 0..<Self.acceptedPerTurn {
            let accepted = curfew_unix_accept(socket.descriptor.number)
            if accepted == -EMFILE || accepted == -ENFILE { pauseListening() }
            guard accepted >= 0 else { return }
            var descriptor = Descriptor(accepted)
            if connections.count >= Self.maximumConnections
                || !descriptors.allows(descriptor.number, forApp: false)
            {
                descriptor.close()
                continue
            }
            addConnection(descriptor, isInherited: false)
        }
    }

    /// Who waits at the socket would wake us for ever; it is looked at again once a connection is closed.
    private func pauseListening() {
        guard let socket else { return }
        _ = curfew_epoll_remove(epoll.number, socket.descriptor.number)
    }

    private func resumeListening() {
        guard let socket else { return }
        // Refused when it wasn't paused.
        _ = curfew_epoll_add(epoll.number, socket.descriptor.number, Self.readable, Source.listener.token())
    }

    func addConnection(_ descriptor: Descriptor, isInherited: Bool) {
        lastConnection += 1
        let connection = ControlConnection(
            id: ConnectionID(lastConnection), descriptor: descriptor, isInherited: isInherited)
        if !isInherited { connection.noteMaker() }
        let isForOperators =
            connections.count >= Self.maximumAppConnections || !descriptors.allows(descriptor.number, forApp: true)
        if !isInherited, isForOperators, role(of: connection) != .operator {
            connection.close()
            return
        }
        connections.append(connection)
        connection.interest = Self.readable
        _ = curfew_epoll_add(
            epoll.number, descriptor.number, Self.readable, Source.connection.token(lastConnection))
    }

    func serve(_ id: ConnectionID, events: UInt32) {
        guard let connection = connections.first(where: { $0.id == id }) else { return }
        if events & Self.writable != 0, connection.hasUnsent { flush(connection) }
        guard connection.descriptor.isOpen else { return }
        if connection.hasBacklog {
            handleLines(of: connection)
        } else if events & ~Self.writable != 0 {
            read(connection)
        }
        updateInterest(of: connection)
    }

    /// One buffer's worth a turn, so that a flood on one connection holds up nobody else.
    private func read(_ connection: ControlConnection) {
        withUnsafeTemporaryAllocation(byteCount: LineReader.maximumLineBytes, alignment: 8) { buffer in
            var sender = curfew_sender()
            let count = curfew_receive(connection.descriptor.number, buffer.baseAddress, buffer.count, &sender)
            if count == -EAGAIN || count == -EINTR { return }
            guard count > 0 else {
                drop(connection, because: nil)
                return
            }
            if connection.isInherited { childsEnd.close() }
            guard connection.noteSender(sender) else {
                drop(connection, because: "one line came from two processes")
                return
            }
            connection.reader.append(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]))
            handleLines(of: connection)
        }
    }

    /// Until there is no whole line left, or its turn is over.
    private func handleLines(of connection: ControlConnection) {
        let turn = kernel.now.nanoseconds
        connection.hasBacklog = false
        while connection.descriptor.isOpen {
            let next = connection.reader.next()
            if next == .none { return }
            let now = kernel.now
            guard connection.admitsMessage(at: now) else {
                drop(connection, because: "over \(ControlConnection.maximumMessagesPerSecond) messages a second")
                return
            }
            handle(next, from: connection)
            if now.nanoseconds - turn > Self.nanosecondsPerTurn {
                connection.hasBacklog = true
                return
            }
        }
    }

    private func handle(_ next: LineReader.Next, from connection: ControlConnection) {
        switch next {
        case .none: break
        case .tooLong: drop(connection, because: "a line is longer than \(LineReader.maximumLineBytes) bytes")
        case .malformed(let error):
            let fields = [
                Field("code", "malformed"), Field("offset", String(error.offset)), Field("message", error.problem),
            ]
            reply(to: connection, id: nil, Message("error", fields))
        case .message(let message): handle(message, from: connection)
        }
    }

    // MARK: Writing

    func reply(to connection: ControlConnection, id: String?, _ message: Message) {
        var message = message
        if let id { message.fields.insert(Field("id", id), at: 0) }
        send(message, to: connection)
    }

    func send(_ message: Message, to connection: ControlConnection, aspect: String? = nil) {
        guard connection.descriptor.isOpen else { return }
        guard connection.send(message, aspect: aspect) else {
            drop(connection, because: "its client doesn't read")
            return
        }
        updateInterest(of: connection)
    }

    private func flush(_ connection: ControlConnection) {
        if !connection.flush() { drop(connection, because: nil) }
    }

    /// Lines that wait need no descriptor to be ready; what comes after them, or being writable, calls for them.
    private func updateInterest(of connection: ControlConnection) {
        guard connection.descriptor.isOpen else { return }
        let interest = Self.readable | (connection.hasBacklog || connection.hasUnsent ? Self.writable : 0)
        guard interest != connection.interest else { return }
        connection.interest = interest
        _ = curfew_epoll_modify(
            epoll.number, connection.descriptor.number, interest, Source.connection.token(connection.id.rawValue))
    }

    /// Closes it; an aware app without another becomes plain. `because`: nil when the other end closed it.
    func drop(_ connection: ControlConnection, because reason: String?) {
        guard connection.descriptor.isOpen else { return }
        connection.close()
        connections.removeAll { $0 === connection }
        resumeListening()
        requests.removeAll { $0.connection === connection }
        if let reason { record(.channelDropped(reason: reason), of: Self.app) }
        engine.feed(.disconnected(Self.app, connection.id))
    }
}
