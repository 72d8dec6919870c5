/// One supervised app, in the order of launch.
public struct AppID: Sendable, Hashable, Comparable {
    public var rawValue: Int
    public init(_ rawValue: Int) { self.rawValue = rawValue }
    public static func < (left: AppID, right: AppID) -> Bool { left.rawValue < right.rawValue }
}

/// One background task of one app; numbered from 1 in the order of `begin`.
public struct TaskID: Sendable, Hashable, Comparable {
    public var rawValue: Int
    public init(_ rawValue: Int) { self.rawValue = rawValue }
    /// What a refused `begin` answers, as UIKit's `UIBackgroundTaskIdentifier.invalid`.
    public static let invalid = TaskID(0)
    public static func < (left: TaskID, right: TaskID) -> Bool { left.rawValue < right.rawValue }
}

/// One connection to the control channel.
public struct ConnectionID: Sendable, Hashable {
    public var rawValue: Int
    public init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// The process that owns a background task, as the engine holds it; its end releases the task.
public struct OwnerID: Sendable, Hashable {
    public var rawValue: Int
    public init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// One request that waits for its reply; the engine chooses the number.
public struct RequestID: Sendable, Hashable {
    public var rawValue: Int
    public init(_ rawValue: Int) { self.rawValue = rawValue }
}
