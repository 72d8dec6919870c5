/// A socket of an app by which connections come.
public struct ListeningSocket: Sendable, Hashable {
    /// Tells it apart as long as somebody has it open.
    public var inode: UInt64
    /// For people: `:6379`, or a path; nil where it has no name.
    public var place: String?

    public init(inode: UInt64, place: String?) {
        self.inode = inode
        self.place = place
    }
}

/// A listening socket by which an app isn't woken at once, for somebody else accepts there too.
public struct SharedListener: Sendable, Hashable {
    public let socket: ListeningSocket
    /// How long a connection must have waited there before the app is woken for it.
    public fileprivate(set) var delay: Span
    /// When it is looked whether one waits still; nil where none has come.
    fileprivate(set) var nextLook: Instant?
    /// The app was woken by one that had waited so long, and as far as is known it was left to the app. Forgotten with the next
    /// stop.
    fileprivate(set) var isLeftToApp = false
}

/// What is known of an app's listening sockets at which programs outside accept as well.
///
/// Known is only what was seen: a connection was there, then it wasn't, and all of the app was stopped meanwhile. Who
/// is quicker serves; so the next one is to wait before it wakes the app, and twice as long once another one was taken
/// in the very moment in which the app was woken for it.
///
/// Indirect, as `Idleness` is: hardly any app shares one, and each copy of an app would carry it.
enum SharedListeners: Sendable, Hashable {
    case none
    indirect case some([SharedListener])

    /// Of more the first are forgotten: an app that opens others again and again leaves theirs behind.
    static let maximumCount = 16

    var all: [SharedListener] { if case .some(let all) = self { all } else { [] } }

    /// Nil where the app is woken by it at once.
    func held(_ socket: ListeningSocket) -> SharedListener? {
        all.first { $0.socket.inode == socket.inode && !$0.isLeftToApp }
    }

    var nextLook: Instant? { all.compactMap(\.nextLook).min() }

    private mutating func change(_ body: (inout [SharedListener]) -> Void) {
        var all = all
        body(&all)
        self = all.isEmpty ? .none : .some(all)
    }

    // MARK: What is told

    /// A connection has come where it is held back.
    mutating func waits(_ socket: ListeningSocket, at now: Moment) {
        change { all in
            for index in all.indices where all[index].socket.inode == socket.inode && all[index].nextLook == nil {
                all[index].nextLook = now.lifecycle + all[index].delay
            }
        }
    }

    /// The sockets at which it is to be looked now.
    mutating func takeDue(at now: Moment) -> [ListeningSocket] {
        var due: [ListeningSocket] = []
        change { all in
            for index in all.indices {
                guard let next = all[index].nextLook, next <= now.lifecycle else { continue }
                all[index].nextLook = nil
                due.append(all[index].socket)
            }
        }
        return due
    }

    /// Somebody else has accepted there while all of the app was stopped. `shortest`, `longest`: the delays.
    mutating func taken(_ socket: ListeningSocket, shortest: Span, longest: Span) {
        change { all in
            guard let index = all.firstIndex(where: { $0.socket.inode == socket.inode }) else {
                if all.count >= Self.maximumCount {
                    // Where one waits it is yet to be looked for.
                    guard let first = all.firstIndex(where: { $0.nextLook == nil }) else { return }
                    all.remove(at: first)
                }
                return all.append(SharedListener(socket: socket, delay: shortest))
            }
            all[index].nextLook = nil
            guard all[index].isLeftToApp else { return }
            all[index].isLeftToApp = false
            all[index].delay = max(all[index].delay, min(longest, all[index].delay + all[index].delay))
        }
    }

    /// The app is woken by a connection there. The next one wakes it at once, unless this one is taken yet.
    mutating func wakes(_ socket: ListeningSocket) {
        change { all in
            guard let index = all.firstIndex(where: { $0.socket.inode == socket.inode }) else { return }
            all[index].isLeftToApp = true
        }
    }

    /// The app is stopped anew: from now on nothing can be the one by which it was woken before.
    mutating func forgetWhatWasLeft() {
        guard all.contains(where: \.isLeftToApp) else { return }
        change { $0.removeAll(where: \.isLeftToApp) }
    }

    /// The app goes on, whatever for: what waits is its own to see.
    mutating func stopLooking() {
        guard nextLook != nil else { return }
        change { all in
            for index in all.indices { all[index].nextLook = nil }
        }
    }
}

/// What follows for the app.
extension App {
    /// Where connections don't wake it at once, for somebody else accepts there too.
    public var sharedListeners: [SharedListener] { shared.all.filter { !$0.isLeftToApp } }

    /// Whether a connection there has to wait before it wakes it.
    public func holdsBack(_ socket: ListeningSocket) -> Bool { shared.held(socket) != nil }

    /// A connection has come to where it is held back; it wakes the app if it is there yet once its time is over.
    mutating func connectionWaits(_ socket: ListeningSocket, at now: Moment, into effects: inout [Effect]) {
        guard isSuspending, end == nil else { return }
        if holdsBack(socket) { shared.waits(socket, at: now) } else { effects.append(.lookForConnection(id, socket)) }
    }

    mutating func connectionTaken(_ socket: ListeningSocket) {
        guard let sleep = policy.sleep, end == nil else { return }
        shared.taken(socket, shortest: sleep.quiet, longest: sleep.longestDelay)
    }

    mutating func lookForConnections(at now: Moment, into effects: inout [Effect]) {
        for socket in shared.takeDue(at: now) { effects.append(.lookForConnection(id, socket)) }
    }
}
