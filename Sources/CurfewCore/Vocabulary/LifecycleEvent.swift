/// What an aware app is told, by UIKit's names.
public enum LifecycleEvent: String, Sendable, Hashable, CaseIterable {
    case didFinishLaunching
    case didBecomeActive
    case willResignActive
    case didEnterBackground
    case willEnterForeground
    case backgroundTaskWillExpire
    case didReceiveMemoryWarning
    case willTerminate

    /// Whether the app must acknowledge the event in time, or be killed.
    public var needsAcknowledgement: Bool { watchdog != nil }

    /// Why an app dies that doesn't acknowledge this event in time; nil when it owes nothing.
    public var watchdog: KillReason? {
        switch self {
        case .didFinishLaunching: .launchWatchdog
        case .didEnterBackground: .sceneUpdateWatchdog
        case .willTerminate: .processExitWatchdog
        case .didBecomeActive, .willResignActive, .willEnterForeground, .backgroundTaskWillExpire: nil
        case .didReceiveMemoryWarning: nil
        }
    }
}
