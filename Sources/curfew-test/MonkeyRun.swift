import CurfewTestReports
import CurfewWire
import Glibc

/// `curfew test --monkey`: plays what a hunt wants to be played, and says how far it is.
final class MonkeyRun {
    /// It was ended by a signal.
    struct Interrupted: Error { var signal: String }

    private let options: Fleet.Options
    private let tools: Tools
    private let folder: RunFolder
    private var trials = 0
    /// What the line on a terminal says now, so that it can be cleared.
    private var hasProgress = false

    init(_ options: Fleet.Options, _ tools: Tools, in folder: RunFolder) {
        self.options = options
        self.tools = tools
        self.folder = folder
    }

    func hunt(_ hunt: MonkeyHunt) throws -> MonkeyHunt.Outcome {
        defer { clearProgress() }
        return try hunt.run { scenario, steps in
            trials += 1
            showProgress(trials == 1 ? "\(steps) steps" : "shrinking: trial \(trials - 1), \(steps) steps")
            let file = folder.path + "/monkey.curfew"
            if let problem = Files.write(scenario, to: file) { throw Files.Problem(message: problem) }
            return try play(file, artifacts: nil).outcome
        }
    }

    /// One file with one scenario.
    func play(_ file: String, artifacts: String?) throws -> ScenarioResult {
        var options = options
        options.artifacts = artifacts
        var found: ScenarioResult?
        let fleet = Fleet(options, tools, in: folder, planned: 1) { event in
            switch event {
            case .started: break
            case .finished(let result): found = result
            case .complained(let why): Say.error("curfew: test: \(Printable.text(why))")
            }
        }
        let loaded = LoadedFiles([file])
        guard !loaded.hasErrors, let item = loaded.items.first else {
            throw Files.Problem(message: loaded.messages.joined(separator: "\n"))
        }
        fleet.play([item])
        if let signal = fleet.summary.interruption { throw Interrupted(signal: signal) }
        guard let found else { throw Files.Problem(message: "\(file) wasn't played") }
        return found
    }

    // MARK: On a terminal

    private func showProgress(_ text: String) {
        guard isatty(2) == 1, let terminal = getenv("TERM"), strcmp(terminal, "dumb") != 0 else { return }
        hasProgress = true
        Files.writeAll(Array("\r\u{1b}[Kmonkey: \(text)".utf8), to: 2)
    }

    private func clearProgress() {
        if hasProgress { Files.writeAll(Array("\r\u{1b}[K".utf8), to: 2) }
        hasProgress = false
    }
}
