import CurfewScenarioRun
import CurfewTestReports

/// What a worker plays: one scenario, with one set of values, in a folder of its own.
struct WorkerJob {
    static let option = "--worker"

    var file: String
    /// Which of the file's scenarios, from 0.
    var index: Int
    var id: ScenarioID
    var folder: String
    var curfew: String
    /// Where it is played; nil for its file's folder.
    var directory: String?
    var artifacts: String?
    var limits: ScenarioRunner.Limits

    /// What the worker reads: its words, each with a NUL behind it.
    var bytes: [UInt8] { words.flatMap { Array($0.utf8) + [0] } }

    private var words: [String] {
        [
            file, "\(index)", "\(id.round)", folder, curfew, artifacts ?? "", "\(limits.await)", "\(limits.scenario)",
            id.name, "\(id.line)", directory ?? "", limits.settle.map { "\($0)" } ?? "",
        ] + id.values
    }

    init(
        file: String, index: Int, id: ScenarioID, folder: String, curfew: String, directory: String?,
        artifacts: String?, limits: ScenarioRunner.Limits
    ) {
        self.file = file
        self.index = index
        self.id = id
        self.folder = folder
        self.curfew = curfew
        self.directory = directory
        self.artifacts = artifacts
        self.limits = limits
    }

    /// Nil for bytes that aren't a whole one's.
    init?(_ bytes: [UInt8]) {
        let words = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
            .map { String(decoding: $0, as: UTF8.self) }
        guard bytes.last == 0, words.count >= 12, let index = Int(words[1]), let round = Int(words[2]),
            let awaitLimit = Int64(words[6]), let scenarioLimit = Int64(words[7]), let line = Int(words[9])
        else { return nil }
        var limits = ScenarioRunner.Limits()
        limits.await = awaitLimit
        limits.scenario = scenarioLimit
        limits.settle = Int64(words[11])
        self.init(
            file: words[0], index: index,
            id: ScenarioID(file: words[0], name: words[8], line: line, values: Array(words[12...]), round: round),
            folder: words[3], curfew: words[4], directory: words[10].isEmpty ? nil : words[10],
            artifacts: words[5].isEmpty ? nil : words[5], limits: limits)
    }
}
