/// Where the app is, as far as an app can tell: like UIKit's `UIApplication.State`, and it never sees itself suspended.
public enum ApplicationState: String, Hashable, Sendable, CaseIterable {
    /// In front, and nothing is in front of it.
    case active
    /// In front, but interrupted, or on its way in or out.
    case inactive
    /// Out of sight, on its budget or about to be suspended.
    case background
}

extension ApplicationState {
    /// From the word the supervisor uses; nil for a state an app can't be in while it looks.
    init?(wireName: String?) {
        switch wireName {
        // Asked just as the app was about to be stopped.
        case "suspended": self = .background
        case let name?: self.init(rawValue: name)
        case nil: return nil
        }
    }
}
