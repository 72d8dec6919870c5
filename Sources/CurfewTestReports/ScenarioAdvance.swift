import CurfewWire

/// How far an `advance` of a scenario went, and what it stopped at.
public struct ScenarioAdvance: Sendable, Hashable {
    /// The statement's.
    public var line: Int
    /// Of the app's time, in nanoseconds.
    public var passed: Int64
    /// What it was asked for besides, in nanoseconds.
    public var left: Int64
    /// The app's, once it was done.
    public var state: String
    /// What happened, oldest first, as in a failure.
    public var events: [String]

    public init(line: Int, passed: Int64, left: Int64, state: String, events: [String]) {
        self.line = line
        self.passed = passed
        self.left = left
        self.state = state
        self.events = events
    }

    /// `line 9: 9 min 55 s passed, 5 s left; the app is background; what happened: backgroundTasksWillExpire tasks=1`.
    var text: String {
        let summary = AdvanceText.summary(passed: passed, left: left, state: state)
        return "line \(line): \(summary)" + (events.isEmpty ? "" : "; what happened: \(events.joined(separator: ", "))")
    }
}
