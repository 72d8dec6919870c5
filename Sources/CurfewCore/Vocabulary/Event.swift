/// What an app can be told: a lifecycle event, a change of its world, or a waking event.
public enum Event: Sendable, Hashable {
    case lifecycle(LifecycleEvent)
    /// An aspect of the app's world has changed; of several while it is suspended only the latest is kept.
    case change(String)
    /// Something the app is resumed for, in background.
    case wake(String)

    /// As on the wire; those that aren't lifecycle events are named by whoever posts them.
    public var name: String {
        switch self {
        case .lifecycle(let event): event.rawValue
        case .change(let name), .wake(let name): name
        }
    }

    /// Whether the app must acknowledge the event in time, or be killed; a waking event only outside the foreground.
    public var needsAcknowledgement: Bool { watchdog != nil }

    /// Why an app dies that doesn't acknowledge this event in time; nil when it owes nothing.
    public var watchdog: KillReason? {
        switch self {
        case .lifecycle(let event): event.watchdog
        case .change: nil
        case .wake: .backgroundFetchTimeout
        }
    }

    /// Whether it is about a request of the app's: what it is woken for is warned of before it ends.
    var isRequest: Bool { if case .wake(let name) = self { TaskRequest.Kind(event: name) != nil } else { false } }

    /// The longest NAME, or KEY of a `Info`, in bytes.
    public static let maximumNameBytes = 64

    /// Whether somebody may post an event of this name: letters, digits, `-`, `_` and `.` after a letter, and none of
    /// the lifecycle's names.
    public static func canBePosted(_ name: String) -> Bool {
        isWord(name) && !LifecycleEvent.allCases.contains { $0.rawValue == name }
    }

    /// Whether the text is made as NAMEs and KEYs are.
    public static func isWord(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, isLetter(first), bytes.count <= maximumNameBytes else { return false }
        return bytes.allSatisfy { isLetter($0) || (48...57).contains($0) || $0 == 45 || $0 == 95 || $0 == 46 }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte) || (97...122).contains(byte) }
}

/// One pair of what travels with an event, as in UIKit's `userInfo` and launch options.
public struct Info: Sendable, Hashable {
    public var key: String
    public var value: String

    /// The pairs one event may carry.
    public static let maximumCount = 16

    public init(_ key: String, _ value: String) {
        self.key = key
        self.value = value
    }
}

/// An event that somebody has posted, and what travels with it.
public struct PostedEvent: Sendable, Hashable {
    public var name: String
    public var info: [Info]

    public init(_ name: String, _ info: [Info] = []) {
        self.name = name
        self.info = info
    }
}

/// How an app is launched, besides the policy it is held to.
public struct LaunchOptions: Sendable, Hashable {
    public var inBackground: Bool
    /// The waking event it is launched for, into background; delivered after `didEnterBackground`.
    public var wakingEvent: PostedEvent?
    /// Delivered with `didFinishLaunching`.
    public var info: [Info]

    public init(inBackground: Bool = false, wakingEvent: PostedEvent? = nil, info: [Info] = []) {
        self.inBackground = inBackground || wakingEvent != nil
        self.wakingEvent = wakingEvent
        self.info = info
    }
}
