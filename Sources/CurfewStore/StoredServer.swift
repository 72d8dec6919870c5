/// What a server finds when it starts.
public struct StoredServer: Sendable, Hashable {
    /// Most recently in front first; those that were removed, too.
    public var apps: [StoredApp]
    /// The latest run of each app that has one.
    public var lastRuns: [String: StoredRun]
    /// Whether the machine has been started anew since this was last written: what ran then was ended by that.
    public var isAfterReboot: Bool
    /// What waits of each app that has some, in no order that means anything.
    public var notifications: [String: [StoredNotification]] = [:]
    /// Of the apps that have one, by name.
    public var badges: [String: Int] = [:]
    public var fetches: [StoredFetch] = []
    /// The oldest first.
    public var openings: [StoredOpening] = []
    /// In the order of their numbers.
    public var pushes: [StoredPush] = []
    /// In the order of their submission.
    public var requests: [StoredRequest] = []
}
