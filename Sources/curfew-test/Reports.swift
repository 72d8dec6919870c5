import CCurfew
import CurfewArguments
import CurfewTestReports
import CurfewWire
import Glibc

/// Everything that is told of a run, to whoever asked.
struct Reports {
    private var printed: [any ResultSink] = []
    private var junit: (path: String, report: JUnitReport)?
    /// Why standard output didn't take everything.
    private var outputProblem: String?
    /// What isn't there of that which was asked for.
    private var complaints: [String] = []
    private let isOnGitHub = getenv("GITHUB_ACTIONS") != nil

    /// `isForPeople`: false where they have been told already, in another way.
    init(_ command: TestCommand, isForPeople: Bool = true) {
        if command.tap {
            printed.append(TAPReport())
        } else if command.json {
            printed.append(JSONLinesReport())
        } else if isForPeople {
            printed.append(PeopleReport(Self.style, keepsArtifacts: command.artifacts != nil))
        }
        // Its runner reads them wherever they stand among the lines, but not among TAP's or JSON's.
        if isOnGitHub, !command.tap, !command.json { printed.append(GitHubAnnotations(folder: Self.folderOnGitHub)) }
        if let path = command.junit {
            junit = (path, JUnitReport(timestamp: Self.timestamp))
            // Whoever ends us doesn't leave an older run's to be taken for this one's.
            if Files.isRegular(path) { unlink(path) }
        }
    }

    /// Where we are in the repository, with a slash at its end.
    private static var folderOnGitHub: String {
        guard let workspace = getenv("GITHUB_WORKSPACE").map({ Files.folder(of: String(cString: $0) + "/.") }) else {
            return ""
        }
        let here = Files.folder(of: "./.") + "/"
        return here.hasPrefix(workspace + "/") ? String(here.dropFirst(workspace.utf8.count + 1)) : ""
    }

    private static var style: PeopleReport.Style {
        guard isatty(1) == 1 else { return PeopleReport.Style() }
        var size = winsize()
        let width = ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
        let isDumb = getenv("TERM").map { String(cString: $0) } ?? "dumb" == "dumb"
        return PeopleReport.Style(
            terminalWidth: isDumb ? nil : width, hasColour: !isDumb && !isSet("NO_COLOR"))
    }

    /// Source: no-color.org: what is empty doesn't count.
    private static func isSet(_ name: String) -> Bool { getenv(name).map { $0.pointee != 0 } ?? false }

    /// Now, in UTC, as ISO 8601 has it.
    private static var timestamp: String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// All of them, that weren't played; what they come to.
    mutating func took(_ results: [ScenarioResult]) -> Summary {
        var summary = Summary(planned: results.count)
        for result in results {
            summary.count(result)
            take(.started(result.id))
            take(.finished(result))
        }
        return summary
    }

    private mutating func tell(_ words: (inout any ResultSink) -> String) {
        for index in printed.indices {
            if var people = printed[index] as? PeopleReport, people.style.terminalWidth != nil {
                // The window may have another size now.
                people.style = Self.style
                printed[index] = people
            }
            let text = words(&printed[index])
            if !Say.output(isOnGitHub ? harmless(text) : text), outputProblem == nil { outputProblem = Files.reason() }
        }
    }

    /// GitHub's runner takes `##[` for a command wherever it stands in a line; JSON reads \u0023 as the same.
    ///
    /// Source: actions/runner, ActionCommand.TryParse.
    private func harmless(_ text: String) -> String {
        text.replacing("##[", with: printed.first is JSONLinesReport ? "#\\u0023[" : "# #[")
    }

    mutating func began(_ count: Int?) {
        tell { $0.began(count) }
        _ = junit?.report.began(count)
    }

    mutating func take(_ event: Fleet.Event) {
        switch event {
        case .started(let id):
            tell { $0.started(id) }
            _ = junit?.report.started(id)
        case .finished(let result):
            tell { $0.finished(result) }
            _ = junit?.report.finished(result)
        case .complained(let why): complaints.append(why)
        }
    }

    /// Whether everything could be written; where not, that is said.
    mutating func ended(_ summary: Summary) -> Bool {
        tell { $0.ended(summary) }
        for complaint in complaints { Say.error("curfew: test: \(Printable.text(complaint))") }
        if let outputProblem { Say.error("curfew: test: writing to standard output: \(outputProblem)") }
        return writeJUnit(summary) && outputProblem == nil && complaints.isEmpty
    }

    private mutating func writeJUnit(_ summary: Summary) -> Bool {
        guard var junit, let problem = Files.write(junit.report.ended(summary), to: junit.path) else { return true }
        Say.error("curfew: test: \(problem)")
        return false
    }
}
