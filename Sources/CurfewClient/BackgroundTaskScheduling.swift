/// UIKit's calls for work in the background, by the same names; `CurfewApplication` and the test kit's `FakeApplication` have them.
///
/// Every call may be made from any thread, from an expiration handler and from a delegate's method too.
public protocol BackgroundTaskScheduling: AnyObject, Sendable {
    /// Asks not to be suspended before `endBackgroundTask(_:)`, for as long as the background budget lasts.
    ///
    /// The budget is the app's: a second task buys no time. Begin before the work, and end every task.
    ///
    /// - Parameters:
    ///   - name: stands in `curfew status` and in the report of a kill; cut to 128 bytes of UTF-8, between characters.
    ///     Nil is the empty name.
    ///   - handler: is called once, some seconds before the budget ends, unless the task was ended before. It has to
    ///     end the task: an app with a task open at the end of its budget is killed.
    /// - Returns: `.invalid` when refused: the budget is spent, the app is being ended, or there is no supervisor.
    ///   `isMultitaskingSupported` tells the last from the others.
    func beginBackgroundTask(
        withName name: String?, expirationHandler handler: (@Sendable () -> Void)?
    ) -> BackgroundTaskIdentifier

    /// Ends a task; in the background, the last one's end lets the app be suspended.
    ///
    /// `.invalid` and a task that isn't open are ignored; the supervisor notes the latter in the app's history.
    func endBackgroundTask(_ identifier: BackgroundTaskIdentifier)

    /// Asks to be woken in the background whenever `timeout` seconds have passed, to see to one's connections.
    ///
    /// It is the app's, whoever asked last, until it is cleared or the app has ended. In front nothing is called.
    ///
    /// - Parameters:
    ///   - timeout: 600 or more, divided by `--time-scale`.
    ///   - handler: the app is killed when it hasn't returned within 30 s (`--wake-limit`). From now on the app is aware, as
    ///     with a delegate. Nil clears.
    /// - Returns: false when refused, and what was set before holds: the timeout is too short, the app's profile has no
    ///   keep-alive, or there is no supervisor. False too where no thread can be had to call the handler on: then nothing is
    ///   set.
    func setKeepAliveTimeout(_ timeout: Double, handler: (@Sendable () -> Void)?) -> Bool

    /// Ends what `setKeepAliveTimeout(_:handler:)` began; without that it does nothing.
    func clearKeepAliveTimeout()

    /// Seconds left of the background budget; `Double.greatestFiniteMagnitude` where nothing limits the app.
    ///
    /// Nothing does in the foreground, and without a supervisor. An estimate: the expiration handler is what counts.
    var backgroundTimeRemaining: Double { get }

    /// Where the app is; `.active` without a supervisor.
    var applicationState: ApplicationState { get }

    /// Whether a supervisor is there that suspends this app and can be asked for time.
    var isMultitaskingSupported: Bool { get }

    /// The directory to save in at `didEnterBackground`, and to restore from when launched: `CURFEW_STATE_DIR`.
    ///
    /// An app that is ended while it is suspended hears nothing of that; its next run finds the directory as it was left. Nil
    /// when nobody named one, so a program that isn't run by Curfew chooses a place of its own.
    var stateDirectory: String? { get }
}

extension BackgroundTaskScheduling {
    /// As the other, without a handler: the work is known to be short.
    public func beginBackgroundTask(withName name: String?) -> BackgroundTaskIdentifier {
        beginBackgroundTask(withName: name, expirationHandler: nil)
    }

    /// As the other, with a handler that is given the task, and so can end it without a variable shared with the caller.
    ///
    /// The time may be over before this returns: then the handler is called before it does, on this thread.
    public func beginBackgroundTask(
        withName name: String?, expirationHandler handler: @escaping @Sendable (BackgroundTaskIdentifier) -> Void
    ) -> BackgroundTaskIdentifier {
        let hold = TaskHold(endsOnExpiration: true, end: handler)
        let task = beginBackgroundTask(withName: name) { hold.expire() }
        if task != .invalid { hold.open(task) }
        return task
    }

    /// As the other, named after the place of the call, such as "Mailer/Outbox.swift:41".
    public func beginBackgroundTask(
        expirationHandler handler: (@Sendable () -> Void)? = nil, file: String = #fileID, line: Int = #line
    ) -> BackgroundTaskIdentifier {
        beginBackgroundTask(withName: "\(file):\(line)", expirationHandler: handler)
    }
}
