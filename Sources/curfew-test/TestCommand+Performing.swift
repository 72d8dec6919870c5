import ArgumentParser
import CCurfew
import CurfewArguments
import CurfewCommand
import CurfewScenario
import CurfewScenarioRun
import CurfewTestReports
import CurfewWire
import Glibc

/// What the command line asks for.
extension TestCommand {
    /// `run`: the words behind `--`, with --monkey.
    func perform(_ run: [String]) throws {
        if let explain { return try show(explain) }
        if let joinJunit { throw ExitCode(JUnitFiles.join(files, into: joinJunit)) }
        if let monkey { throw ExitCode(try hunt(monkey, run)) }
        var options = Fleet.Options()
        try setLimits(&options)
        let part = try shard.map { shard throws(UsageError) in try parsed(shard) }
        let loaded = LoadedFiles(files)
        if format { throw ExitCode(loaded.format()) }
        for line in loaded.messages { Say.error(line) }
        if loaded.hasErrors {
            if !check, !list { tellOfMistakes(loaded.broken) }
            throw ExitCode(2)
        }
        if check { return }
        try play(loaded, part, options)
    }

    private func show(_ word: String) throws {
        guard let page = StatementPage.text(of: word) else {
            throw UsageError("test", "--explain: \(StatementPage.unknown(word))")
        }
        Say.output(page)
    }

    /// To machines, as of what couldn't be run; people have read of them.
    private func tellOfMistakes(_ broken: [ScenarioResult]) {
        var reports = Reports(self, isForPeople: false)
        reports.began(broken.count)
        _ = reports.ended(reports.took(broken))
    }

    // MARK: Playing

    private func play(_ loaded: LoadedFiles, _ part: Shard?, _ options: Fleet.Options) throws {
        let items = try chosen(loaded.items, part)
        if list {
            let ids = items.map(\.id)
            Say.output(json ? ScenarioList.json(ids) : ScenarioList.text(ids))
            return
        }
        var options = options
        options.jobs = jobs ?? max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        options.artifacts = try absoluteArtifacts()
        options.repetition = Repetition(times: repetitions, isUntilFailure: untilFailure)
        throw ExitCode(try play(items, options))
    }

    private func play(_ items: [Fleet.Item], _ options: Fleet.Options) throws -> Int32 {
        var reports = Reports(self)
        var results: [ScenarioResult] = []
        let planned = options.repetition.planned(items.count)
        reports.began(planned)
        let summary: Summary
        do throws(Files.Problem) {
            Fleet.blockSignals()
            let tools = try Tools.find()
            let folder = try RunFolder()
            let fleet = Fleet(options, tools, in: folder, planned: planned) { event in
                if writeDurations != nil, case .finished(let result) = event { results.append(result) }
                reports.take(event)
            }
            fleet.play(items)
            folder.remove()
            summary = fleet.summary
        } catch {
            summary = reports.took(items.map { ScenarioResult(unplayed: $0.id, error.message) })
        }
        let isWritten = reports.ended(summary)
        if let writeDurations {
            var durations = Durations()
            durations.note(results)
            if let problem = Files.write(durations.text, to: writeDurations) { throw broken(problem) }
        }
        return isWritten ? summary.status : 2
    }

    func broken(_ message: String) -> ExitCode {
        Say.error("curfew: test: \(message)")
        return ExitCode(2)
    }

    // MARK: What is chosen

    private func chosen(_ all: [Fleet.Item], _ part: Shard?) throws -> [Fleet.Item] {
        var ids = all.map(\.id)
        do throws(OptionProblem) {
            if !only.isEmpty { ids = try Selection(only).chosen(of: ids) }
        } catch {
            throw broken(error.message)
        }
        if let part { ids = part.part(of: ids, durations: try knownDurations()) }
        let wanted = Set(ids)
        return all.filter { wanted.contains($0.id) }
    }

    private func parsed(_ shard: String) throws(UsageError) -> Shard {
        do throws(OptionProblem) { return try Shard.parse(shard) } catch { throw UsageError("test", error.message) }
    }

    private func knownDurations() throws -> Durations? {
        guard let durations else { return nil }
        switch Files.read(durations) {
        case .failure(let problem): throw broken(problem.message)
        case .success(let text):
            let (known, problems) = Durations.read(text)
            for problem in problems { Say.error("curfew: test: \(problem.text(in: durations))") }
            return known
        }
    }

    /// 100 years: sums of them fit.
    private static let longestLimit: Int64 = 100 * 365 * 86400 * 1_000_000_000

    func setLimits(_ options: inout Fleet.Options) throws(UsageError) {
        options.limits.await = try nanoseconds(self.await, "--await") ?? options.limits.await
        options.limits.scenario = try nanoseconds(limit, "--limit") ?? options.limits.scenario
        options.limits.settle = try nanoseconds(settle, "--settle")
        if let settle, let nanoseconds = options.limits.settle, !Self.settling.contains(nanoseconds) {
            throw UsageError(
                "test", "--settle: \"\(settle)\" isn't from 1ms to 10s, for which an app is waited for at most")
        }
    }

    /// In nanoseconds. Source: `Advance.patience`; times travel in milliseconds.
    private static let settling: ClosedRange<Int64> = 1_000_000...10_000_000_000

    private func nanoseconds(_ text: String?, _ option: String) throws(UsageError) -> Int64? {
        guard let text else { return nil }
        guard let nanoseconds = TimeSpan.parse(text), nanoseconds < .max, nanoseconds > 0 else {
            throw UsageError("test", "\(option): \"\(text)\" isn't \(TimeSpan.acceptedFinite)")
        }
        if nanoseconds > Self.longestLimit {
            throw UsageError("test", "\(option): \"\(text)\" is more than 100 years")
        }
        return nanoseconds
    }

    /// Workers start elsewhere.
    func absoluteArtifacts() throws -> String? {
        guard let artifacts else { return nil }
        if let problem = Files.makeFolder(artifacts) { throw broken(problem) }
        return Files.folder(of: artifacts + "/.")
    }
}
