/// Why a request was refused; it travels to the client.
public enum Rejection: String, Sendable, Hashable, CaseIterable {
    case expired
    case terminating
    case notRunning = "not-running"
    case tooManyTasks = "too-many-tasks"

    public var message: String {
        switch self {
        case .expired: "the background budget is spent"
        case .terminating: "the app is being ended"
        case .notRunning: "the app isn't running"
        case .tooManyTasks: "over \(Policy.maximumOpenTasks) background tasks are open"
        }
    }
}
