import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// The control channel: listens, holds its sessions to their bounds, and has their requests answered.
final class ControlServer {
    /// More than this many at once and no more are accepted, and fewer where `descriptors` doesn't allow them.
    static let maximumSessions = 256
    /// The last ones are for operators: an app that opens all it can must still be quit.
    static let maximumAppSessions = 192
    /// Of apps that share a server each has no more of those, and whoever is of no app neither: none takes what the others have.
    static let maximumSessionsOfOne = 64
    /// How many are accepted, and how long one session's lines are dealt with, before it is others' turn.
    static let acceptedPerTurn = 32
    static let nanosecondsPerTurn: Int64 = 1_000_000
    /// So many answers of one session can wait for one that is owed; what is asked then is refused. Of refusals that wait, too,
    /// there are so many more before the session is dropped.
    static let maximumWaitingAnswers = 64
    static let maximumWaitingRefusals = 1024
    /// How long a client may read nothing of a long answer.
    static let listPatience = Span.seconds(10)

    unowned let host: any ControlHost
    private let listening: Descriptor
    private let loop: EventLoop
    /// Who may keep which, as the host says; where they are scarce, no sender is held.
    var descriptors = DescriptorLimit(count: 1024) { didSet { senderRoles.keepsSenders = !descriptors.isScarce } }
    /// When the socket is listened on again; nil while it is.
    private(set) var listensAgain: Instant?
    /// Ascending by number.
    private(set) var sessions: [ControlSession] = []
    /// Those with a long answer under way, each with when some of it last went out.
    private(set) var telling: [(session: ControlSession, moved: Instant)] = []
    /// Those that follow an app, or all: few of very many.
    private(set) var followers: [ControlSession] = []
    /// How many of them are apps' own pipes, which nobody else has the fewer for.
    private var pipeCount = 0
    /// How many came through the socket.
    var clientCount: Int { sessions.count - pipeCount }
    private var lastSession = 0
    var senderRoles = SenderRoles()
    var requests = PendingRequests()
    var owners: TaskOwners
    private let mostOfOne: Int
    private let accept: (Int32) -> Int32

    /// `listening`: a socket that is listened on already. `isShared`: whether it is several apps'. `accept`: takes the next connection from it, or -errno; the kernel,
    /// but in tests.
    init(
        listening: Descriptor, loop: EventLoop, host: any ControlHost,
        isShared: Bool = false, maximumOwners: Int = TaskOwners.maximum,
        accept: @escaping (Int32) -> Int32 = { curfew_unix_accept($0) }
    ) {
        self.listening = listening
        self.loop = loop
        self.host = host
        self.accept = accept
        mostOfOne = isShared ? Self.maximumSessionsOfOne : Self.maximumAppSessions
        owners = TaskOwners(
            loop: loop, maximum: maximumOwners, maximumOfApp: isShared ? TaskOwners.maximumOfOne : maximumOwners)
        resumeListening()
    }

    // MARK: Listening

    func acceptSessions() {
        for _ in 0..<Self.acceptedPerTurn {
            let accepted = accept(listening.number)
            if accepted == -EMFILE || accepted == -ENFILE { pauseListening(isOwnLimit: accepted == -EMFILE) }
            guard accepted >= 0 else { return }
            let descriptor = Descriptor(accepted)
            if clientCount >= Self.maximumSessions || !descriptors.allows(descriptor.number, forApp: false) {
                Self.refuse(descriptor)
                continue
            }
            admit(descriptor)
        }
    }

    /// Who waits at the socket would wake us for ever; it is looked at again once a session is over, or after a second.
    ///
    /// `isOwnLimit`: ours, which somebody has lowered by prlimit(2).
    private func pauseListening(isOwnLimit: Bool) {
        if isOwnLimit { host.raiseDescriptorLimit() }
        listensAgain = host.now + .seconds(1)
        loop.remove(listening)
    }

    private func resumeListening() {
        listensAgain = nil
        // Refused when it wasn't paused.
        loop.add(listening, EventLoop.Kind.listener.token())
    }

    /// When `timePassed` has something to do; nil: not at all.
    var deadline: Instant? {
        guard !telling.isEmpty else { return listensAgain }
        let patience = telling.reduce(Instant.distantFuture) { min($0, $1.moved) } + Self.listPatience
        return listensAgain.map { min($0, patience) } ?? patience
    }

    /// Looks at the socket again where it is time for that, and parts with who doesn't read what he has asked for.
    func timePassed() {
        if let listensAgain, listensAgain <= host.now { resumeListening() }
        guard !telling.isEmpty else { return }
        let now = host.now
        for (session, moved) in telling where moved + Self.listPatience <= now {
            drop(session, because: Self.whyUnread)
        }
    }

    // MARK: Sessions

    /// One that came through the socket.
    private func admit(_ descriptor: Descriptor) {
        let session = makeSession(descriptor, of: nil)
        session.noteMaker()
        guard hasRoom(for: session) else { return Self.refuse(descriptor) }
        hold(session)
    }

    /// Who it is is looked for where that matters: below the bound of one nobody can have passed it.
    private func hasRoom(for session: ControlSession) -> Bool {
        let isForOperators =
            clientCount >= Self.maximumAppSessions || !descriptors.allows(session.descriptor.number, forApp: true)
        guard isForOperators || clientCount >= mostOfOne else { return true }
        switch role(of: session) {
        case .operator: return true
        case .app(let app): return !isForOperators && clients { $0.app == app } < mostOfOne
        // Who hasn't said anything yet is nobody's either.
        case .stranger: return !isForOperators && clients { $0.app == nil && $0.role != .operator } < mostOfOne
        }
    }

    private func clients(_ isMeant: (ControlSession) -> Bool) -> Int {
        sessions.reduce(0) { $0 + (!$1.isInherited && isMeant($1) ? 1 : 0) }
    }

    /// There is no room for it. It is told, for an end without a word would mean that the app has ended.
    private static func refuse(_ descriptor: Descriptor) {
        var line: [UInt8] = []
        Message("error", [Field("code", "busy"), Field("message", "too many connections are open; try again later")])
            .encode(into: &line)
        _ = line.withUnsafeBytes { curfew_send(descriptor.number, $0.baseAddress, $0.count) }
        var descriptor = descriptor
        descriptor.close()
    }

    /// The app's control pipe. `childsEnd`: our copy of its other end.
    @discardableResult
    func addPipe(_ descriptor: Descriptor, childsEnd: Descriptor, of app: AppID) -> ConnectionID {
        let session = makeSession(descriptor, of: app)
        session.childsEnd = childsEnd
        pipeCount += 1
        hold(session)
        return session.id
    }

    /// A connection that we have made ourselves, to a server that our app takes part in; it counts as an operator's.
    func addServer(_ descriptor: Descriptor) -> ControlSession {
        lastSession += 1
        let session = ControlSession(toServer: descriptor, id: ConnectionID(lastSession))
        hold(session)
        return session
    }

    private func makeSession(_ descriptor: Descriptor, of app: AppID?) -> ControlSession {
        lastSession += 1
        return ControlSession(id: ConnectionID(lastSession), descriptor: descriptor, of: app)
    }

    private func hold(_ session: ControlSession) {
        sessions.append(session)
        session.startWaiting(in: loop)
    }

    /// Nil for one that is gone.
    func session(_ id: ConnectionID) -> ControlSession? {
        let place = place(of: id)
        return place < sessions.count && sessions[place].id == id ? sessions[place] : nil
    }

    /// Where it is, or was.
    private func place(of id: ConnectionID) -> Int {
        var (low, high) = (0, sessions.count)
        while low < high {
            let middle = (low + high) / 2
            if sessions[middle].id.rawValue < id.rawValue { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Something can be read from it, or written to it.
    func serve(_ id: ConnectionID, events: UInt32) {
        guard let session = session(id) else { return }
        if events & EventLoop.writable != 0, session.hasUnsent { flush(session) }
        guard session.descriptor.isOpen else { return }
        if session.isTellingList {
            // Nothing is read meanwhile; but its end is told all the same.
            if Self.tellEnd(events) { drop(session, because: nil) }
        } else if session.hasBacklog {
            handleLines(of: session)
        } else if events & ~EventLoop.writable != 0 {
            read(session)
        }
        session.updateInterest(in: loop)
    }

    /// When one that has more to say than a turn is long, or to be told, had its last turn, in nanoseconds; nil for any other,
    /// and for who is told nothing any more, being gone: others may need its room.
    func lastTurn(of id: ConnectionID, events: UInt32) -> Int64? {
        guard let session = session(id), session.hasBacklog || session.isTellingList else { return nil }
        return session.isTellingList && Self.tellEnd(events) ? nil : session.lastTurn
    }

    /// Of somebody of whom nothing is read meanwhile.
    private static func tellEnd(_ events: UInt32) -> Bool {
        events & ~(EventLoop.readable | EventLoop.writable) != 0
    }

    private func flush(_ session: ControlSession) {
        let before = session.sentBytes
        guard session.flush(isOver: turnsEnd()) else { return drop(session, because: nil) }
        if session.sentBytes > before { noteTelling(session) }
    }

    /// Tells when this session's turn is over, which begins now.
    private func turnsEnd() -> () -> Bool {
        let end = host.now + Span(nanoseconds: Self.nanosecondsPerTurn)
        return { [unowned host] in host.now > end }
    }

    /// Some of what it was to be told has gone out.
    private func noteTelling(_ session: ControlSession) {
        let index = telling.firstIndex { $0.session === session }
        guard session.isTellingList else {
            if let index { telling.remove(at: index) }
            return
        }
        let now = host.now
        session.lastTurn = now.nanoseconds
        if let index { telling[index].moved = now } else { telling.append((session, now)) }
    }

    private func read(_ session: ControlSession) {
        switch session.receive() {
        case .nothing: break
        case .closed: drop(session, because: nil)
        case .mixed: drop(session, because: "one line came from two processes")
        case .something: handleLines(of: session)
        }
    }

    /// Until there is no whole line left, or its turn is over.
    private func handleLines(of session: ControlSession) {
        let turn = host.now.nanoseconds
        session.hasBacklog = false
        while session.descriptor.isOpen {
            if session.isTellingList {
                session.hasBacklog = true
                return
            }
            let next = session.reader.next()
            if next == .none { return }
            let now = host.now
            guard session.admitsMessage(at: now) else {
                drop(session, because: "over \(ControlSession.maximumMessagesPerSecond) messages a second")
                return
            }
            handle(next, from: session)
            let end = host.now.nanoseconds
            if end - turn > Self.nanosecondsPerTurn, session.reader.pendingBytes > 0 {
                session.hasBacklog = true
                session.lastTurn = end
                return
            }
        }
    }

    private func handle(_ next: LineReader.Next, from session: ControlSession) {
        switch next {
        case .none: break
        case .tooLong: drop(session, because: "a line is longer than \(LineReader.maximumLineBytes) bytes")
        case .malformed(let error):
            let fields = [
                Field("code", "malformed"), Field("offset", String(error.offset)), Field("message", error.problem),
            ]
            answer(.message(Message("error", fields)), to: session.nextRequest(), of: session, isLast: true)
        case .message(let message): handle(ControlRequest(session, message))
        }
    }

    func send(_ message: Message, to session: ControlSession, aspect: String? = nil) {
        guard session.descriptor.isOpen else { return }
        guard session.send(message, aspect: aspect) else {
            drop(session, because: Self.whyUnread)
            return
        }
        session.updateInterest(in: loop)
    }

    private static let whyUnread = "its client doesn't read"

    /// Lines that are made as the client reads them.
    private func send(_ lines: @escaping ControlSession.Lines, to session: ControlSession) {
        guard session.descriptor.isOpen else { return }
        guard session.send(lines: lines, isOver: turnsEnd()) else {
            drop(session, because: Self.whyUnread)
            return
        }
        noteTelling(session)
        session.updateInterest(in: loop)
    }

    // MARK: Answers

    /// Some of the answer to a request of the session, which goes out when it is its turn. `isLast`: the rest of it.
    func answer(_ piece: AnswerOrder.Piece, to request: Int, of session: ControlSession, isLast: Bool) {
        guard session.descriptor.isOpen else { return }
        let ready = session.answers.add(piece, to: request, isLast: isLast)
        if session.answers.count > Self.maximumWaitingAnswers + Self.maximumWaitingRefusals {
            return drop(session, because: "too many answers wait for one that it is owed")
        }
        switch (ready.first, ready.count) {
        case (nil, _): break
        case (.message(let message), 1): send(message, to: session)
        case (.lines(let begin), 1): send(begin(), to: session)
        // However much has waited, it goes out as it is read.
        default: send(AnswerOrder.Piece.lines(of: ready), to: session)
        }
    }

    /// Closes it; an aware app without another becomes plain. `because`: nil when the other end closed it.
    func drop(_ session: ControlSession, because reason: String?) {
        guard session.descriptor.isOpen else { return }
        session.close()
        session.childsEnd.close()
        if session.isInherited { pipeCount -= 1 }
        sessions.remove(at: place(of: session.id))
        telling.removeAll { $0.session === session }
        if session.followed != .nobody { followers.removeAll { $0 === session } }
        resumeListening()
        requests.forget(session)
        host.sessionClosed(session.id)
        if !session.isInherited, session.lastRequest == 0 { host.clientLeftUnheard() }
        guard let app = session.app ?? host.defaultApp(for: .events) else {
            if let reason { host.noteDropped(client: session.peer.pid, because: reason) }
            return
        }
        if let reason { host.record(.channelDropped(reason: reason), of: app) }
        host.feed(.app(app, .disconnected(session.id)))
    }

    /// At the end: whoever waits for it hears of it so.
    func closeAll() {
        for session in sessions { session.close() }
    }

    // MARK: Who asks

    func role(of session: ControlSession) -> ControlSession.Role {
        if let role = session.role { return role }
        let role = findRole(of: session)
        let before = session.app
        session.role = role
        // Handed on from one app to another, it isn't the first one's any more.
        if let before, before != session.app { host.feed(.app(before, .disconnected(session.id))) }
        return role
    }

    private func findRole(of session: ControlSession) -> ControlSession.Role {
        let role = findRole(of: session.peer, session)
        if session.isInherited || session.peer.pid == session.maker.pid { return role }
        // With CAP_SYS_ADMIN a message's sender can be forged, who has made the connection can't: both have to be operators.
        // Source: unix(7), SCM_CREDENTIALS and SO_PEERCRED.
        let makersRole = session.makersRole ?? findRole(of: session.maker, session)
        session.makersRole = makersRole
        return role == .operator && makersRole != .operator ? .stranger : role
    }

    private func findRole(of peer: curfew_sender, _ session: ControlSession) -> ControlSession.Role {
        senderRoles.role(of: peer) {
            // Who has made the connection can be held though it is gone.
            let isMaker = session.maker.pid == peer.pid
            let held = isMaker ? curfew_peer_pidfd(session.descriptor.number) : -ENOPROTOOPT
            return held >= 0 ? held : curfew_pidfd_open(peer.pid)
        } find: {
            host.role(of: peer)
        }
    }

    // MARK: What is told unasked

    /// To those of an app's sessions that it is for.
    func deliver(_ delivery: Delivery, _ message: Message) {
        let aspect = delivery.aspect
        for id in delivery.connections {
            guard let session = session(id) else { continue }
            send(message, to: session, aspect: aspect)
        }
    }

    /// From now on it is told of what happens.
    func add(follower session: ControlSession, of followed: ControlSession.Followed) {
        if session.followed == .nobody { followers.append(session) }
        session.followed = followed
    }

    /// Whoever follows the one follows the other from now on: another run of the same app.
    func follow(_ app: AppID, insteadOf last: AppID) {
        for session in followers where session.followed == .app(last) { session.followed = .app(app) }
    }

    /// Whether somebody follows the app, or all.
    func isFollowed(_ app: AppID) -> Bool { followers.contains { $0.followed.includes(app) } }

    /// The same of an app that doesn't run; `last`: its last run.
    func tell(_ entry: EventLog.Entry, named name: String, last: AppID?) {
        let concerned = followers.filter { session in
            session.followed == .all || last.map { session.followed.includes($0) } == true
        }
        for session in concerned { send(entry.message(app: name), to: session) }
    }

    /// To who follows the app, or all.
    func tell(_ entry: EventLog.Entry, of app: AppID) {
        guard isFollowed(app) else { return }
        let message = entry.message(app: host.name(of: app))
        for session in followers where session.followed.includes(app) { send(message, to: session) }
    }
}
