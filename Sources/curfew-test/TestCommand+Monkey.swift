import CCurfew
import CurfewArguments
import CurfewCommand
import CurfewScenario
import CurfewScenarioRun
import CurfewTestReports
import Glibc

/// A monkey's hunt, and what is told of it.
extension TestCommand {
    /// Their scenario is held in memory.
    private static let mostSteps = 1_000_000

    /// The status.
    func hunt(_ count: Int, _ words: [String]) throws -> Int32 {
        if words.isEmpty { throw UsageError("test", "a COMMAND is missing: curfew test --monkey N -- COMMAND") }
        if count > Self.mostSteps { throw UsageError("test", "--monkey is at most \(Self.mostSteps)") }
        let seed = seed ?? UInt64(UInt32.random(in: 1 ... .max))
        let run = try RunWords(words)
        if let own = run.options.first(where: { Vocabulary.ownOptions[String($0.prefix { $0 != "=" })] != nil }) {
            throw UsageError("test", "\(own): --monkey sees to that itself; leave it away")
        }
        let hunt = MonkeyHunt(
            options: run.options, command: run.command, check: checkCommand.map { ["sh", "-c", $0] } ?? [], seed: seed,
            count: count, terms: run.terms)
        var options = Fleet.Options()
        options.directory = Files.folder(of: "./.")
        // So many steps take their time.
        options.limits.scenario += Int64(count) * 1_000_000_000
        try setLimits(&options)
        let artifacts = try absoluteArtifacts()
        do {
            Fleet.blockSignals()
            let folder = try RunFolder()
            defer { folder.remove() }
            return try hunted(hunt, MonkeyRun(options, try Tools.find(), in: folder), artifacts)
        } catch let problem as Files.Problem {
            throw broken(problem.message)
        }
    }

    private func hunted(_ hunt: MonkeyHunt, _ monkey: MonkeyRun, _ artifacts: String?) throws -> Int32 {
        let name = "monkey: \(Self.steps(hunt.count)), seed \(hunt.seed)"
        let id = ScenarioID(file: hunt.command.joined(separator: " "), name: name, line: 1)
        let began = Self.now
        var result = ScenarioResult(id, .passed, seconds: 0)
        var summary = Summary(planned: 1)
        do {
            switch try monkey.hunt(hunt) {
            case .well: break
            case .broken(let failure): result.outcome = .broken(failure)
            case .found(let finding): result = try confirmed(finding, seed: hunt.seed, monkey, artifacts)
            }
        } catch let interruption as MonkeyRun.Interrupted {
            summary.interruption = interruption.signal
            Say.error("curfew: test: interrupted by \(interruption.signal); --seed \(hunt.seed) does the same again")
        }
        result.seconds = Self.now - began
        summary.seconds = result.seconds
        if summary.interruption == nil { summary.count(result) }
        // Before that a line of our own says how far it is.
        var reports = Reports(self)
        reports.began(1)
        if summary.interruption == nil {
            reports.take(.started(result.id))
            reports.take(.finished(result))
        }
        return reports.ended(summary) ? summary.status : 2
    }

    /// Writes it, and plays what was written.
    private func confirmed(
        _ finding: MonkeyHunt.Finding, seed: UInt64, _ monkey: MonkeyRun, _ artifacts: String?
    ) throws -> ScenarioResult {
        let file = output ?? "monkey-\(seed).curfew"
        if let problem = Files.write(finding.scenario, to: file) {
            // It may have taken hours to find.
            Say.error(finding.scenario)
            throw Files.Problem(message: problem)
        }
        var result = try monkey.play(file, artifacts: artifacts)
        Say.error("curfew: test: " + Self.told(finding, file, again: result))
        // It has failed, once at least.
        if case .passed = result.outcome { result.outcome = .failed(finding.failure) }
        return result
    }

    private static func told(_ finding: MonkeyHunt.Finding, _ file: String, again: ScenarioResult) -> String {
        let steps = steps(finding.steps.count)
        if !finding.isRepeatable {
            return "the program went wrong after \(steps), but not when they were done again: chance is part of it; "
                + "\(file) has them"
        }
        let trials = finding.trials == 1 ? "1 trial" : "\(finding.trials) trials"
        let end = finding.isFinished ? "" : ", after which no more was tried"
        let found =
            finding.steps.isEmpty
            ? "the program goes wrong though nothing is done to it; \(file) shows it"
            : "\(file) has the \(steps) that \(finding.steps.count == 1 ? "makes" : "make") the program go wrong, found by \(trials)\(end)"
        if case .passed = again.outcome { return found + "; played once more it passed: chance is part of it" }
        return found
    }

    private static func steps(_ count: Int) -> String { count == 1 ? "1 step" : "\(count) steps" }

    /// In seconds, from some instant on.
    private static var now: Double { Double(curfew_monotonic_nanoseconds()) / 1e9 }
}
