/// What a synchronous piece of work can ask about the task that is held for it.
public struct BackgroundTaskStatus: Sendable {
    let hold: TaskHold

    /// Whether the time is nearly over, so that the work should stop; never without a supervisor.
    public var isExpired: Bool { hold.isExpired }
}
