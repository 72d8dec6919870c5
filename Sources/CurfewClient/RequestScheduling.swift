/// UIKit's and BackgroundTasks' calls for what is to be done later, by the same names; `CurfewApplication` and the test kit's
/// `FakeApplication` have them.
///
/// A server keeps it, whether the app runs by then or not; not under Curfew nothing is asked and nothing happens. Every call may be
/// made from any thread but that of an expiration handler.
public protocol RequestScheduling: AnyObject, Sendable {
    /// Has it told, to an app in front, or shown when it is due.
    ///
    /// Of an app the soonest 64 are kept.
    ///
    /// - Returns: its identifier, once it is kept for good; nil without a supervisor.
    /// - Throws: `ScheduleRefused`.
    func scheduleLocalNotification(_ notification: LocalNotification) throws(ScheduleRefused) -> String?

    /// It isn't shown any more; one that doesn't wait is ignored.
    func cancelLocalNotification(_ identifier: String) throws(ScheduleRefused)

    /// None of the app's is shown any more.
    func cancelAllLocalNotifications() throws(ScheduleRefused)

    /// The app's notifications that wait, the soonest first; none without a supervisor.
    func getPendingNotificationRequests() throws(ScheduleRefused) -> [PendingNotificationRequest]

    /// How often the app is woken for the event `fetch`, at most, in seconds; the server chooses when, and keeps it.
    ///
    /// - Parameter interval: 0, as often as may be; infinite, never, as is usual.
    func setMinimumBackgroundFetchInterval(_ interval: Double) throws(ScheduleRefused)

    /// Has the app woken or launched for it, once, when it suits the machine; returns once that is kept for good.
    ///
    /// One of the same identifier is replaced. Who wants to come again submits again, best at the beginning of the handler.
    ///
    /// - Throws: `ScheduleRefused`: `too-many-requests` where one refresh or ten processing requests wait.
    func submit(_ request: TaskRequest) throws(ScheduleRefused)

    /// The app isn't launched for it; one that doesn't wait is ignored, and what runs goes on.
    func cancel(taskRequestWithIdentifier identifier: String) throws(ScheduleRefused)

    /// The app isn't launched for any.
    func cancelAllTaskRequests() throws(ScheduleRefused)

    /// The app's requests that wait, the soonest first, without the one that it works on; none without a supervisor.
    func getPendingTaskRequests() throws(ScheduleRefused) -> [TaskRequest]

    /// Calls the handler when the app was woken for the request of that identifier; from now on the app is aware.
    ///
    /// On a thread of the library's own, one after another: a handler begins the work and returns, and the work ends by
    /// `setTaskCompleted(success:)`, wherever it runs. Registered again, the later handler counts.
    ///
    /// - Returns: false without a supervisor, and where no thread can be had to call it on.
    @discardableResult
    func register(
        forTaskWithIdentifier identifier: String, launchHandler: @escaping @Sendable (RequestedTask) -> Void
    ) -> Bool

    /// What was pushed that the event tells of, as it came: JSON of 4096 bytes at most.
    ///
    /// Nil where the event tells of none, and where the server doesn't have it any more: it keeps the last 64.
    func remoteNotification(of event: LifecycleEvent) -> String?
}

/// Something that was to be done later won't be.
public struct ScheduleRefused: Error, Hashable {
    /// A word of the protocol, such as `invalid`, `too-many-requests`, `no-background-mode`, `unsupported` (not under a server) or
    /// `busy`; `unanswered` where the supervisor was silent.
    public let code: String

    package init(code: String) { self.code = code }
}
