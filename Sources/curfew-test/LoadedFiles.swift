import CurfewScenario
import CurfewScenarioRun
import CurfewTestReports
import Glibc

/// The scenario files of a command line, read.
struct LoadedFiles {
    private var files: [(path: String, text: String, file: ScenarioFile)] = []
    /// What is wrong, ready to be printed, in the order of the files.
    private(set) var messages: [String] = []
    private(set) var hasErrors = false
    /// For each file that can't be played: what is wrong first.
    private(set) var broken: [ScenarioResult] = []
    /// Those that were named already, by whatever path.
    private var known: Set<String> = []

    static let ending = ".curfew"

    init(_ paths: [String]) {
        for path in paths {
            if Files.isFolder(path) { takeFolder(path) } else { take(path) }
        }
    }

    private mutating func takeFolder(_ folder: String) {
        let names = Files.names(in: folder).filter { $0.hasSuffix(Self.ending) }
        if names.isEmpty { refuse("curfew: test: \(folder) has no file whose name ends in \(Self.ending)") }
        let slash = folder.hasSuffix("/") ? "" : "/"
        for name in names { take(folder + slash + name) }
    }

    private mutating func take(_ path: String) {
        guard known.insert(Files.real(path)).inserted else { return }
        switch Files.readRegular(path) {
        case .failure(let problem):
            refuse("curfew: test: \(problem.message)")
            broken.append(Self.broken(path, line: 0, column: 0, "", problem.message))
        case .success(let text):
            var (file, diagnostics) = ScenarioReader.read(text, path: path)
            diagnostics += AppOptions.diagnostics(of: file)
            diagnostics.sort { ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column) }
            messages += diagnostics.map { $0.text(in: path) }
            if let first = diagnostics.first(where: { $0.severity == .error }) {
                hasErrors = true
                let (line, column) = (first.position.line, first.position.column)
                let lines = Lines.split(text)
                let statement = lines.indices.contains(line - 1) ? lines[line - 1] : ""
                broken.append(Self.broken(path, line: line, column: column, statement, first.sentence))
            }
            files.append((path, text, file))
        }
    }

    private static func broken(
        _ path: String, line: Int, column: Int, _ statement: String, _ why: String
    ) -> ScenarioResult {
        let failure = Failure(
            line: line, column: column, statement: statement, expected: "a file that can be played", seen: why)
        return ScenarioResult(ScenarioID(file: path, name: path, line: line), .broken(failure), seconds: 0)
    }

    private mutating func refuse(_ message: String) {
        messages.append(message)
        hasErrors = true
    }

    // MARK: Scenarios

    /// Each scenario with each set of its matrices' values.
    var items: [Fleet.Item] {
        files.flatMap { entry in
            entry.file.scenarios.enumerated().flatMap { index, scenario in
                Self.combinations(scenario).map { values in
                    Fleet.Item(
                        file: entry.path, index: index,
                        id: ScenarioID(
                            file: entry.path, name: scenario.name, line: scenario.position.line, values: values))
                }
            }
        }
    }

    /// `NAME=VALUE` each, the last name changing fastest.
    private static func combinations(_ scenario: Scenario) -> [[String]] {
        scenario.matrices.reduce([[]]) { all, matrix in
            all.flatMap { known in matrix.values.map { known + ["\(matrix.name)=\($0.constant ?? "")"] } }
        }
    }

    // MARK: Layout

    /// The status: 2 where a file couldn't be read or written.
    func format() -> Int32 {
        var status: Int32 = hasErrors ? 2 : 0
        for message in messages where hasErrors { Say.error(message) }
        for entry in files {
            guard let text = ScenarioFormatter.format(entry.text), text != entry.text else { continue }
            if let problem = Files.write(text, to: entry.path) {
                Say.error("curfew: test: \(problem)")
                status = 2
            } else {
                Say.output("\(entry.path)\n")
            }
        }
        return status
    }
}
