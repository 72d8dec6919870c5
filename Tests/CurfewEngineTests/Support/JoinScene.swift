import CurfewCore
import CurfewLinux
import CurfewWire
import Testing

@testable import CurfewEngine

/// A server with one app, `backup`, which is in front; each of its clients may be one that takes part.
final class JoinScene: JoinHost {
    let control = ControlScene()
    private(set) lazy var desk = JoinDesk(host: self)
    private var numbers = 1
    /// The task list, the most recent first.
    private(set) var listed: [String] = ["backup"]
    var isEnding = false

    init() {
        control.answersInOrder = true
        control.serves = { [unowned self] in desk.answer($0, $1) || open($0, $1) }
        control.takes = { [unowned self] in desk.answered($0, by: $1) }
        control.forgets = { [unowned self] in desk.closed($0) }
        control.sendsHome = { [unowned self] in desk.sendHome($0) }
    }

    /// As a server does what isn't about those that take part.
    private func open(_ request: ControlRequest, _ verb: ControlVerb) -> Bool {
        guard verb == .switch, let app = control.engine.core.previousForegroundApp else { return false }
        if let joined = desk.app(app) { desk.open(joined, for: nil) } else { feed(.app(app, .open(request: nil))) }
        accept(request, [])
        return true
    }

    var front: [AppID] { control.engine.core.foregroundApps }
    /// By their names.
    var frontNames: [String] { front.map { desk.app($0)?.name ?? control.name(of: $0) } }

    var serverName: String { "home" }
    var foregroundApp: AppID? { front.first }
    var lifecycleNow: Instant { control.lifecycleNow }
    func feed(_ input: Input) { control.engine.feed(input) }
    func holds(_ name: String) -> Bool { name == "backup" }
    func takeNumber() -> AppID {
        numbers += 1
        return AppID(numbers)
    }
    private(set) var given: [AppID] = []
    func giveBack(_ app: AppID) { given.append(app) }
    func joinedOpened(_ name: String) { listed = [name] + listed.filter { $0 != name } }
    func joinedLeft(_ name: String) { listed.removeAll { $0 == name } }
    func send(_ message: Message, to session: ControlSession) { control.control.send(message, to: session) }
    func owe(_ request: ControlRequest) { control.control.owe(request) }
    func accept(_ request: ControlRequest, _ fields: [Field]) { control.control.accept(request, fields) }
    func refuse(_ request: ControlRequest, _ code: String, _ why: String) {
        control.control.refuse(request, code, why)
    }
}

/// A supervisor of one app that takes part in a server, over a real connection.
final class MemberScene: MembershipHost {
    let control = ControlScene()
    private(set) lazy var membership = ServerMembership(server: "home", host: self)
    /// What was told of it.
    private(set) var told: [String] = []

    init() {
        control.serves = { [unowned self] in membership.answer($0, $1) }
        control.takes = { [unowned self] in membership.took($0, from: $1) }
        control.forgets = { [unowned self] in membership.closed($0) }
        control.changes = { [unowned self] in membership.stateChanged(to: $0) }
    }

    /// Its app's name at the server.
    func join(_ server: JoinScene, as name: String = "vim") {
        let session = control.control.addServer(server.control.connection())
        membership.begin(name, pid: 42, control.app(.a)?.state ?? .notRunning, by: session)
    }

    var state: LifecycleState? { control.app(.a)?.state }
    var appState: LifecycleState? { state }
    var isAppEnding: Bool { control.app(.a)?.rejectionOfOpening != nil }
    func send(_ message: Message, to session: ControlSession) { control.control.send(message, to: session) }
    func close(_ session: ControlSession) { control.control.drop(session, because: nil) }
    func accept(_ request: ControlRequest, _ fields: [Field]) { control.control.accept(request, fields) }
    func refuse(_ request: ControlRequest, _ code: String, _ why: String) {
        control.control.refuse(request, code, why)
    }
    func joined(_ server: String) { told.append("joined \(server)") }
    func parted(_ server: String, because reason: String) { told.append("parted \(server): \(reason)") }
}

/// Until none of them has anything to do.
func settle(_ scenes: ControlScene...) {
    for _ in 0..<10_000 where !scenes.map({ $0.turn() }).contains(true) { return }
    Issue.record("something is always ready")
}
