import CCurfew
import CurfewScenario
import CurfewScenarioRun
import CurfewTestReports
import Glibc

/// Plays one scenario, and writes what came of it to standard output as one line of JSON.
///
/// A process of its own below `curfew timeout`: whatever the scenario starts, daemons and all, ends with it.
enum Worker {
    static func run() -> Never {
        guard let job = WorkerJob(readInput()) else { exit(64) }
        leaveParent(job)
        signal(SIGPIPE, SIG_IGN)
        let began = curfew_monotonic_nanoseconds()
        var result = play(job)
        result.seconds = Double(curfew_monotonic_nanoseconds() - began) / 1e9
        tell(result)
    }

    /// All of it: there is none until it is known what is to be played.
    private static func readInput() -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 12)
        while case let count = read(0, &piece, piece.count), count != 0 {
            if count > 0 { bytes += piece[..<count] } else if errno != EINTR { break }
        }
        return bytes
    }

    /// Whoever reads that ends us, and what is left.
    static func tell(_ result: ScenarioResult) -> Never {
        var report = JSONLinesReport()
        Files.writeAll(Array(report.finished(result).utf8), to: 1)
        while true { pause() }
    }

    /// Goes on as a child. `curfew timeout` ends what its command has left only while the command runs: that is the parent, which
    /// does nothing that could end it, so that nothing is left where a worker crashes, or is killed for its memory.
    private static func leaveParent(_ job: WorkerJob) {
        let parent = getpid()
        let child = curfew_fork(SIGCHLD)
        if child < 0 { tell(ScenarioResult(unplayed: job.id, "can't fork: \(Files.reason(-child))")) }
        if child == 0 {
            _ = curfew_set_parent_death_signal(SIGKILL)
            if getppid() != parent { exit(1) }
            return
        }
        var info = curfew_wait_info()
        while curfew_waitid(Int32(P_PID.rawValue), child, WEXITED, &info) == -EINTR {}
        let how = info.code == CLD_EXITED ? "exited with" : "was killed by signal"
        // It may have written half a line.
        Files.writeAll([UInt8(ascii: "\n")], to: 1)
        tell(ScenarioResult(unplayed: job.id, "its worker \(how) \(info.status)"))
    }

    /// How long it took isn't in it yet.
    private static func play(_ job: WorkerJob) -> ScenarioResult {
        func unplayed(_ why: String) -> ScenarioResult { ScenarioResult(unplayed: job.id, why) }
        guard let text = Files.text(job.file), case let (file, _) = ScenarioReader.read(text, path: job.file),
            file.scenarios.indices.contains(job.index)
        else { return unplayed("\(job.file) has changed since it was read") }
        let place = StagePlace(
            curfew: job.curfew, directory: job.directory ?? Files.folder(of: job.file), folder: job.folder,
            artifacts: job.artifacts)
        for folder in place.folders + [job.artifacts].compactMap(\.self) {
            if let problem = Files.makeFolder(folder) { return unplayed(problem) }
        }
        if let artifacts = job.artifacts { clear(artifacts) }
        let stage = LiveStage(place)
        let variables = place.variables.merging(job.values) { _, value in value }
        let runner = ScenarioRunner(file.scenarios[job.index], variables, on: stage, limits: job.limits)
        let lines = Lines.split(text)
        let alarm = Alarm(job, lines: lines)
        runner.begins = alarm.begins
        let outcome = runner.run(lines: lines)
        alarm.stop()
        stage.close()
        if let problem = stage.artifactsProblem { Say.error(problem) }
        return ScenarioResult(job.id, outcome, seconds: 0, artifacts: job.artifacts, advances: runner.advances)
    }

    /// What an earlier run has kept there isn't taken for this one's.
    private static func clear(_ artifacts: String) {
        for name in Files.names(in: artifacts) { unlink(artifacts + "/" + name) }
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
