/// What is left of an app's background budget, as it was told last and as it has run down since.
public struct BudgetClock: Sendable, Equatable {
    /// Nanoseconds; `Int64.max` where it has no end.
    public let whole: Int64
    private let told: Int64
    private let at: Int64
    private let runs: Bool

    /// `told`: what was left at the moment `at`. `runs`: whether that gets less by itself.
    init(whole: Int64, told: Int64, at: Int64, runs: Bool) {
        self.whole = whole
        self.told = told
        self.at = at
        self.runs = runs
    }

    public var isUnlimited: Bool { told == .max }
    public var isRunning: Bool { runs && !isUnlimited }

    /// Nanoseconds, never below 0; `Int64.max` where it has no end.
    public func left(at now: Int64) -> Int64 { isRunning ? max(0, told - max(0, now - at)) : told }
}
