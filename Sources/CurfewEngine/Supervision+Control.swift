import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// The control channel's connections: accepting, reading, answering, dropping.
extension Supervision {
    /// More than this many at once and no more are accepted: descriptors are for the app's sake.
    static let maximumConnections = 256
    private static let readable: UInt32 = 1
    private static let writable: UInt32 = 4

    func acceptConnections() {
        guard let socket else { return }
        while true {
            let accepted = curfew_unix_accept(socket.descriptor.number)
            guard accepted >= 0 else { return }
            var descriptor = Descriptor(accepted)
            if connections.count >= Self.maximumConnections {
                descriptor.close()
                continue
            }
            addConnection(descriptor, isInherited: false)
        }
    }

    func addConnection(_ descriptor: Descriptor, isInherited: Bool) {
        lastConnection += 1
        let connection = ControlConnection(
            id: ConnectionID(lastConnection), descriptor: descriptor, isInherited: isInherited)
        if !isInherited { _ = curfew_peer(descriptor.number, &connection.peer) }
        connections.append(connection)
        _ = curfew_epoll_add(
            epoll.number, descriptor.number, Self.readable, Source.connection.token(lastConnection))
    }

    func serve(_ id: ConnectionID, events: UInt32) {
        guard let connection = connections.first(where: { $0.id == id }) else { return }
        if events & Self.writable != 0 { flush(connection) }
        guard connection.descriptor.isOpen, events & ~Self.writable != 0 else { return }
        read(connection)
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
            if connection.isInherited, sender.pid > 0 { connection.peer = sender }
            connection.reader.append(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]))
            handleLines(of: connection)
        }
    }

    private func handleLines(of connection: ControlConnection) {
        while connection.descriptor.isOpen {
            switch connection.reader.next() {
            case .none: return
            case .tooLong:
                drop(connection, because: "a line is longer than \(LineReader.maximumLineBytes) bytes")
            case .malformed(let error):
                reply(
                    to: connection, id: nil,
                    Message(
                        "error",
                        [
                            Field("code", "malformed"), Field("offset", String(error.offset)),
                            Field("message", error.problem),
                        ]))
            case .message(let message):
                guard connection.admitsMessage(at: kernel.now) else {
                    drop(connection, because: "over \(ControlConnection.maximumMessagesPerSecond) messages a second")
                    return
                }
                handle(message, from: connection)
            }
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
        let hadUnsent = connection.hasUnsent
        guard connection.send(message, aspect: aspect) else {
            drop(connection, because: "its client doesn't read")
            return
        }
        if connection.hasUnsent != hadUnsent { watchWritable(connection) }
    }

    private func flush(_ connection: ControlConnection) {
        guard connection.flush() else {
            drop(connection, because: nil)
            return
        }
        if !connection.hasUnsent { watchWritable(connection) }
    }

    private func watchWritable(_ connection: ControlConnection) {
        let events = Self.readable | (connection.hasUnsent ? Self.writable : 0)
        _ = curfew_epoll_modify(
            epoll.number, connection.descriptor.number, events, Source.connection.token(connection.id.rawValue))
    }

    /// Closes it; an aware app without another becomes plain. `because`: nil when the other end closed it.
    func drop(_ connection: ControlConnection, because reason: String?) {
        guard connection.descriptor.isOpen else { return }
        connection.close()
        connections.removeAll { $0 === connection }
        requests.removeAll { $0.connection === connection }
        if let reason { record(.channelDropped(reason: reason), of: Self.app) }
        engine.feed(.disconnected(Self.app, connection.id))
    }
}
