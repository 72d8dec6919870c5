/// What `withBackgroundTask` does when the background time is nearly over; either way the work is told first.
public enum BackgroundTaskExpiration: Hashable, Sendable, CaseIterable {
    /// Ends the task at once, as UIKit expects: the app is suspended in time, maybe amid what the work still does.
    ///
    /// Opened again, the work goes on where it was.
    case endTask
    /// Ends the task when the work has returned: it can finish what it does, but an app whose work takes longer than
    /// the few seconds left is killed.
    case awaitOperation
}
