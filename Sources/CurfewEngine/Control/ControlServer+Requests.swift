import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire

/// What clients ask for, and what they are answered.
extension ControlServer {
    /// Longer names are cut: they are kept for as long as the task is open.
    static let maximumTaskNameBytes = 128

    private static let whyNobodyIsKnown =
        "without a /proc of its own the supervisor can't tell who asks; signals to the proxy do as well"

    func handle(_ request: ControlRequest) {
        // Two supervisors must not answer each other's answers for ever.
        if request.message.isFinal, host.took(request.message, from: request.session) { return }
        if request.session.answers.count >= Self.maximumWaitingAnswers {
            return refuse(
                request, "busy",
                "\(Self.maximumWaitingAnswers) answers wait on this connection; ask again once some have come")
        }
        guard let verb = ControlVerb(rawValue: request.message.verb) else {
            refuse(request, "unknown", "there is no request \(request.message.verb)")
            return
        }
        let role = role(of: request.session)
        guard verb.isAllowed(for: role) else {
            refuse(request, "forbidden", host.tellsSenders ? verb.whyForbidden : Self.whyNobodyIsKnown)
            return
        }
        if role == .operator, host.serve(request, verb) { return }
        switch concerned(by: request, verb, role) {
        case .app(let app):
            var request = request
            request.app = app
            handle(request, verb, app)
        case .allApps: eventsOfAll(request)
        case .machine: pressure(request, nil)
        case .refused(let code, let why): refuse(request, code, why)
        }
    }

    private func handle(_ request: ControlRequest, _ verb: ControlVerb, _ app: AppID) {
        switch verb {
        case .hello: hello(request, app)
        case .ack: acknowledge(request, app)
        case .completed: completed(request, app)
        case .begin: begin(request, app)
        case .end: end(request, app)
        case .remaining: remaining(request, app)
        case .keepAlive: keepAlive(request, app)
        case .tasks: tasks(request, app)
        case .status: status(request, app)
        case .events: events(request, app)
        case .home:
            host.feed(.app(app, .home(stopped: false, request: wait(for: request))))
            host.clientSentHome(app)
        case .open: open(request, app)
        case .quit: host.feed(.app(app, .quit(request: wait(for: request))))
        case .reclaim: host.feed(.app(app, .reclaim(request: wait(for: request))))
        case .sleep: sleep(request, app)
        case .interrupt: host.feed(.app(app, .interrupt(request: wait(for: request))))
        case .dismiss: host.feed(.app(app, .dismiss(request: wait(for: request))))
        case .warn: warn(request, app)
        case .pressure: pressure(request, app)
        case .advance: if let (code, why) = host.beginAdvance(request, of: app) { refuse(request, code, why) }
        case .post:
            guard let change = postedEvent(request, { .change($0) }) else { return }
            host.feed(.app(app, .post(change, request: wait(for: request))))
        case .wake:
            guard let event = postedEvent(request, { .wake($0) }) else { return }
            host.feed(.app(app, .wake(event, request: wait(for: request))))
        case .notify, .cancel, .schedule, .fetchInterval, .payload, .submit:
            // An app's own; whoever drives the server was answered before.
            if !host.serve(request, verb) { refuse(request, "unsupported", Self.whyNoServer) }
        case .apps, .launch, .switch, .remove, .stop, .reload, .server, .history, .quitAll, .join, .fetch, .push,
            .runRequest, .expireRequest:
            refuse(request, "unsupported", Self.whyNoServer)
        }
    }

    private static let whyEnded = "it ended before that was done"

    static let whyNoServer = "this supervisor has one app and no list of them; `curfew serve` starts one that has"

    /// What the app did and was asked is over with it: its pipe, who held its tasks, and whoever waits for an answer.
    ///
    /// `pipe`: nil where it had none.
    func forget(_ app: AppID, pipe: ConnectionID?) {
        owners.forget(app)
        if let pipe, let session = session(pipe) { drop(session, because: nil) }
        for request in requests.takeAll(of: app) {
            switch ControlVerb(rawValue: request.message.verb) {
            case .quit, .reclaim: accept(request)
            default: refuse(request, "no-app", Self.whyEnded)
            }
        }
    }

    // MARK: Which app

    private enum Concerned {
        case app(AppID)
        case allApps
        case machine
        case refused(code: String, why: String)
    }

    /// The sender's own app; from outside every app the one that `app=` names, or else the default.
    private func concerned(by request: ControlRequest, _ verb: ControlVerb, _ role: ControlSession.Role) -> Concerned {
        let name = request.message["app"]
        if case .app(let own) = role {
            guard let name, host.app(named: name) != own else { return .app(own) }
            return .refused(code: "forbidden", why: Self.whyNotOfAnother(name))
        }
        if let name {
            if let app = host.app(named: name) { return .app(app) }
            if host.knows(name) {
                let waiting = host.hasScheduled(name) ? ", and `curfew schedule \(name)` shows what waits for it" : ""
                let why = "\(name) doesn't run; `curfew open \(name)` starts it" + waiting
                return .refused(code: "not-running", why: why)
            }
            return .refused(code: "no-app", why: "there is no app \(name) here; `curfew ps` shows what is")
        }
        if let app = host.defaultApp(for: verb) { return .app(app) }
        if verb.isServers { return .refused(code: "unsupported", why: Self.whyNoServer) }
        switch verb {
        case .events: return .allApps
        case .pressure: return .machine
        default: return .refused(code: "no-app", why: "app=NAME has to say which app is meant; `curfew ps` shows them")
        }
    }

    private static func whyNotOfAnother(_ name: String) -> String {
        "a process inside an app speaks for that one alone, and \(name) is another: leave app= out, "
            + "or ask from outside every app"
    }

    // MARK: Answers

    func reply(to request: ControlRequest, _ message: Message) {
        answer(.message(request.marked(message)), to: request.number, of: request.session, isLast: message.isFinal)
    }

    /// All of an answer, as lines that are made while the client reads them; the last is its final one. `begin`: called when it
    /// is their turn.
    func reply(to request: ControlRequest, lines begin: @escaping () -> ControlSession.Lines) {
        answer(.lines(begin: begin), to: request.number, of: request.session, isLast: true)
    }

    /// It is answered later, and what the same connection asks after it later still.
    func owe(_ request: ControlRequest) { request.session.answers.owe(request.number) }

    /// The number by which the core replies to it.
    private func wait(for request: ControlRequest) -> RequestID {
        if host.answersInOrder { owe(request) }
        return requests.wait(for: request)
    }

    func refuse(_ request: ControlRequest, _ code: String, _ why: String) {
        reply(to: request, Message("error", [Field("code", code), Field("message", why)]))
    }

    func accept(_ request: ControlRequest, _ fields: [Field] = []) {
        reply(to: request, Message("ok", fields))
    }

    /// The core's reply to a request that was kept; its client may have gone.
    func reply(_ reply: Reply, to number: RequestID) {
        guard let request = requests.take(number) else { return }
        switch reply {
        case .state(let state): accept(request, [Field("state", state.rawValue)])
        case .taskBegun(let task, let remaining):
            accept(
                request,
                [
                    Field("task", String(task.rawValue)),
                    Field("remaining", Seconds.text(nanoseconds: remaining.nanoseconds)),
                ])
        case .accepted: accept(request)
        case .taskEnded(_, let known): accept(request, known ? [] : [Field("ignored", "unknown-task")])
        case .rejected(.keepAliveTooShort): refuseKeepAlive(request)
        case .rejected(let rejection):
            let invalid = request.message.verb == ControlVerb.begin.rawValue ? [Field("task", "0")] : []
            let fields = [Field("code", rejection.rawValue), Field("message", rejection.message)] + invalid
            self.reply(to: request, Message("error", fields))
        }
    }

    /// With what it may ask for.
    private func refuseKeepAlive(_ request: ControlRequest) {
        let rejection = Rejection.keepAliveTooShort
        let minimum = request.session.app.flatMap { host.app($0) }?.policy.keepAliveMinimum ?? .zero
        let message = rejection.message + ": " + HumanText.duration(nanoseconds: minimum.nanoseconds)
        reply(
            to: request,
            Message(
                "error",
                [
                    Field("code", rejection.rawValue), Field("message", message),
                    Field("minimum", Seconds.text(nanoseconds: minimum.nanoseconds)),
                ]))
    }

    // MARK: The app's requests

    private func hello(_ request: ControlRequest, _ app: AppID) {
        guard let state = host.app(app)?.state else { return }
        accept(
            request,
            [Field("version", "1"), Field("app", host.name(of: app)), Field("state", state.rawValue)])
        host.feed(.app(app, .hello(request.session.id)))
    }

    private func acknowledge(_ request: ControlRequest, _ app: AppID) {
        guard let sequence = request.message["seq"].flatMap(Int.init) else {
            refuse(request, "invalid", "ack needs seq=NUMBER")
            return
        }
        host.feed(.app(app, .acknowledge(sequence: sequence)))
        // As in the protocol's example, an acknowledgement is answered only when asked to by an id.
        if request.id != nil { accept(request) }
    }

    /// An acknowledgement that tells what has come of the event.
    private func completed(_ request: ControlRequest, _ app: AppID) {
        guard let sequence = request.message["seq"].flatMap(Int.init),
            let result = Self.result(request.message)
        else {
            let results = FetchResult.allCases.map(\.rawValue).joined(separator: ", ")
            return refuse(
                request, "invalid",
                "completed needs seq=NUMBER, and result=, one of \(results), or success=, true or false")
        }
        if let event = host.app(app)?.unacknowledgedEvent(sequence) { host.completed(event, result, by: app) }
        acknowledge(request, app)
    }

    /// Requests succeed or fail, and whatever has succeeded counts as something new.
    private static func result(_ message: Message) -> FetchResult? {
        switch (message["result"], message["success"]) {
        case (let word?, nil): FetchResult(rawValue: word)
        case (nil, "true"): .newData
        case (nil, "false"): .failed
        default: nil
        }
    }

    /// As `wake` does, for whoever has asked something else.
    func wake(_ request: ControlRequest, _ event: PostedEvent, _ app: AppID) {
        var request = request
        request.app = app
        host.feed(.app(app, .wake(event, request: wait(for: request))))
    }

    private func begin(_ request: ControlRequest, _ app: AppID) {
        let owner: OwnerID
        do throws(TaskOwners.Problem) {
            owner = try self.owner(named: request.message["owner"], request.session, app)
        } catch {
            let fields = [Field("code", error.code), Field("message", error.message), Field("task", "0")]
            reply(to: request, Message("error", fields))
            return
        }
        let title = Self.taskName(request.message["name"] ?? "")
        host.feed(
            .app(
                app,
                .beginTask(
                    name: title, owner: owner, connection: request.session.id, request: wait(for: request))))
    }

    private static func taskName(_ name: String) -> String {
        guard name.utf8.count > maximumTaskNameBytes else { return name }
        var cut = Substring(name)
        while cut.utf8.count > maximumTaskNameBytes { cut.removeLast() }
        return String(cut)
    }

    private func end(_ request: ControlRequest, _ app: AppID) {
        guard let task = request.message["task"].flatMap(Int.init) else {
            refuse(request, "invalid", "end needs task=NUMBER")
            return
        }
        host.feed(.app(app, .endTask(TaskID(task), request: wait(for: request))))
    }

    private func remaining(_ request: ControlRequest, _ app: AppID) {
        guard let left = host.remaining(of: app) else { return }
        accept(request, [Field("seconds", Seconds.text(nanoseconds: left.nanoseconds))])
    }

    private func keepAlive(_ request: ControlRequest, _ app: AppID) {
        guard let nanoseconds = Seconds.parse(request.message["seconds"] ?? "0"), nanoseconds >= 0 else {
            refuse(request, "invalid", "keep-alive needs seconds=NUMBER, 0 or none to end it")
            return
        }
        let interval = Span(nanoseconds: nanoseconds)
        host.feed(.app(app, .keepAlive(interval, request: wait(for: request))))
    }

    // MARK: Owners

    /// The sender itself, the leader, or a process of the app that lives.
    private func owner(
        named name: String?, _ session: ControlSession, _ app: AppID
    ) throws(TaskOwners.Problem) -> OwnerID {
        let pid: Int32
        if let name, name != "leader" {
            guard let number = Int32(name), number > 0 else { throw .invalid }
            pid = number
        } else {
            pid = name == nil ? session.peer.pid : host.mainPid(of: app)
        }
        if pid == host.livingLeader(of: app) { return TaskOwners.leader }
        return try owners.watch(
            pid, of: app, allows: { descriptors.allows($0.number, forApp: true) },
            isOfApp: { host.contains($0, app: app) },
            hasTasks: { owner in host.app(app)?.tasks.contains { $0.owner == owner } ?? false })
    }

    func ownerExited(_ id: OwnerID) {
        if let app = owners.exited(id) { host.feed(.app(app, .ownerExited(id))) }
    }

    // MARK: The front

    /// Of one that is being ended the core would answer the state that it is in, and nothing would come of that: who asks
    /// is told, so as to ask again.
    private func open(_ request: ControlRequest, _ app: AppID) {
        if let rejection = host.app(app)?.rejectionOfOpening {
            return refuse(request, rejection.rawValue, rejection.message)
        }
        host.clientOpens(app)
        host.feed(.app(app, .open(request: wait(for: request))))
    }

    // MARK: Sleep

    private func sleep(_ request: ControlRequest, _ app: AppID) {
        // A debugger that has come since shows.
        host.prepareStatus(of: app)
        let stays = request.message["stay"] == "1"
        let sleptAlready = host.app(app).map { $0.isAsleep && $0.state == .suspended } ?? false
        host.feed(.app(app, .sleep(stays: stays, request: wait(for: request))))
        // Until it is opened that is home, for the terminal too. Of one that falls asleep its new state tells.
        if stays, sleptAlready { host.clientSentHome(app) }
    }

    // MARK: What others tell the app

    private func warn(_ request: ControlRequest, _ app: AppID) {
        let level = MemoryWarningLevel(rawValue: request.message["level"] ?? MemoryWarningLevel.warning.rawValue)
        guard let level else {
            refuse(request, "invalid", "level is warning or critical")
            return
        }
        host.feed(.app(app, .warn(level, request: wait(for: request))))
    }

    /// Of the whole machine, as this supervisor sees it. `app`: whose state is told.
    private func pressure(_ request: ControlRequest, _ app: AppID?) {
        guard let level = PressureLevel.allCases.first(where: { $0.name == request.message["level"] }) else {
            refuse(request, "invalid", "pressure needs level=normal, warning or critical")
            return
        }
        // Before what may end the app, and all this with it.
        accept(request, app.map { [Field("state", (host.app($0)?.state ?? .notRunning).rawValue)] } ?? [])
        host.feed(.machine(.pressureSimulated(level)))
    }

    /// What `post` and `wake` carry; nil once it was refused.
    private func postedEvent(_ request: ControlRequest, _ event: (String) -> Event) -> PostedEvent? {
        let name = request.message["name"] ?? ""
        guard Event.canBePosted(name) else {
            refuse(request, "invalid", "\(request.message.verb) needs name=NAME, and none of the lifecycle's")
            return nil
        }
        let info = request.message.info
        guard info.count <= Info.maximumCount, info.allSatisfy({ Event.isWord($0.key) }) else {
            refuse(request, "invalid", "at most \(Info.maximumCount) pairs info.KEY=VALUE, KEY a word")
            return nil
        }
        let posted = PostedEvent(name, info)
        guard posted.fitsOneLine(as: event(name)) else {
            refuse(request, "invalid", "it doesn't fit a line of \(LineReader.maximumLineBytes) bytes")
            return nil
        }
        return posted
    }

    // MARK: Seeing

    private func tasks(_ request: ControlRequest, _ id: AppID) {
        reply(to: request) { [unowned self] in
            guard let app = host.app(id) else { return Self.marked(Self.gone(), for: request) }
            let final = Message("ok", [Field("count", String(app.tasks.count))])
            return Self.marked(Self.lines(taskLines(of: app), then: final), for: request)
        }
    }

    /// Each task that is open now.
    private func taskLines(of app: App) -> ControlSession.Lines {
        var tasks = app.tasks[...]
        let now = host.lifecycleNow
        return {
            guard let task = tasks.popFirst() else { return nil }
            return Message(
                "task",
                [
                    Field("task", String(task.id.rawValue)), Field("name", task.name),
                    Field("age", Seconds.text(nanoseconds: (now - task.begun).nanoseconds)),
                ])
        }
    }

    private func status(_ request: ControlRequest, _ id: AppID) {
        reply(to: request) { [unowned self] in Self.marked(statusLines(of: id, as: "ok") ?? Self.gone(), for: request) }
    }

    /// The tasks of an app, and then, as that verb, its status; nil where it has ended.
    private func statusLines(of id: AppID, as verb: String) -> ControlSession.Lines? {
        host.prepareStatus(of: id)
        guard let app = host.app(id) else { return nil }
        return Self.lines(taskLines(of: app), then: Message(verb, host.statusFields(of: app)))
    }

    private static func gone() -> ControlSession.Lines {
        lines({ nil }, then: Message("error", [Field("code", "no-app"), Field("message", whyEnded)]))
    }

    /// The status of each app that runs: looked at when it is its turn, so that thousands hold up nobody.
    func statusOfAll(_ request: ControlRequest) {
        reply(to: request) { [unowned self] in
            var apps = host.allApps.sorted { host.name(of: $0) < host.name(of: $1) }[...]
            var count = 0
            let each = Self.joined { [unowned self] in
                guard let app = apps.popFirst() else { return nil }
                guard let lines = statusLines(of: app, as: ControlVerb.status.rawValue) else { return { nil } }
                count += 1
                return lines
            }
            return Self.marked(
                Self.lines(each, then: { Message("ok", [Field("count", String(count))]) }), for: request)
        }
    }

    private func events(_ request: ControlRequest, _ app: AppID) {
        reply(to: request) { [unowned self] in
            let name = host.name(of: app)
            return past(host.recentEvents(of: app).map { ($0, name) }, then: .app(app), for: request)
        }
    }

    /// The last ones of all apps, in the order of their times.
    private func eventsOfAll(_ request: ControlRequest) {
        reply(to: request) { [unowned self] in
            let all = host.allApps.sorted { $0.rawValue < $1.rawValue }
            let recent = RecentEvents(of: all.map { host.recentEvents(of: $0) })
            let last = recent.last(EventLog.capacity).map { (entry: $0.entry, app: host.name(of: all[$0.log])) }
            return past(last, then: .all, for: request)
        }
    }

    /// What there was, unmarked as what comes; who follows hears of what comes from now on, behind it.
    private func past(
        _ events: [(entry: EventLog.Entry, app: String)], then followed: ControlSession.Followed,
        for request: ControlRequest
    ) -> ControlSession.Lines {
        if request.message["follow"] == "1" { add(follower: request.session, of: followed) }
        var left = events[...]
        let past = { left.popFirst().map { $0.entry.message(app: $0.app) } }
        return Self.lines(past, then: request.marked(Message("ok")))
    }
}
