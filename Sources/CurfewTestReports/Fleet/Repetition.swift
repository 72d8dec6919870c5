/// How often all of it is run: `--repeat N`, `--until-failure`, or both.
///
/// Each round runs every scenario once, so what disturbs its neighbours is found sooner than by running each many times on end.
public struct Repetition: Sendable, Hashable {
    /// Nil without `--repeat`; above 0.
    public var times: Int?
    public var isUntilFailure: Bool

    public init(times: Int? = nil, isUntilFailure: Bool = false) {
        self.times = times
        self.isUntilFailure = isUntilFailure
    }

    /// How many are run if these are run once; nil where nobody can know.
    public func planned(_ count: Int) -> Int? {
        if isUntilFailure { return nil }
        let (product, overflows) = count.multipliedReportingOverflow(by: times ?? 1)
        return overflows ? nil : product
    }

    /// Whether this round, from 1, is run after what has come out so far.
    ///
    /// Where nothing but skips has come, no failure ever would.
    public func begins(round: Int, after summary: Summary) -> Bool {
        if round == 1 { return true }
        if isUntilFailure, summary.passed == 0 { return false }
        return goesOn(after: summary) && round <= (times ?? (isUntilFailure ? .max : 1))
    }

    /// Whether another scenario is begun; with `--until-failure` none is after a failure, or after what couldn't be run.
    public func goesOn(after summary: Summary) -> Bool {
        !isUntilFailure || summary.failed + summary.broken == 0
    }

    /// The scenarios of this round, each with its number where there can be another.
    public func ids(_ ids: [ScenarioID], round: Int) -> [ScenarioID] {
        guard isUntilFailure || (times ?? 1) > 1 else { return ids }
        return ids.map { id in
            var id = id
            id.round = round
            return id
        }
    }
}
