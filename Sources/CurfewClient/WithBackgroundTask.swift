/// Holds a background task while an asynchronous operation runs, and ends it exactly once, whatever happens.
///
/// When the background time is nearly over, the operation's task is cancelled. It runs in a task of its own, which is
/// cancelled with the caller's. Without a supervisor it just runs.
///
/// - Parameters:
///   - name: as in `beginBackgroundTask(withName:expirationHandler:)`.
///   - application: this process's own, or a test's.
///   - onExpiration: whether the task ends on expiration, or when the operation has returned.
/// - Returns: what the operation returns.
/// - Throws: what the operation throws; `BackgroundTaskRefused`, and then the operation was not begun.
public func withBackgroundTask<Success: Sendable>(
    named name: String, on application: some BackgroundTaskScheduling = CurfewApplication.shared,
    onExpiration: BackgroundTaskExpiration = .endTask,
    _ operation: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    let hold = TaskHold(endsOnExpiration: onExpiration == .endTask) { application.endBackgroundTask($0) }
    guard try hold.begin(name, on: application) else { return try await operation() }
    defer { hold.close() }
    let work = Task {
        // Expired before it began: the operation starts cancelled.
        if hold.isExpired { withUnsafeCurrentTask { $0?.cancel() } }
        return try await operation()
    }
    hold.onExpiration { work.cancel() }
    return try await withTaskCancellationHandler {
        try await work.value
    } onCancel: {
        work.cancel()
    }
}

/// Holds a background task while a synchronous piece of work runs, and ends it exactly once, whatever happens.
///
/// Nothing can stop synchronous work from outside: it should look at `isExpired` of what it is given. Without a
/// supervisor it just runs.
///
/// - Parameters: as of the asynchronous one; `work` runs on the calling thread.
/// - Returns: what the work returns.
/// - Throws: what the work throws; `BackgroundTaskRefused`, and then the work was not begun.
public func withBackgroundTask<Success>(
    named name: String, on application: some BackgroundTaskScheduling = CurfewApplication.shared,
    onExpiration: BackgroundTaskExpiration = .endTask,
    _ work: (BackgroundTaskStatus) throws -> Success
) throws -> Success {
    let hold = TaskHold(endsOnExpiration: onExpiration == .endTask) { application.endBackgroundTask($0) }
    _ = try hold.begin(name, on: application)
    defer { hold.close() }
    return try work(BackgroundTaskStatus(hold: hold))
}
