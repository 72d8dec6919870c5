import CCurfew
import CurfewScenario
import CurfewScenarioRun
import CurfewTestReports
import Glibc

/// Plays one scenario, and writes what came of it to standard output as one line of JSON.
///
/// A process of its own below `curfew timeout`: whatever the scenario starts, daemons and all, ends with it.
enum Worker {
    static func run(_ words: [String]) -> Never {
        guard let job = WorkerJob(words) else { exit(64) }
        signal(SIGPIPE, SIG_IGN)
        let began = curfew_monotonic_nanoseconds()
        let (outcome, hasArtifacts) = play(job)
        let seconds = Double(curfew_monotonic_nanoseconds() - began) / 1e9
        let result = ScenarioResult(job.id, outcome, seconds: seconds, artifacts: hasArtifacts ? job.artifacts : nil)
        var report = JSONLinesReport()
        Files.writeAll(Array(report.finished(result).utf8), to: 1)
        // Whoever reads that ends us, and what is left.
        while true { pause() }
    }

    private static func play(_ job: WorkerJob) -> (ScenarioResult.Outcome, hasArtifacts: Bool) {
        guard let text = Files.text(job.file), case let (file, _) = ScenarioReader.read(text, path: job.file),
            file.scenarios.indices.contains(job.index)
        else { return (.broken(failure(job, "\(job.file) has changed since it was read")), false) }
        let place = StagePlace(
            curfew: job.curfew, directory: job.directory ?? Files.folder(of: job.file), folder: job.folder,
            artifacts: job.artifacts)
        for folder in place.folders + [job.artifacts].compactMap(\.self) {
            if let problem = Files.makeFolder(folder) { return (.broken(failure(job, problem)), false) }
        }
        var limits = ScenarioRunner.Limits()
        limits.await = job.awaitLimit
        limits.scenario = job.scenarioLimit
        let stage = LiveStage(place)
        let variables = place.variables.merging(job.values) { _, value in value }
        let runner = ScenarioRunner(file.scenarios[job.index], variables, on: stage, limits: limits)
        let outcome = runner.run(lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        stage.close()
        return (outcome, job.artifacts != nil)
    }

    private static func failure(_ job: WorkerJob, _ seen: String) -> Failure {
        Failure(line: job.id.line, column: 1, statement: "", expected: "the scenario to be played", seen: seen)
    }
}

extension WorkerJob {
    /// Of its matrix.
    fileprivate var values: [String: String] {
        var values: [String: String] = [:]
        for value in id.values {
            let cut = value.firstIndex(of: "=") ?? value.endIndex
            values[String(value[..<cut])] = String(value[cut...].dropFirst())
        }
        return values
    }
}
