/// What is drawn: the runs of some apps on one clock, below each other.
public struct Timeline: Equatable, Sendable {
    /// What the times are measured by; those of two clocks can't be laid side by side.
    public enum Clock: Equatable, Sendable {
        /// Nanoseconds since 1970.
        case calendar
        /// Nanoseconds of the app's own time, which can be held or be another machine's: where it begins means nothing.
        case app
        /// Nanoseconds of the machine's clock beside an app's own time that never moved.
        case real
    }

    public var clock: Clock
    public var runs: [AppRun]

    public init(clock: Clock, runs: [AppRun]) {
        self.clock = clock
        self.runs = runs
    }

    /// Names the runs anew: the first so, those behind it with a number.
    public mutating func rename(_ name: String) {
        for index in runs.indices { runs[index].name = index == 0 ? name : "\(name) \(index + 1)" }
    }

    /// When the first of them begins, nanoseconds; 0 where there is none.
    public var from: Int64 { runs.map(\.from).min() ?? 0 }

    /// When the last of them ends.
    public var to: Int64 { runs.map(\.to).max() ?? 0 }
}
