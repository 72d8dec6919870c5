import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// `--join`: the app takes part in a server's front and task list.
extension RunHost {
    /// Before anything is started. Where no server is there the app runs on its own, which is said; under `--strict` nothing is
    /// started.
    func connectToServer() throws(LaunchError) {
        guard let server = options.joinedServer else { return }
        try connect(to: server, at: RuntimeDirectory.ofThisUser().serverSocketPath(server))
    }

    func connect(to server: String, at path: String) throws(LaunchError) {
        guard let problem = connect(to: path) else {
            membership = ServerMembership(server: server, host: self)
            return
        }
        let text =
            problem == ENOENT || problem == ECONNREFUSED
            ? "no server called \(server) is running"
            : "can't reach the server \(server) at \(path): "
                + String(cString: strerror(problem))
        if options.isStrict { throw LaunchError(69, "--join: \(text); nothing was started") }
        StandardError.print("\(options.caller): --join: \(text); COMMAND runs without one")
    }

    /// Nil once it is there; else the errno.
    private func connect(to path: String) -> Int32? {
        let number = curfew_unix_connect(path, 1)
        if number < 0 { return -number }
        var connection = Descriptor(number)
        var peer = curfew_sender()
        // Ours, or root's, who may do as he likes anyway.
        guard curfew_peer(number, &peer) == 0, [geteuid(), getuid(), 0].contains(peer.uid) else {
            connection.close()
            return EPERM
        }
        serverConnection = connection
        return nil
    }

    /// The program runs, and requests can be answered.
    func join(_ instance: Instance) {
        guard let membership, let control else { return }
        let session = control.addServer(serverConnection)
        membership.begin(instance.name, pid: instance.mainPid, appState ?? .notRunning, by: session)
    }

    /// At once, but where it would be written over what the app shows.
    func say(_ words: String) {
        lateWords.append(words)
        if console?.hasTerminal != true || appState?.isForeground != true { sayLateWords() }
    }

    func sayLateWords() {
        for words in lateWords { StandardError.print(words) }
        lateWords = []
    }
}

extension RunHost: MembershipHost {
    var isAppEnding: Bool { engine.core.app(Self.app)?.rejectionOfOpening != nil }

    func send(_ message: Message, to session: ControlSession) { control?.send(message, to: session) }

    func close(_ session: ControlSession) { control?.drop(session, because: nil) }

    func accept(_ request: ControlRequest, _ fields: [Field]) { control?.accept(request, fields) }

    func refuse(_ request: ControlRequest, _ code: String, _ why: String) { control?.refuse(request, code, why) }

    func joined(_ server: String) { record(.joined(server: server), of: Self.app) }

    func parted(_ server: String, because reason: String) {
        record(.parted(server: server, reason: reason), of: Self.app)
        say("\(options.caller): \(draft.name) takes no part in the server \(server): \(reason); it runs on alone")
    }
}
