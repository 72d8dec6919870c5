import CCurfew

/// What it is that is waited for, and what its events mean.
enum InputSource: Sendable, Hashable {
    case socket(InputSocket)
    case terminal
    /// The side of a pseudo-terminal that the program inside doesn't see.
    case master
    /// A FIFO by its path.
    case pipe(path: String?)
    case timer

    var measure: InputMeasure {
        switch self {
        case .socket(let socket):
            if socket.listens { return .backlog }
            return socket.isConnectionBased ? .received : .bytes
        case .terminal, .master, .pipe: return .bytes
        case .timer: return .once
        }
    }

    /// What such events tell of; nil for what shall wake nobody.
    ///
    /// `listeners`: where sockets of the same app listen.
    func cause(of events: Readiness, on descriptor: Int32, _ listeners: [SocketAddress]) -> InputCause? {
        switch self {
        case .socket(let socket) where socket.listens: socket.causeWhereListening(events)
        case .socket(let socket) where socket.isConnectionBased:
            socket.causeOfConnection(events, on: descriptor, listeners)
        case .socket(let socket): socket.causeOfDatagrams(events)
        case .terminal: Self.causeOfTerminal(events)
        case .master: Self.cause(events, on: descriptor, "output on", "a pseudo-terminal", nil)
        case .pipe(nil): Self.cause(events, on: descriptor, "data in", "a pipe", nil)
        case .pipe(let path?): Self.cause(events, on: descriptor, "data in", "the FIFO \(path)", path)
        case .timer: events.contains(.readable) ? InputCause(kind: .timer, text: "a timer") : nil
        }
    }

    /// A line can be empty, as that of an end of input is: what is unread isn't asked for.
    private static func causeOfTerminal(_ events: Readiness) -> InputCause? {
        if !events.isDisjoint(with: .ended) { return InputCause(kind: .end, text: "the end of the terminal") }
        guard events.contains(.readable) else { return nil }
        return InputCause(kind: .terminal, text: "a key or line on the terminal")
    }

    private static func cause(
        _ events: Readiness, on descriptor: Int32, _ data: String, _ what: String, _ path: String?
    ) -> InputCause? {
        let hasEnded = !events.isDisjoint(with: .ended)
        if events.contains(.readable), !hasEnded || curfew_unread(descriptor) > 0 {
            return InputCause(kind: .pipe, text: "\(data) \(what)", to: path)
        }
        if hasEnded { return InputCause(kind: .end, text: "the end of \(what)", to: path) }
        return events.contains(.writable) ? InputCause(kind: .room, text: "room in \(what)", to: path) : nil
    }
}

extension InputSocket {
    func causeWhereListening(_ events: Readiness) -> InputCause? {
        let place = local?.place
        let toPlace = place.map { " to \($0)" } ?? ""
        if !events.isDisjoint(with: .ended) {
            return InputCause(kind: .end, text: "the end of listening\(place.map { " at \($0)" } ?? "")", to: place)
        }
        guard events.contains(.readable) else { return nil }
        return InputCause(kind: .connection, text: "a connection" + toPlace, to: place)
    }

    /// The end of one that was accepted, without a failure and with nothing to read, wakes nobody.
    ///
    /// That nothing is left is asked by the count: to peek would take a failure that comes that moment.
    fileprivate func causeOfConnection(
        _ events: Readiness, on descriptor: Int32, _ listeners: [SocketAddress]
    ) -> InputCause? {
        let listener = listeners.first { local.map($0.accepts) ?? false }
        let from = peer?.text
        let to = (listener ?? local)?.place
        if events.contains(.readable), events.isDisjoint(with: .ended) || curfew_unread(descriptor) > 0 {
            let text = from == nil && to == nil ? "data on a socket" : "data" + Self.way(from, to)
            return InputCause(kind: .data, text: text, from: from, to: to)
        }
        if events.contains(.failed) {
            let failure = "a failure of " + connection(listener, from)
            let text = isConnecting ? "a connection that couldn't be made" : failure
            return InputCause(kind: .end, text: text, from: from, to: to)
        }
        if events.contains(.peerClosed) {
            if listener != nil { return nil }
            return InputCause(kind: .end, text: "the end of " + connection(nil, from), from: from, to: to)
        }
        // Hung up alone means that it is no connection, or none any more by its own doing.
        guard events.contains(.writable), !events.contains(.hungUp) else { return nil }
        if isConnecting {
            let peer = InputSocket(descriptor)?.peer?.text
            return InputCause(
                kind: .room, text: "the connection made to \(peer ?? "its peer")", from: peer, to: to)
        }
        return InputCause(kind: .room, text: "room on " + connection(listener, from), from: from, to: to)
    }

    fileprivate func causeOfDatagrams(_ events: Readiness) -> InputCause? {
        let from = peer?.text
        let to = local?.place
        if events.contains(.readable), events.isDisjoint(with: [.hungUp, .peerClosed]) {
            return InputCause(kind: .datagram, text: "a datagram" + Self.way(from, to), from: from, to: to)
        }
        if !events.isDisjoint(with: .ended) {
            let end = events.contains(.failed) ? "a failure of a socket" : "the end of a socket"
            return InputCause(kind: .end, text: end, from: from, to: to)
        }
        return events.contains(.writable) ? InputCause(kind: .room, text: "room on a socket", from: from, to: to) : nil
    }

    private static func way(_ from: String?, _ to: String?) -> String {
        (from.map { " from \($0)" } ?? "") + (to.map { " to \($0)" } ?? "")
    }

    private func connection(_ listener: SocketAddress?, _ peer: String?) -> String {
        if let listener { return "the connection" + Self.way(peer, listener.place) }
        return peer.map { "the connection to \($0)" } ?? "a connection"
    }
}
