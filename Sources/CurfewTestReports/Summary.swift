/// How a run of scenarios came out, in numbers.
public struct Summary: Sendable, Hashable {
    /// How many were to be run; nil where that wasn't known, as with `--until-failure`.
    public var planned: Int?
    public private(set) var passed = 0
    public private(set) var failed = 0
    public private(set) var skipped = 0
    /// How many couldn't be run.
    public private(set) var broken = 0
    /// How long all of it took, in real time.
    public var seconds: Double
    /// Why it ended early, as `SIGINT`; nil where it didn't.
    public var interruption: String?

    public init(planned: Int? = nil, seconds: Double = 0, interruption: String? = nil) {
        self.planned = planned
        self.seconds = seconds
        self.interruption = interruption
    }

    public mutating func count(_ result: ScenarioResult) {
        switch result.outcome {
        case .passed: passed += 1
        case .failed: failed += 1
        case .skipped: skipped += 1
        case .broken: broken += 1
        }
    }

    /// How many have a result.
    public var finished: Int { passed + failed + skipped + broken }

    /// How many were to be run and weren't.
    public var notRun: Int { max(0, (planned ?? finished) - finished) }

    /// What `curfew test` exits with: 2 where something couldn't be run, interrupted or not begun, else 1 where something failed,
    /// else 0.
    public var status: Int32 {
        if broken > 0 || interruption != nil || notRun > 0 { return 2 }
        return failed > 0 ? 1 : 0
    }
}
