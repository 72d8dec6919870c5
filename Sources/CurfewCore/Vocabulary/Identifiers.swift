/// One supervised app. It names a slot and which of its generations: a slot that one has left can be another's, and an input
/// about the first is then about nobody.
public struct AppID: Sendable, Hashable {
    public var rawValue: Int
    public init(_ rawValue: Int) { self.rawValue = rawValue }

    /// - Parameters:
    ///   - slot: from 0 below `slotLimit`; the number itself in the first generation.
    ///   - generation: from 0.
    public init(slot: Int, generation: Int) { rawValue = generation << AppID.slotBits | slot }

    /// How many slots there can be.
    public static let slotLimit = 1 << slotBits
    private static let slotBits = 20

    public var slot: Int { rawValue & (AppID.slotLimit - 1) }
    public var generation: Int { rawValue >> AppID.slotBits }
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
