import CCurfew
import CurfewScenarioRun
import CurfewTestReports
import Glibc

/// Plays scenarios side by side, each by a worker in a tree of its own.
final class Fleet {
    /// What is to be played, and where it stands.
    struct Item {
        var file: String
        var index: Int
        var id: ScenarioID
    }

    /// As the options say.
    struct Options {
        var jobs = 1
        /// Where they are played; nil for each one's file's folder.
        var directory: String?
        var artifacts: String?
        var limits = ScenarioRunner.Limits()
        var repetition = Repetition()
    }

    /// A worker that plays.
    private final class Play {
        let item: Item
        let process: WorkerProcess
        let folder: String
        var output: [UInt8] = []
        let began: Int64

        init(_ item: Item, _ process: WorkerProcess, folder: String) {
            self.item = item
            self.process = process
            self.folder = folder
            began = curfew_monotonic_nanoseconds()
        }

        /// It is the last that a worker says, in a line of JSON; what the scenario has left is ended with it.
        var hasResult: Bool {
            let newline = UInt8(ascii: "\n")
            guard output.last == newline else { return false }
            let lines = output.dropLast()
            let first = lines.lastIndex(of: newline).map { $0 + 1 } ?? 0
            return lines.indices.contains(first) && lines[first] == UInt8(ascii: "{")
        }
    }

    private let options: Options
    private let tools: Tools
    private let folder: RunFolder
    private let signals: Int32
    private var report: (Event) -> Void
    private var plays: [Play] = []
    /// What has a result, and whose processes are being ended: others play meanwhile. In the order of their ends.
    private var endings: [Play] = []
    /// A worker that waits for the next: it has started while others played.
    private var spare: WorkerProcess?
    private var count = 0
    private(set) var summary: Summary

    enum Event {
        case started(ScenarioID)
        case finished(ScenarioResult)
        /// What was asked for besides can't be had whole, and why.
        case complained(String)
    }

    /// Signals that end it are taken over: the caller has them blocked.
    init(_ options: Options, _ tools: Tools, in folder: RunFolder, planned: Int?, _ report: @escaping (Event) -> Void) {
        self.options = options
        self.tools = tools
        self.folder = folder
        self.report = report
        summary = Summary(planned: planned)
        signals = curfew_signalfd(Self.ending)
    }

    deinit { close(signals) }

    private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].reduce(UInt64(0)) { $0 | 1 << UInt64($1 - 1) }

    static func blockSignals() { _ = curfew_set_signal_mask(ending, nil) }

    // MARK: Playing

    /// All of them, as often as was asked for.
    func play(_ items: [Item]) {
        let began = curfew_monotonic_nanoseconds()
        var round = 1
        while options.repetition.begins(round: round, after: summary), summary.interruption == nil {
            let ids = options.repetition.ids(items.map(\.id), round: round)
            playRound(zip(items, ids).map { item, id in Item(file: item.file, index: item.index, id: id) })
            round += 1
        }
        end()
        summary.seconds = Double(curfew_monotonic_nanoseconds() - began) / 1e9
    }

    private func playRound(_ items: [Item]) {
        var next = items[...]
        while true {
            while hasRoom, summary.interruption == nil, options.repetition.goesOn(after: summary),
                let item = next.popFirst()
            {
                begin(item)
            }
            prepare(isNeeded: !next.isEmpty)
            if plays.isEmpty && endings.isEmpty || summary.interruption != nil { return }
            wait()
        }
    }

    /// One at a time means that nothing of the last is left when the next begins; and until something fails, nothing begins before
    /// it is known what came of the last.
    private var hasRoom: Bool {
        let isStrict = options.jobs == 1 || options.repetition.isUntilFailure
        return plays.count < options.jobs && endings.count < (isStrict ? 1 : options.jobs)
    }

    private func begin(_ item: Item) {
        count += 1
        let place = "\(folder.path)/\(count)"
        let job = WorkerJob(
            file: item.file, index: item.index, id: item.id, folder: place, curfew: tools.curfew,
            directory: options.directory, artifacts: options.artifacts.map { "\($0)/\(item.id.folderName)" },
            limits: options.limits)
        report(.started(item.id))
        do throws(WorkerProcess.Problem) {
            let worker = if let spare, spare.isFit { spare } else { try newWorker() }
            if let spare, spare !== worker { dismiss(spare) }
            spare = nil
            worker.give(job)
            plays.append(Play(item, worker, folder: place))
        } catch {
            finish(item, broken: error.message)
        }
    }

    private func prepare(isNeeded: Bool) {
        guard isNeeded, spare == nil, summary.interruption == nil, options.repetition.goesOn(after: summary) else {
            return
        }
        // What stands in the way is told when it is needed.
        spare = try? newWorker()
    }

    /// It has nothing to end: that doesn't take long.
    private func dismiss(_ worker: WorkerProcess) {
        worker.end()
        _ = worker.wait()
    }

    private func newWorker() throws(WorkerProcess.Problem) -> WorkerProcess {
        try WorkerProcess(tools, scenarioLimit: options.limits.scenario)
    }

    // MARK: Waiting

    private func wait() {
        var waiting = plays.map { pollfd(fd: $0.process.output, events: Int16(POLLIN), revents: 0) }
        waiting += endings.map { pollfd(fd: $0.process.pidfd, events: Int16(POLLIN), revents: 0) }
        waiting.append(pollfd(fd: signals, events: Int16(POLLIN), revents: 0))
        guard poll(&waiting, nfds_t(waiting.count), -1) > 0 else { return }
        if waiting[waiting.count - 1].revents != 0 { return interrupt() }
        var over: [Play] = []
        for (play, found) in zip(plays, waiting) where found.revents != 0 {
            if !read(play) { over.append(play) }
        }
        plays.removeAll { play in over.contains { $0 === play } }
        for play in over {
            play.process.end()
            endings.append(play)
        }
        while let first = endings.first, first.process.hasEnded {
            endings.removeFirst()
            finish(first)
        }
    }

    /// False at its end.
    private func read(_ play: Play) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        let count = bytes.withUnsafeMutableBytes { curfew_read(play.process.output, $0.baseAddress, $0.count) }
        if count == -EINTR { return true }
        guard count > 0 else { return false }
        play.output += bytes[..<Int(count)]
        return !play.hasResult
    }

    private func finish(_ play: Play) {
        let status = play.process.wait()
        Files.remove(play.folder)
        let lines = String(decoding: play.output, as: UTF8.self).split(separator: "\n").map(String.init)
        guard var result = ScenarioResult(jsonLine: lines.last ?? "") else {
            let said = lines.suffix(3).joined(separator: "; ")
            let why = "its worker ended with \(status)" + (said.isEmpty ? "" : ": \(said)")
            return finish(play.item, broken: why)
        }
        result.seconds = Double(curfew_monotonic_nanoseconds() - play.began) / 1e9
        for line in lines.dropLast() { report(.complained(line)) }
        if let artifacts = result.artifacts { addPictures(&result, artifacts) }
        finish(result)
    }

    /// Of each launch; the last is the one that tells why it failed.
    private func addPictures(_ result: inout ScenarioResult, _ artifacts: String) {
        guard tools.timeline != nil else { return }
        for (journal, picture) in StagePlace.journals(in: artifacts) {
            if tools.draw(journal, of: result.id.title, to: picture) {
                result.outcome.setPicture(picture)
            } else {
                report(.complained("there is no \(picture)"))
            }
        }
    }

    private func finish(_ item: Item, broken why: String) {
        finish(ScenarioResult(unplayed: item.id, why))
    }

    private func finish(_ result: ScenarioResult) {
        summary.count(result)
        report(.finished(result))
    }

    // MARK: The end

    private func interrupt() {
        var info = curfew_signal_info()
        guard curfew_signalfd_read(signals, &info) > 0 else { return }
        let names = [SIGINT: "SIGINT", SIGTERM: "SIGTERM", SIGHUP: "SIGHUP", SIGQUIT: "SIGQUIT"]
        summary.interruption = names[info.signal] ?? "a signal"
    }

    /// Whoever still plays is killed, with all that it has started.
    private func end() {
        for play in plays { play.process.end() }
        if let spare { dismiss(spare) }
        for play in plays + endings {
            _ = play.process.wait()
            Files.remove(play.folder)
        }
        (plays, endings, spare) = ([], [], nil)
    }
}

extension ScenarioResult.Outcome {
    fileprivate mutating func setPicture(_ path: String) {
        switch self {
        case .failed(var failure):
            failure.picture = path
            self = .failed(failure)
        case .broken(var failure):
            failure.picture = path
            self = .broken(failure)
        case .passed, .skipped: break
        }
    }
}
