/// Why a request was refused; it travels to the client.
public enum Rejection: String, Sendable, Hashable, CaseIterable {
    case expired
    case terminating
    case notRunning = "not-running"
    case suspended
    case notSuspended = "not-suspended"
    case tooManyTasks = "too-many-tasks"
    case tooManyChanges = "too-many-changes"
    case tooManyEvents = "too-many-events"

    public var message: String {
        switch self {
        case .expired: "the background budget is spent"
        case .terminating: "the app is being ended"
        case .notRunning: "the app isn't running"
        case .suspended: "the app is stopped, and nothing is delivered to one that is"
        case .notSuspended: "the app isn't suspended, and only one that is can be reclaimed"
        case .tooManyTasks: "over \(Policy.maximumOpenTasks) background tasks are open"
        case .tooManyChanges: "changes of \(App.maximumKeptChanges) names are kept already for the suspended app"
        case .tooManyEvents: "\(App.maximumWakingEvents) waking events wait to be handled"
        }
    }
}
