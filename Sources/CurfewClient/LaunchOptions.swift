/// How an app was launched, and what it was told: UIKit's launch options.
public struct LaunchOptions: Hashable, Sendable {
    public var isInBackground: Bool
    /// The waking event it was launched for, which follows by itself.
    public var wakingEvent: String?
    /// The pairs of `--launch-option`, `isRestored` and `endedBecause` among them.
    public var info: [String: String]
    /// As `BackgroundTaskScheduling.stateDirectory` has it.
    public var stateDirectory: String?

    public init(
        isInBackground: Bool = false, wakingEvent: String? = nil, info: [String: String] = [:],
        stateDirectory: String? = nil
    ) {
        self.isInBackground = isInBackground
        self.wakingEvent = wakingEvent
        self.info = info
        self.stateDirectory = stateDirectory
    }

    /// Whether its last run was ended without anybody having asked for that, for the memory it took, for instance: it is
    /// expected to come back as its user left it.
    ///
    /// Source: docs/protocol.md, "Restoring".
    public var isRestored: Bool { info[Self.restoredKey] == "true" }

    /// Why its last run was ended, where `isRestored`: a reason as in a report, such as "memory-pressure"; nil where nobody said.
    public var endedBecause: String? { info[Self.endedKey] }

    package static let restoredKey = "restored"
    package static let endedKey = "ended"
}
