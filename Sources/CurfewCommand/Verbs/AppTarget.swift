/// An app to talk to: where its supervisor listens, and how to speak of it.
package struct AppTarget {
    package let path: String
    /// What the user called it.
    package let subject: String
    /// What is wrong when nobody listens there.
    let absence: String

    /// `subject`: what was typed, when it wasn't the name.
    static func named(_ name: String, path: String, subject: String? = nil) -> AppTarget {
        AppTarget(
            path: path, subject: subject ?? name,
            absence: "no app called \(name) is running; `curfew ps` lists those that are")
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
