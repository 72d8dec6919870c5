import CurfewEngine
import CurfewLinux
import CurfewWire
import Glibc

/// Finds the supervisor of an app by its name, or by the pid of its program, its `curfew run` or its supervisor.
package struct AppLookup {
    let verb: String
    private let directory = RuntimeDirectory.ofThisUser()

    package init(verb: String) { self.verb = verb }

    /// The running apps' status, by name; says which supervisors don't answer.
    package func all() -> [AppStatus] {
        directory.sweep()
        return directory.names().compactMap { status(of: $0) }
    }

    private func status(of name: String) -> AppStatus? {
        let path = directory.socketPath(name)
        do throws(ControlClient.Failure) {
            var client = try ControlClient(path: path)
            return AppStatus(try client.request(Message("status", [Field("id", "1")])))
        } catch {
            // A socket left over, an app that ends this moment, or one that isn't ours to see: nothing to list.
            if case .broken = error { StandardError.print(error.explained(verb, .named(name, path: path)).line) }
            return nil
        }
    }

    /// One of `all`.
    func target(_ app: AppStatus) -> AppTarget { .named(app.name, path: directory.socketPath(app.name)) }

    /// The app that `app` names, or that is meant when nothing is; nil when none runs.
    ///
    /// Throws for what can't be a name, and when several apps could be meant.
    package func target(of app: String?) throws(UsageError) -> AppTarget? {
        guard let app else { return try onlyTarget() }
        guard isPid(app) else {
            guard AppName.isValid(app) else {
                throw UsageError(verb, "\"\(app)\" is neither a name nor a pid; a name is \(AppName.accepted)")
            }
            return .named(app, path: directory.socketPath(app))
        }
        let matches = all().filter { $0.answers(toPid: app) }
        if matches.count > 1 {
            throw UsageError(verb, "the pid \(app) could mean \(listed(matches)); say which by name")
        }
        guard let match = matches.first else { return .missing(pid: app, path: directory.socketPath(app)) }
        return .named(match.name, path: directory.socketPath(match.name), subject: app)
    }

    /// The one we are in, or the only one.
    private func onlyTarget() throws(UsageError) -> AppTarget? {
        if let path = AppLookup.inheritedSocket() { return .inherited(path) }
        let running = all()
        if running.count > 1 { throw UsageError(verb, "several apps are running; say which: \(listed(running))") }
        return running.first.map { .named($0.name, path: directory.socketPath($0.name)) }
    }

    /// The control socket of the app this process is in.
    static func inheritedSocket() -> String? {
        guard let path = getenv("CURFEW_SOCKET"), path[0] != 0 else { return nil }
        return String(cString: path)
    }

    private func isPid(_ app: String) -> Bool {
        app.utf8.allSatisfy { (48...57).contains($0) } && Int32(app).map { $0 > 0 } == true
    }

    private func listed(_ apps: [AppStatus]) -> String { apps.map(\.name).joined(separator: ", ") }
}
