import CurfewCore
import CurfewWire

/// What takes part by `curfew run --join` takes part in: a server. One in the tests holds no apps.
protocol JoinHost: AnyObject {
    var lifecycleNow: Instant { get }
    /// Nobody comes any more.
    var isEnding: Bool { get }
    /// What it is called, to those who take part.
    var serverName: String { get }
    /// Of several in front the most recently opened one.
    var foregroundApp: AppID? { get }
    func feed(_ input: Input)
    /// Whether an app of that name is held here, and runs.
    func holds(_ name: String) -> Bool
    /// A number that no app has; whoever takes it gives it back.
    func takeNumber() -> AppID
    func giveBack(_ app: AppID)
    /// In the task list it is the most recent now.
    func joinedOpened(_ name: String)
    /// It has ended; the task list knows it no more, unless it was a held one's name too.
    func joinedLeft(_ name: String)
    func send(_ message: Message, to session: ControlSession)
    /// It is answered later.
    func owe(_ request: ControlRequest)
    func accept(_ request: ControlRequest, _ fields: [Field])
    func refuse(_ request: ControlRequest, _ code: String, _ why: String)
}

/// Those that take part in a server though other supervisors hold them: what these say, and what they are asked.
///
/// Nothing waits for an answer: who is asked to leave the front counts as gone at once, and who is asked to come as there.
final class JoinDesk {
    private unowned let host: any JoinHost
    private var apps: [JoinedApp] = []
    /// The names of the last that have ended, for the advice to who wants them back.
    private var past: [String] = []

    /// More aren't let in: each keeps a connection.
    static let maximum = 64
    private static let mostPast = 64

    init(host: any JoinHost) { self.host = host }

    var count: Int { apps.count }

    func app(named name: String) -> JoinedApp? { apps.first { $0.name == name } }

    func app(_ id: AppID) -> JoinedApp? { apps.first { $0.id == id } }

    private func app(by session: ControlSession) -> JoinedApp? { apps.first { $0.session === session } }

    /// What to do about one that isn't here any more; nil where none of that name was.
    func advice(about name: String) -> String? {
        guard past.contains(name) else { return nil }
        return "\(name) took part by `curfew run --join` and has ended; start it again in its terminal, "
            + "for no server can"
    }

    /// Answers what is about one of them; false where the request is about none.
    func answer(_ request: ControlRequest, _ verb: ControlVerb) -> Bool {
        if verb == .join {
            join(request)
            return true
        }
        guard let app = app(for: request, verb) else { return false }
        switch verb {
        case .open:
            if let rejection = app.rejectionOfOpening {
                host.refuse(request, rejection.rawValue, rejection.message)
            } else {
                open(app, for: request)
            }
        case .home: home(app, for: request)
        // Told of by whoever has the names: this one is another supervisor's.
        case .launch: return false
        default:
            let isEnd = verb == .quit || verb == .remove
            host.refuse(
                request, "joined",
                "\(app.name) only takes part here, and is its own supervisor's"
                    + (isEnd ? "; `curfew quit \(app.name)` ends it" : ""))
        }
        return true
    }

    /// Of `home` without a name whoever is in front.
    private func app(for request: ControlRequest, _ verb: ControlVerb) -> JoinedApp? {
        if apps.isEmpty { return nil }
        if let name = request.message["app"] { return app(named: name) }
        return verb == .home ? host.foregroundApp.flatMap { app($0) } : nil
    }

    // MARK: What its supervisor says

    private func join(_ request: ControlRequest) {
        guard let word = JoinedApp.Word(request.message) else {
            return host.refuse(request, "invalid", "join needs app=NAME, pid=NUMBER, state=STATE and number=NUMBER")
        }
        if let app = app(by: request.session) { return update(app, word, request) }
        if let (code, why) = obstacle(to: word.name) { return host.refuse(request, code, why) }
        let app = JoinedApp(host.takeNumber(), word, request.session, at: host.lifecycleNow)
        apps.append(app)
        past.removeAll { $0 == app.name }
        host.joinedOpened(app.name)
        host.accept(request, [Field("server", host.serverName)])
        if app.isInForeground { host.feed(.machine(.joined(app.id, .opened))) }
    }

    private func obstacle(to name: String) -> (code: String, why: String)? {
        if host.isEnding { return ("ending", "the server \(host.serverName) is ending") }
        if host.holds(name) || app(named: name) != nil {
            return ("running", "an app called \(name) runs at the server \(host.serverName) already")
        }
        if apps.count >= Self.maximum { return ("limit", "\(Self.maximum) apps have joined, as many as may") }
        return nil
    }

    private func update(_ app: JoinedApp, _ word: JoinedApp.Word, _ request: ControlRequest) {
        guard word.name == app.name else {
            return host.refuse(request, "invalid", "\(app.name) has joined by this connection, and stays its only app")
        }
        let change = app.take(word, at: host.lifecycleNow)
        if request.id != nil { host.accept(request, []) }
        guard let change else { return }
        if change == .opened { host.joinedOpened(app.name) }
        host.feed(.machine(.joined(app.id, change)))
    }

    /// Its supervisor has answered what it was asked. False for who takes no part, and was asked nothing.
    func answered(_ answer: Message, by session: ControlSession) -> Bool {
        guard let app = app(by: session) else { return false }
        let request = answer["id"].flatMap { Int($0) }.flatMap { app.answered($0) }
        // What it was asked to is done, as far as it could be: it says itself where it is, before it answers.
        if !app.isInForeground { host.feed(.machine(.joined(app.id, .wentHome))) }
        guard let request else { return true }
        if answer.verb == "ok" {
            host.accept(request, [Field("state", answer["state"] ?? app.word.state.rawValue)])
        } else {
            host.refuse(request, answer["code"] ?? "failed", answer["message"] ?? "its supervisor gave no reason")
        }
        return true
    }

    /// The connection is closed: its app has ended, or its supervisor was killed with it.
    func closed(_ session: ConnectionID) {
        guard let index = apps.firstIndex(where: { $0.session.id == session }) else { return }
        let app = apps.remove(at: index)
        if past.count == Self.mostPast { past.removeFirst() }
        past.append(app.name)
        host.joinedLeft(app.name)
        for request in app.waiting { host.refuse(request, "no-app", "\(app.name) ended before that was done") }
        host.feed(.machine(.joined(app.id, .left)))
        host.giveBack(app.id)
    }

    // MARK: What it is asked

    /// Others have come to the front.
    func sendHome(_ id: AppID) { if let app = app(id) { ask(app, .home, for: nil) } }

    /// Answered once its supervisor has.
    private func home(_ app: JoinedApp, for request: ControlRequest) {
        guard ask(app, .home, for: request) else { return }
        host.feed(.machine(.joined(app.id, .wentHome)))
    }

    /// Whoever is in front goes home first. `request`: nil where nobody waits until it is there.
    func open(_ app: JoinedApp, for request: ControlRequest?) {
        host.feed(.machine(.joined(app.id, .opened)))
        guard ask(app, .open, for: request) else { return }
        host.joinedOpened(app.name)
    }

    @discardableResult
    private func ask(_ app: JoinedApp, _ verb: ControlVerb, for request: ControlRequest?) -> Bool {
        guard let line = app.ask(verb, for: request) else {
            if let request {
                host.refuse(request, "busy", "\(app.name): its supervisor hasn't answered yet; try again")
            }
            return false
        }
        if let request { host.owe(request) }
        host.send(line, to: app.session)
        return true
    }
}
