/// A monkey let loose on a program: whether it goes wrong, and the shortest scenario in which it does.
public struct MonkeyHunt: Sendable {
    /// `run`'s options, and the command; words.
    public var options: [String]
    public var command: [String]
    /// The words of `--check`; empty for none.
    public var check: [String]
    public var seed: UInt64
    /// How many steps, above 0.
    public var count: Int
    public var terms: MonkeyTerms
    /// How many shorter scenarios are tried at most; above 0.
    public var maximumTrials: Int

    public init(
        options: [String], command: [String], check: [String] = [], seed: UInt64, count: Int, terms: MonkeyTerms,
        maximumTrials: Int = 500
    ) {
        self.options = options
        self.command = command
        self.check = check
        self.seed = seed
        self.count = count
        self.terms = terms
        self.maximumTrials = maximumTrials
    }

    /// What came of it.
    public enum Outcome: Sendable, Hashable {
        /// Nothing went wrong.
        case well
        case found(Finding)
        /// It couldn't be run, or the program went wrong before the monkey did anything.
        case broken(Failure)
    }

    public struct Finding: Sendable, Hashable {
        /// Scenario files, this and the next: what was found first, cut off behind it, and the shortest that fails as it does.
        public var original: String
        public var scenario: String
        public var steps: [MonkeyStep]
        /// Of the last time that it failed.
        public var failure: Failure
        public var trials: Int
        /// False where the trials were used up before it was as short as can be.
        public var isFinished: Bool
        /// False where it didn't fail again: then nothing is shrunk, and chance is part of it.
        public var isRepeatable: Bool
    }

    /// Plays a scenario file, of so many steps.
    public typealias Play = (_ scenario: String, _ steps: Int) throws -> ScenarioResult.Outcome

    /// Does all of it.
    public func run(play: Play) rethrows -> Outcome {
        var monkey = Monkey(seed: seed, terms)
        let steps = monkey.steps(count)
        switch try play(text(steps, .afterEach), count) {
        case .passed, .skipped: return .well
        case .broken(let failure): return .broken(failure)
        case .failed(let failure) where terms.isReclaimed && Self.isRefusedReclaim(failure):
            // It holds a task, or has time left to run: that is no fault of its.
            var other = self
            other.terms.isReclaimed = false
            return try other.run(play: play)
        case .failed(let failure):
            guard let index = step(of: failure, steps, .afterEach) else { return .broken(failure) }
            // Behind the last it is opened, and asked.
            return .found(try shrink(Array(steps.prefix(index + 1)), failure, play))
        }
    }
}

// Texts, and what their lines are.
extension MonkeyHunt {
    private enum Checks {
        case atEnd, afterEach
    }

    /// Above the first step; there is no comment in what is played.
    private var header: Int { MonkeyScenario.header(options, command, check).count }

    private func text(_ steps: [MonkeyStep], _ checks: Checks, comment: [String] = []) -> String {
        MonkeyScenario.text(
            steps, comment: comment, options: options, command: command, check: check,
            isCheckedAfterEach: checks == .afterEach)
    }

    /// Which step failed, from 0, or the check after which; nil for what precedes the first.
    private func step(of failure: Failure, _ steps: [MonkeyStep], _ checks: Checks) -> Int? {
        let line = failure.line - header - 1
        guard line >= 0 else { return nil }
        let lines = MonkeyScenario.doing(steps, check, isCheckedAfterEach: checks == .afterEach)
        return lines.indices.contains(line) ? lines[line].step : steps.count
    }

    private static func isRefusedReclaim(_ failure: Failure) -> Bool {
        failure.statement == "reclaim" && failure.seen.hasPrefix("refused ")
    }
}

// Shrinking.
extension MonkeyHunt {
    private func shrink(
        _ steps: [MonkeyStep], _ failure: Failure, _ play: Play
    ) rethrows -> Finding {
        var last = failure
        // As people would write it, if that fails; else the checks in between are part of it.
        for checks in [Checks.atEnd, .afterEach] {
            guard let again = try same(steps, checks, as: failure, play) else { continue }
            last = again
            let result = try Shrinker.shrink(
                steps, simpler: { $0.simpler }, merged: MonkeyStep.merged,
                isSensible: { MonkeyStep.isSensible($0, terms) }, maximumTrials: maximumTrials
            ) { trial in
                guard let found = try same(trial, checks, as: failure, play) else { return false }
                last = found
                return true
            }
            return finding(steps, result.sequence, last, checks, trials: result.trials, isFinished: result.isFinished)
        }
        var finding = finding(steps, steps, failure, .afterEach, trials: 0, isFinished: false)
        finding.isRepeatable = false
        return finding
    }

    /// How these fail, if they do as that one did: at a check, or at a step of its kind. Another failure is another finding.
    private func same(
        _ steps: [MonkeyStep], _ checks: Checks, as failure: Failure, _ play: Play
    ) rethrows -> Failure? {
        guard case .failed(let found) = try play(text(steps, checks), steps.count),
            step(of: found, steps, checks) != nil, Self.kind(found) == Self.kind(failure),
            !Self.isRefusedReclaim(found)
        else { return nil }
        return found
    }

    /// What was being done: the statement without its values, but for what was awaited.
    private static func kind(_ failure: Failure) -> Substring {
        let word = failure.statement.prefix { $0 != " " }
        return word == "await" ? failure.statement[...] : word
    }

    private func finding(
        _ original: [MonkeyStep], _ steps: [MonkeyStep], _ failure: Failure, _ checks: Checks, trials: Int,
        isFinished: Bool
    ) -> Finding {
        let origin = "Found by curfew test --monkey \(count) --seed \(seed)"
        return Finding(
            original: text(original, .afterEach, comment: ["\(origin), step \(original.count)."]),
            scenario: text(
                steps, checks,
                comment: ["\(origin); \(Self.text(original.count)) made \(steps.count).", failure.sentence]),
            steps: steps, failure: failure, trials: trials, isFinished: isFinished, isRepeatable: true)
    }

    private static func text(_ count: Int) -> String { count == 1 ? "1 step" : "\(count) steps" }
}
