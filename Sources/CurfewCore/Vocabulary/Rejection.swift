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
    case traced
    case interrupted
    case exitsOnSuspend = "exits-on-suspend"
    case holdsTask = "holds-task"
    case owesAnswer = "owes-answer"
    case inputUnwatched = "input-unwatched"
    case keepAliveTooShort = "invalid"
    case keepAliveUnsupported = "unsupported"
    case noBackgroundMode = "no-background-mode"
    case neverSuspended = "never-suspended"

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
        case .traced: "a debugger holds the app, and it isn't stopped meanwhile"
        case .interrupted: "the app is interrupted, and can sleep once that is over"
        case .exitsOnSuspend: "the app ends where others are suspended, and so it can't sleep"
        case .holdsTask: "the app has background tasks open; it can sleep once they have ended"
        case .owesAnswer: "the app has yet to acknowledge an event; it can sleep once it has"
        case .keepAliveTooShort: "the app can't be woken as often as that; ask for the minimum, or more"
        case .keepAliveUnsupported: "there is no keep-alive under this app's profile; `--profile ios7` has it"
        case .noBackgroundMode:
            "the app's manifest doesn't give it the background mode that this needs (background-modes)"
        case .neverSuspended: "the app's background mode is continuous: it is never suspended, and so it can't sleep"
        case .inputUnwatched:
            "what is to wake it can't be waited for; `curfew events` says what (keptAwake), and `curfew sleep --stay` stops it"
                + " all the same"
        }
    }
}
