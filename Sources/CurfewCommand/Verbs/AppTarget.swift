/// An app to talk to: where its supervisor listens, and how to speak of it.
package struct AppTarget {
    package let path: String
    /// What the user called it.
    package let subject: String
    /// What is wrong when nobody listens there.
    let absence: String
    /// The name that a server knows it by; nil where a supervisor of one app answers, or none is meant.
    var app: String?

    /// `subject`: what was typed, when it wasn't the name. `isServed`: whether the name leads to a server.
    static func named(
        _ name: String, path: String, subject: String? = nil, isServed: Bool = false
    ) -> AppTarget {
        AppTarget(
            path: path, subject: subject ?? name,
            absence: "no app called \(name) is running; `curfew ps` lists those that are",
            app: isServed ? name : nil)
    }

    /// An app of the server that listens there, by its name or a pid, whether it runs or not; nil: the server itself.
    static func served(_ app: String?, by server: String, path: String) -> AppTarget {
        AppTarget(
            path: path, subject: app ?? "the server \(server)",
            absence: "no server called \(server) is running; `curfew serve` starts one", app: app)
    }

    static func missing(pid: String, path: String) -> AppTarget {
        AppTarget(
            path: path, subject: pid,
            absence: "no app has the pid \(pid); `curfew ps` lists those that run, with their pids")
    }

    /// The app this process is in, by its environment.
    static func inherited(_ path: String) -> AppTarget {
        AppTarget(
            path: path, subject: path,
            absence: "the app of this environment has ended: nobody listens at CURFEW_SOCKET, \(path)")
    }
}
