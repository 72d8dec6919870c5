import CurfewCore
import CurfewWire

/// What a member of a server needs of whoever holds its app. One in the tests is a list of lines.
protocol MembershipHost: AnyObject {
    var appState: LifecycleState? { get }
    /// Whether it is being ended.
    var isAppEnding: Bool { get }
    func send(_ message: Message, to session: ControlSession)
    /// From this end.
    func close(_ session: ControlSession)
    func accept(_ request: ControlRequest, _ fields: [Field])
    func refuse(_ request: ControlRequest, _ code: String, _ why: String)
    func joined(_ server: String)
    /// It takes part no more, or couldn't; why, as the end of a sentence.
    func parted(_ server: String, because reason: String)
}

/// `curfew run --join`: its app takes part in a server's front and task list. The app's own supervisor tells the server where
/// it stands, and sends it home or opens it when the server asks.
///
/// Whichever of the two ends first: the other goes on alone.
final class ServerMembership {
    let server: String
    private unowned let host: any MembershipHost
    private var name = ""
    private var pid: Int32 = 0
    private var state = LifecycleState.notRunning
    /// As the server was told last.
    private var isEnding = false
    /// Of the last word to the server.
    private var number = 0
    /// Of the last one that has told of an opening.
    private var lastOpening = 0
    private var hasJoined = false
    /// Nil before the first word, and once it takes part no more.
    private var session: ControlSession?

    private static let firstRequest = "1"

    init(server: String, host: any MembershipHost) {
        self.server = server
        self.host = host
    }

    /// The first word. `session`: the connection to the server.
    func begin(_ name: String, pid: Int32, _ state: LifecycleState, by session: ControlSession) {
        self.name = name
        self.pid = pid
        self.state = state
        self.session = session
        tell()
    }

    /// Whether the server has let it in, and is there.
    var takesPart: Bool { hasJoined && session != nil }

    // MARK: What the server is told

    /// Before `begin` nothing is.
    func stateChanged(to state: LifecycleState) {
        guard session != nil, state != self.state, state != .notRunning else { return }
        let wasInForeground = self.state.isForeground
        self.state = state
        tell(isOpening: !wasInForeground && state.isForeground)
    }

    func pidChanged(to pid: Int32) {
        guard session != nil else { return }
        self.pid = pid
        tell()
    }

    /// To be called when anything has happened: that its app is being ended no change of its state tells.
    func look() {
        guard session != nil, !isEnding, host.isAppEnding else { return }
        isEnding = true
        tell()
    }

    private func tell(isOpening: Bool = false) {
        guard let session else { return }
        number += 1
        if isOpening { lastOpening = number }
        let id = number == 1 ? [Field("id", Self.firstRequest)] : []
        let fields = [
            Field("app", name), Field("pid", String(pid)), Field("state", state.rawValue),
            Field("number", String(number)),
        ]
        let end = isEnding ? [Field("ending", "1")] : []
        host.send(Message(ControlVerb.join.rawValue, id + fields + end), to: session)
    }

    // MARK: What it says

    /// It asks for home and open, as any operator, and for nothing else. False where that is to be done, and for anybody else's
    /// request.
    func answer(_ request: ControlRequest, _ verb: ControlVerb) -> Bool {
        guard request.session === session else { return false }
        guard verb == .home || verb == .open else {
            host.refuse(request, "forbidden", "a server asks who takes part for home and open, and nothing else")
            return true
        }
        guard verb == .home, isStale(request.message) else { return false }
        host.accept(request, [Field("state", (host.appState ?? .notRunning).rawValue)])
        return true
    }

    /// Whether it isn't meant any more: it asks who had been opened to go home, but that one has been opened since, and the server
    /// hears of it next.
    private func isStale(_ message: Message) -> Bool {
        message["seen"].flatMap { Int($0) }.map { $0 < lastOpening } == true
    }

    /// It has answered; false where it was another.
    func took(_ answer: Message, from sender: ControlSession) -> Bool {
        guard let session, session === sender else { return false }
        guard !hasJoined, answer["id"] == Self.firstRequest else { return true }
        if answer.verb == "ok" {
            hasJoined = true
            host.joined(server)
        } else {
            self.session = nil
            host.parted(server, because: answer["message"] ?? "it gave no reason")
            host.close(session)
        }
        return true
    }

    /// A connection is closed from its other end, or for not being read there.
    func closed(_ connection: ConnectionID) {
        guard session?.id == connection else { return }
        session = nil
        host.parted(server, because: "it has ended")
    }
}
