import CurfewClient

/// One background task of a `FakeApplication`, as far as it has come.
public struct FakeBackgroundTask: Hashable, Sendable, CustomStringConvertible {
    public let identifier: BackgroundTaskIdentifier
    public let name: String
    /// Without one, nothing can end the task when its time is over.
    public let hasExpirationHandler: Bool
    public internal(set) var hasExpired = false
    public internal(set) var hasEnded = false

    /// Such as `task 2 "upload" (expired, has no expiration handler)`.
    public var description: String {
        var remarks: [String] = []
        if hasEnded { remarks.append("ended") }
        if hasExpired { remarks.append("expired") }
        if !hasExpirationHandler { remarks.append("has no expiration handler") }
        let suffix = remarks.isEmpty ? "" : " (\(remarks.joined(separator: ", ")))"
        return "task \(identifier.rawValue) \"\(name)\"\(suffix)"
    }
}
