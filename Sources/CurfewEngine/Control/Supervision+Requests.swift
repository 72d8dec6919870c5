import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// A request whose reply hasn't come yet.
struct PendingRequest {
    let request: RequestID
    let connection: ControlConnection
    let id: String?
    let verb: String
}

/// A process that holds background tasks; its end releases them.
struct TaskOwner {
    let id: OwnerID
    let pid: Int32
    var pidfd: Descriptor
}

/// What clients ask for, and who may.
extension Supervision {
    /// The leader's tasks go with the app, so it needs no watching.
    static let leaderOwner = OwnerID(0)
    /// Longer names are cut: they are kept for as long as the task is open.
    static let maximumTaskNameBytes = 128
    /// Besides the leader; each is held by a descriptor.
    static let maximumOwners = 256

    func handle(_ message: Message, from connection: ControlConnection) {
        let id = message["id"]
        let verb = Verb(rawValue: message.verb)
        guard let verb else {
            refuse(connection, id, "unknown", "there is no request \(message.verb)")
            return
        }
        guard verb.isAllowed(for: role(of: connection)) else {
            refuse(connection, id, "forbidden", Procfs.isOurs ? verb.whyForbidden : Self.whyNobodyIsKnown)
            return
        }
        switch verb {
        case .hello: hello(connection, id)
        case .ack: acknowledge(message, connection, id)
        case .begin: begin(message, connection, id)
        case .end: end(message, connection, id)
        case .remaining: remaining(connection, id)
        case .tasks: tasks(connection, id)
        case .status: status(connection, id)
        case .events: events(message, connection, id)
        case .home:
            engine.feed(.home(Self.app, stopped: false, request: request(connection, id, message.verb)))
            stopFrontAfterHome()
        case .open: engine.feed(.open(Self.app, request: request(connection, id, message.verb)))
        case .quit: engine.feed(.quit(Self.app, request: request(connection, id, message.verb)))
        case .interrupt: engine.feed(.interrupt(Self.app, request: request(connection, id, message.verb)))
        case .dismiss: engine.feed(.dismiss(Self.app, request: request(connection, id, message.verb)))
        case .warn:
            guard let level = MemoryWarningLevel(rawValue: message["level"] ?? MemoryWarningLevel.warning.rawValue)
            else {
                refuse(connection, id, "invalid", "level is warning or critical")
                return
            }
            engine.feed(.warn(Self.app, level, request: request(connection, id, message.verb)))
        case .post:
            guard let change = postedEvent(message, connection, id, { .change($0) }) else { return }
            engine.feed(.post(Self.app, change, request: request(connection, id, message.verb)))
        case .wake:
            guard let event = postedEvent(message, connection, id, { .wake($0) }) else { return }
            engine.feed(.wake(Self.app, event, request: request(connection, id, message.verb)))
        }
    }

    private enum Verb: String {
        case hello, ack, begin, end, remaining, tasks, status, events
        case home, open, interrupt, dismiss, post, wake, warn, quit

        func isAllowed(for role: ControlConnection.Role) -> Bool {
            switch (self, role) {
            case (_, .stranger): false
            case (.hello, .app), (.ack, .app), (.begin, .app), (.end, .app), (.remaining, .app): true
            case (.home, .operator), (.open, .operator), (.quit, .operator): true
            case (.interrupt, .operator), (.dismiss, .operator), (.post, .operator), (.wake, .operator),
                (.warn, .operator):
                true
            case (.tasks, _), (.status, _), (.events, _): true
            default: false
            }
        }

        var whyForbidden: String {
            switch self {
            case .home, .open, .interrupt, .dismiss, .post, .wake, .warn, .quit:
                "a process inside an app can't drive a supervisor"
            case .hello, .ack, .begin, .end, .remaining: "only a process inside the app speaks for it"
            case .tasks, .status, .events: "only this user outside any app, and the app itself, may ask"
            }
        }
    }

    // MARK: Who asks

    private static var whyNobodyIsKnown: String {
        "without a /proc of its own the supervisor can't tell who asks; signals to the front do as well"
    }

    func role(of connection: ControlConnection) -> ControlConnection.Role {
        if let role = connection.role { return role }
        let role = findRole(of: connection)
        connection.role = role
        return role
    }

    private func findRole(of connection: ControlConnection) -> ControlConnection.Role {
        let role = findRole(of: connection.peer, connection)
        if connection.isInherited || connection.peer.pid == connection.maker.pid { return role }
        // With CAP_SYS_ADMIN a message's sender can be forged, who has made the connection can't: both have to be operators.
        // Source: unix(7), SCM_CREDENTIALS and SO_PEERCRED.
        let makersRole = connection.makersRole ?? findRole(of: connection.maker, connection)
        connection.makersRole = makersRole
        return role == .operator && makersRole != .operator ? .stranger : role
    }

    private func findRole(of peer: curfew_sender, _ connection: ControlConnection) -> ControlConnection.Role {
        senderRoles.role(of: peer) {
            // Who has made the connection can be held though it is gone.
            let isMaker = connection.maker.pid == peer.pid
            let held = isMaker ? curfew_peer_pidfd(connection.descriptor.number) : -ENOPROTOOPT
            return held >= 0 ? held : curfew_pidfd_open(peer.pid)
        } find: {
            findRole(of: peer)
        }
    }

    private func findRole(of sender: curfew_sender) -> ControlConnection.Role {
        guard sender.uid == geteuid() || sender.uid == 0 || sender.uid == getuid() else {
            return holds(sender.pid) ? .app : .stranger
        }
        let ancestry = Ancestry(
            of: sender.pid, supervisor: getpid(), cgroup: kernel.tree?.containment.unified?.path)
        if ancestry.isOurs { return .app }
        return ancestry.isKnown && !ancestry.isInAnyApp ? .operator : .stranger
    }

    private func holds(_ pid: Int32) -> Bool { kernel.tree?.contains(pid) ?? false }

    // MARK: Answers

    private func refuse(_ connection: ControlConnection, _ id: String?, _ code: String, _ why: String) {
        reply(to: connection, id: id, Message("error", [Field("code", code), Field("message", why)]))
    }

    private func accept(_ connection: ControlConnection, _ id: String?, _ fields: [Field] = []) {
        reply(to: connection, id: id, Message("ok", fields))
    }

    private func request(_ connection: ControlConnection, _ id: String?, _ verb: String) -> RequestID {
        lastRequest += 1
        let request = RequestID(lastRequest)
        requests.append(PendingRequest(request: request, connection: connection, id: id, verb: verb))
        return request
    }

    /// The core's reply to a request that was kept; its client may have gone.
    func reply(_ reply: Reply, to request: RequestID) {
        guard let index = requests.firstIndex(where: { $0.request == request }) else { return }
        let pending = requests.remove(at: index)
        switch reply {
        case .state(let state): accept(pending.connection, pending.id, [Field("state", state.rawValue)])
        case .taskBegun(let task, let remaining):
            accept(
                pending.connection, pending.id,
                [
                    Field("task", String(task.rawValue)),
                    Field("remaining", Seconds.text(nanoseconds: remaining.nanoseconds)),
                ])
        case .taskEnded(_, let known):
            accept(pending.connection, pending.id, known ? [] : [Field("ignored", "unknown-task")])
        case .rejected(let rejection):
            let invalid = pending.verb == "begin" ? [Field("task", "0")] : []
            let fields = [Field("code", rejection.rawValue), Field("message", rejection.message)] + invalid
            self.reply(to: pending.connection, id: pending.id, Message("error", fields))
        }
    }

    // MARK: The app's requests

    private func hello(_ connection: ControlConnection, _ id: String?) {
        guard let app = engine.core.app(Self.app) else { return }
        accept(
            connection, id,
            [Field("version", "1"), Field("app", name), Field("state", app.state.rawValue)])
        engine.feed(.hello(Self.app, connection.id))
    }

    private func acknowledge(_ message: Message, _ connection: ControlConnection, _ id: String?) {
        guard let sequence = message["seq"].flatMap(Int.init) else {
            refuse(connection, id, "invalid", "ack needs seq=NUMBER")
            return
        }
        engine.feed(.acknowledge(Self.app, sequence: sequence))
        // As in the protocol's example, an acknowledgement is answered only when asked to by an id.
        if id != nil { accept(connection, id) }
    }

    private func begin(_ message: Message, _ connection: ControlConnection, _ id: String?) {
        let owner: OwnerID
        do throws(OwnerProblem) {
            owner = try self.owner(named: message["owner"], connection)
        } catch {
            let fields = [Field("code", error.rawValue), Field("message", error.message), Field("task", "0")]
            reply(to: connection, id: id, Message("error", fields))
            return
        }
        let title = Self.taskName(message["name"] ?? "")
        engine.feed(
            .beginTask(
                Self.app, name: title, owner: owner, connection: connection.id,
                request: request(connection, id, message.verb)))
    }

    private static func taskName(_ name: String) -> String {
        guard name.utf8.count > maximumTaskNameBytes else { return name }
        var cut = Substring(name)
        while cut.utf8.count > maximumTaskNameBytes { cut.removeLast() }
        return String(cut)
    }

    private func end(_ message: Message, _ connection: ControlConnection, _ id: String?) {
        guard let task = message["task"].flatMap(Int.init) else {
            refuse(connection, id, "invalid", "end needs task=NUMBER")
            return
        }
        engine.feed(.endTask(Self.app, TaskID(task), request: request(connection, id, message.verb)))
    }

    private func remaining(_ connection: ControlConnection, _ id: String?) {
        guard let left = engine.core.remaining(of: Self.app, at: engine.now) else { return }
        accept(connection, id, [Field("seconds", Seconds.text(nanoseconds: left.nanoseconds))])
    }

    // MARK: What others tell the app

    /// What `post` and `wake` carry; nil once it was refused.
    private func postedEvent(
        _ message: Message, _ connection: ControlConnection, _ id: String?, _ event: (String) -> Event
    ) -> PostedEvent? {
        let name = message["name"] ?? ""
        guard Event.canBePosted(name) else {
            refuse(connection, id, "invalid", "\(message.verb) needs name=NAME, and none of the lifecycle's")
            return nil
        }
        let info = message.info
        guard info.count <= Info.maximumCount, info.allSatisfy({ Event.isWord($0.key) }) else {
            refuse(connection, id, "invalid", "at most \(Info.maximumCount) pairs info.KEY=VALUE, KEY a word")
            return nil
        }
        let posted = PostedEvent(name, info)
        guard posted.fitsOneLine(as: event(name)) else {
            refuse(connection, id, "invalid", "it doesn't fit a line of \(LineReader.maximumLineBytes) bytes")
            return nil
        }
        return posted
    }

    // MARK: Owners

    private enum OwnerProblem: String, Error {
        case invalid
        case tooMany = "too-many-owners"

        var message: String {
            switch self {
            case .invalid: "the owner is `leader` or the pid of a process of the app that lives"
            case .tooMany:
                "as many processes hold background tasks as can be watched, \(maximumOwners) at most; `owner=leader` is free"
            }
        }
    }

    /// The sender itself, the leader, or a process of the app that lives.
    private func owner(named name: String?, _ connection: ControlConnection) throws(OwnerProblem) -> OwnerID {
        let pid: Int32
        if let name, name != "leader" {
            guard let number = Int32(name), number > 0 else { throw .invalid }
            pid = number
        } else {
            pid = name == nil ? connection.peer.pid : mainPid
        }
        if pid == kernel.tree?.leader, jobControl?.isLeaderGone != true { return Self.leaderOwner }
        if let known = owners.first(where: { $0.pid == pid }) { return known.id }
        return try watchOwner(pid)
    }

    /// Looked at once it is held: whoever has got the pid of one that is gone isn't of the app.
    private func watchOwner(_ pid: Int32) throws(OwnerProblem) -> OwnerID {
        var pidfd = try holdOwner(pid)
        guard holds(pid) else {
            pidfd.close()
            throw .invalid
        }
        lastOwner += 1
        let owner = TaskOwner(id: OwnerID(lastOwner), pid: pid, pidfd: pidfd)
        owners.append(owner)
        _ = curfew_epoll_add(epoll.number, pidfd.number, 1, Source.owner.token(lastOwner))
        return owner.id
    }

    private func holdOwner(_ pid: Int32) throws(OwnerProblem) -> Descriptor {
        if let pidfd = try owners.count < Self.maximumOwners ? openOwner(pid) : nil { return pidfd }
        forgetIdleOwners()
        if let pidfd = try owners.count < Self.maximumOwners ? openOwner(pid) : nil { return pidfd }
        throw .tooMany
    }

    /// Nil when there is no descriptor left for it.
    private func openOwner(_ pid: Int32) throws(OwnerProblem) -> Descriptor? {
        var pidfd = Descriptor(curfew_pidfd_open(pid))
        if pidfd.number == -EMFILE { return nil }
        guard pidfd.isOpen else { throw .invalid }
        if descriptors.allows(pidfd.number, forApp: true) { return pidfd }
        pidfd.close()
        return nil
    }

    /// Those whose tasks have all ended; they are watched anew when they begin another.
    private func forgetIdleOwners() {
        let tasks = engine.core.app(Self.app)?.tasks ?? []
        for var owner in owners where !tasks.contains(where: { $0.owner == owner.id }) { owner.pidfd.close() }
        owners.removeAll { owner in !tasks.contains { $0.owner == owner.id } }
    }

    func ownerExited(_ id: OwnerID) {
        guard let index = owners.firstIndex(where: { $0.id == id }) else { return }
        var owner = owners.remove(at: index)
        owner.pidfd.close()
        engine.feed(.ownerExited(Self.app, id))
    }

    // MARK: Seeing

    private func tasks(_ connection: ControlConnection, _ id: String?) {
        guard let app = engine.core.app(Self.app) else { return }
        sendTasks(of: app, to: connection, id)
        accept(connection, id, [Field("count", String(app.tasks.count))])
    }

    private func sendTasks(of app: App, to connection: ControlConnection, _ id: String?) {
        let now = engine.now.lifecycle
        for task in app.tasks {
            reply(
                to: connection, id: id,
                Message(
                    "task",
                    [
                        Field("task", String(task.id.rawValue)), Field("name", task.name),
                        Field("age", Seconds.text(nanoseconds: (now - task.begun).nanoseconds)),
                    ]))
        }
    }

    private func status(_ connection: ControlConnection, _ id: String?) {
        lookForTracer()
        guard let app = engine.core.app(Self.app) else { return }
        sendTasks(of: app, to: connection, id)
        accept(connection, id, statusFields(of: app))
    }

    private func events(_ message: Message, _ connection: ControlConnection, _ id: String?) {
        for entry in log.recent { send(entry.message(app: name), to: connection) }
        if message["follow"] == "1" { connection.isFollowing = true }
        accept(connection, id)
    }

    // MARK: Home from elsewhere

    /// The shell gets its prompt, as it does after Ctrl-Z.
    private func stopFrontAfterHome() {
        guard let app = engine.core.app(Self.app), !app.state.isForeground, let jobControl, jobControl.hasTerminal
        else { return }
        jobControl.stopFront()
    }
}

extension Supervision {
    /// To the app's connections, to the program as a signal, and to hooks.
    func deliver(_ delivery: Delivery, to app: AppID) {
        let message = delivery.message(containment: kernel.tree?.containment.description ?? "none")
        let aspect = delivery.aspect
        for id in delivery.connections {
            guard let connection = connections.first(where: { $0.id == id }) else { continue }
            send(message, to: connection, aspect: aspect)
        }
        switch delivery.audience {
        case .everybody:
            sendSignal(for: delivery.event)
            runHooks(for: message)
        case .hooks: runHooks(for: message)
        case .connections: break
        }
    }

    private func sendSignal(for event: Event) {
        for signal in plan.eventSignals where signal.event == event.name { passToLeader(signal.signal) }
    }

    private func runHooks(for message: Message) {
        guard let hooks else { return }
        let state = engine.core.app(Self.app)?.state ?? .notRunning
        let about = [
            Field("app", name), Field("pid", String(mainPid)), Field("state", state.rawValue),
        ]
        if !hooks.run(Message(message.verb, message.fields + about)) {
            record(.hookDropped(event: message["name"] ?? ""), of: Self.app)
        }
    }
}
