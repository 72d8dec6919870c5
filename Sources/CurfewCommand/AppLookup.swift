import CurfewEngine
import CurfewLinux
import CurfewWire
import Glibc

/// Finds the supervisor of an app by its name, or by the pid of its program or of its `curfew run`.
struct AppLookup {
    let directory = RuntimeDirectory.ofThisUser()

    /// The running apps' status, by name.
    func all() -> [AppStatus] {
        directory.names().compactMap { name in
            guard var client = try? ControlClient(path: directory.socketPath(name)),
                let answer = try? client.request(Message("status", [Field("id", "1")]))
            else { return nil }
            return AppStatus(answer)
        }
    }

    /// The socket of `app`. Throws `UsageError` for what can't be a name, and when several apps answer to it.
    func socket(of app: String, verb: String) throws(UsageError) -> String {
        if Int32(app) == nil {
            guard AppName.isValid(app) else {
                throw UsageError(verb, "\"\(app)\" is neither a name nor a pid; a name is \(AppName.accepted)")
            }
            return directory.socketPath(app)
        }
        let matches = all().filter { $0.answers(toPid: app) }
        if matches.count > 1 {
            let names = matches.map(\.name).joined(separator: ", ")
            throw UsageError(verb, "\(app) could be any of \(names); say which by name")
        }
        return directory.socketPath(matches.first?.name ?? app)
    }

    /// The app that is meant when none is named: the one we are in, or the only one.
    func onlySocket(verb: String) throws(UsageError) -> String? {
        if let inherited = getenv("CURFEW_SOCKET") { return String(cString: inherited) }
        let running = all()
        if running.count > 1 {
            throw UsageError(verb, "say which app: \(running.map(\.name).joined(separator: ", "))")
        }
        return running.first.map { directory.socketPath($0.name) }
    }
}
