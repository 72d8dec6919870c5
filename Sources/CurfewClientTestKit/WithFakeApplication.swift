/// Background tasks that a program didn't handle well: each leaked one by its name, and what was ended wrongly.
public struct BackgroundTaskMistakes: Error, Hashable, CustomStringConvertible {
    /// Open though their time was over: a supervisor kills an app for each of these.
    public let leaks: [FakeBackgroundTask]
    /// Ended twice, or never begun.
    public let mistakes: [String]

    public var description: String {
        (leaks.map { "\($0) was never ended" } + mistakes).joined(separator: "; ")
    }
}

/// Runs a test's body with an app that expires everything, and throws if a task has leaked or was ended wrongly.
///
/// What is open when the body returns is expired then.
///
/// - Parameters:
///   - expiration: when tasks expire.
///   - stateDirectory: where the app saves and restores.
///   - limit: how long what has expired may take to end.
/// - Returns: what the body returns.
/// - Throws: what the body throws; else `BackgroundTaskMistakes`.
public func withFakeApplication<Success>(
    expiring expiration: FakeApplication.Expiration = .whenTold, stateDirectory: String? = nil,
    within limit: Duration = .seconds(5),
    isolation: isolated (any Actor)? = #isolation,
    _ body: (FakeApplication) async throws -> Success
) async throws -> Success {
    let application = FakeApplication(expiring: expiration, stateDirectory: stateDirectory)
    let result = try await body(application)
    application.expireBackgroundTasks()
    let leaks = await application.leaks(within: limit)
    let mistakes = application.mistakes
    if leaks.isEmpty && mistakes.isEmpty { return result }
    throw BackgroundTaskMistakes(leaks: leaks, mistakes: mistakes)
}
