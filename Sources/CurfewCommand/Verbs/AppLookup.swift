import CurfewEngine
import CurfewLinux
import CurfewWire
import Glibc

/// Finds the supervisor of an app by its name, or by the pid of its program, its `curfew run` or its supervisor; and of a
/// server's app, by any pid of its tree, the server.
package struct AppLookup {
    let verb: String
    private let directory: RuntimeDirectory
    /// The server that somebody has asked for.
    private let server: String?
    /// What the environment says; nil for what is empty. The process's own, but in tests.
    var variable: (String) -> String? = AppLookup.environment

    /// The server that is meant where nobody says which.
    static let usualServer = "home"

    /// `server`: the one that holds the apps that are meant; nil: whoever has their names.
    package init(verb: String, server: String? = nil, directory: RuntimeDirectory = .ofThisUser()) {
        self.verb = verb
        self.server = server
        self.directory = directory
    }

    // MARK: All

    /// The running apps' status, by name; says which supervisors don't answer.
    package func all() -> [AppStatus] {
        (ownSupervisors() + directory.servers().flatMap { apps(of: $0) }).sorted { $0.name < $1.name }
    }

    /// Those that have a supervisor of their own, as `curfew run` makes it.
    func ownSupervisors() -> [AppStatus] {
        directory.sweep()
        return directory.names().filter { directory.server(of: $0) == nil }.compactMap { status(of: $0) }
    }

    private func status(of name: String) -> AppStatus? {
        let path = directory.socketPath(name)
        do throws(ControlClient.Failure) {
            var client = try ControlClient(path: path)
            return AppStatus(try client.request(Message("status", [Field("id", "1")])))
        } catch {
            complain(error, of: .named(name, path: path))
            return nil
        }
    }

    /// Those of a server that run; at one request, however many there are.
    private func apps(of server: String) -> [AppStatus] {
        let target = AppTarget.served(nil, by: server, path: directory.serverSocketPath(server))
        do throws(ControlClient.Failure) {
            var client = try ControlClient(target)
            return try Self.apps(of: server, &client)
        } catch {
            complain(error, of: target)
            return []
        }
    }

    /// At one request: the tasks of each stand before its status.
    static func apps(of server: String, _ client: inout ControlClient) throws(ControlClient.Failure) -> [AppStatus] {
        var (apps, tasks): ([AppStatus], [Message]) = ([], [])
        for item in try client.request(Message("status", [Field("id", "1")])).items {
            if item.verb == "task" { tasks.append(item) }
            guard item.verb == "status" else { continue }
            apps.append(AppStatus(ControlClient.Answer(items: tasks, final: item), server: server))
            tasks = []
        }
        return apps
    }

    private func complain(_ failure: ControlClient.Failure, of target: AppTarget) {
        switch failure {
        case .broken, .late: StandardError.print(failure.explained(verb, target).line)
        // A socket left over, an app that ends this moment, or one that isn't ours to see: nothing to list.
        case .unavailable, .untrusted, .ended, .refused: break
        }
    }

    // MARK: One

    /// One of `all`.
    func target(_ app: AppStatus, subject: String? = nil) -> AppTarget {
        guard let server = app.server else {
            return .named(app.name, path: directory.socketPath(app.name), subject: subject)
        }
        let path = directory.serverSocketPath(server)
        return .named(app.name, path: path, subject: subject, isServed: true)
    }

    /// The app that `app` names, or that is meant when nothing is; nil when none runs.
    ///
    /// Throws for what can't be a name, and when several apps could be meant.
    package func target(of app: String?) throws(UsageError) -> AppTarget? {
        guard let app else { return try onlyTarget() }
        if isPid(app) { return try target(ofPid: app) }
        try check(app)
        if let server { return .served(app, by: server, path: directory.serverSocketPath(server)) }
        guard let server = directory.server(of: app) else { return .named(app, path: directory.socketPath(app)) }
        // Not by the name, which goes with the app's end: the server tells then that it doesn't run, or opens it.
        return .named(app, path: directory.serverSocketPath(server), isServed: true)
    }

    /// The same; one that doesn't run, as far as names tell, is the usual server's, where there is that: it may know what it
    /// is, or have known it.
    func target(ofAny app: String) throws(UsageError) -> AppTarget {
        guard let target = try target(of: app), !isPid(app), server == nil, target.app == nil,
            !directory.isTaken(app)
        else { return try target(of: app) ?? .missing(pid: app, path: directory.socketPath(app)) }
        let server = try chosenServer()
        guard directory.isThere(server: server) else { return target }
        return .served(app, by: server, path: directory.serverSocketPath(server))
    }

    private func target(ofPid pid: String) throws(UsageError) -> AppTarget {
        let matches = ownSupervisors().filter { $0.answers(toPid: pid) } + served(pid: pid)
        if matches.count > 1 {
            throw UsageError(verb, "the pid \(pid) could mean \(listed(matches)); say which by name")
        }
        guard let match = matches.first else { return .missing(pid: pid, path: directory.socketPath(pid)) }
        return target(match, subject: pid)
    }

    /// The servers' app that has this process in its tree.
    private func served(pid: String) -> [AppStatus] {
        directory.servers().compactMap { server in
            let target = AppTarget.served(pid, by: server, path: directory.serverSocketPath(server))
            do throws(ControlClient.Failure) {
                var client = try ControlClient(target)
                return AppStatus(try client.request(Message("status", [Field("id", "1")])), server: server)
            } catch {
                complain(error, of: target)
                return nil
            }
        }
    }

    /// The one we are in, or the only one.
    private func onlyTarget() throws(UsageError) -> AppTarget? {
        if let path = variable("CURFEW_SOCKET") { return .inherited(path) }
        let running = all()
        if running.count > 1 { throw UsageError(verb, "several apps are running; say which: \(listed(running))") }
        return running.first.map { target($0) }
    }

    // MARK: Servers

    /// The server that is meant: asked for, else that of CURFEW_SERVER, else the usual one.
    ///
    /// Throws where CURFEW_SERVER is no name.
    func serverTarget() throws(UsageError) -> AppTarget {
        let server = try chosenServer()
        return .served(nil, by: server, path: directory.serverSocketPath(server))
    }

    /// Every server there is; only the one that was asked for, if one was.
    func serverTargets() -> [AppTarget] {
        (server.map { [$0] } ?? directory.servers()).map {
            .served(nil, by: $0, path: directory.serverSocketPath($0))
        }
    }

    var isServerAskedFor: Bool { server != nil }

    /// Where orders are left for the server.
    var orderFolder: RuntimeDirectory { directory.serverFolder }

    func chosenServer() throws(UsageError) -> String {
        if let server { return server }
        guard let name = variable("CURFEW_SERVER") else { return Self.usualServer }
        guard AppName.isValid(name) else {
            throw UsageError(verb, "CURFEW_SERVER: \"\(name)\" isn't a server's name; it is \(AppName.accepted)")
        }
        return name
    }

    private func check(_ app: String) throws(UsageError) {
        guard AppName.isValid(app) else {
            throw UsageError(verb, "\"\(app)\" is neither a name nor a pid; a name is \(AppName.accepted)")
        }
    }

    /// The control socket of the app this process is in.
    static func inheritedSocket() -> String? { environment("CURFEW_SOCKET") }

    private static func environment(_ name: String) -> String? {
        guard let text = getenv(name), text[0] != 0 else { return nil }
        return String(cString: text)
    }

    private func isPid(_ app: String) -> Bool {
        app.utf8.allSatisfy { (48...57).contains($0) } && Int32(app).map { $0 > 0 } == true
    }

    private func listed(_ apps: [AppStatus]) -> String { apps.map(\.name).joined(separator: ", ") }
}
