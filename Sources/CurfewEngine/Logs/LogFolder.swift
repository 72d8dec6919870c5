import CurfewLinux

/// Where the output of a server's apps is kept: two files an app, the older one whole.
public struct LogFolder: Hashable, Sendable {
    public let directory: StateDirectory

    public init(_ directory: StateDirectory) { self.directory = directory }

    /// `$XDG_STATE_HOME/curfew/logs`; nil where no home is known.
    public static func ofThisUser() -> LogFolder? { StateDirectory.ofThisUser("curfew/logs").map { LogFolder($0) } }

    /// The file that is written to.
    public func path(of app: String) -> String { directory.path + "/" + Self.fileName(app) }

    /// The one before it.
    public func earlierPath(of app: String) -> String { directory.path + "/" + Self.earlierFileName(app) }

    static func fileName(_ app: String) -> String { app + ".log" }
    static func earlierFileName(_ app: String) -> String { app + ".log.1" }
}
