/// Where an app is in its life, in UIKit's words.
///
/// `inactive` and `active` are the foreground. An app can't observe itself `suspended`.
public enum LifecycleState: String, Sendable, Hashable, CaseIterable {
    case notRunning
    case inactive
    case active
    case background
    case suspended

    public var isForeground: Bool { self == .active || self == .inactive }
}
