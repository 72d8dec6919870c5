import CurfewWire

/// What people read, on a terminal or in a log: a line for each scenario, its failure in full, and at the end who failed, and how many.
public struct PeopleReport: ResultSink {
    /// What it is read on.
    public struct Style: Sendable, Hashable {
        /// How many columns the terminal has; nil for what is no terminal, where no line is ever rewritten.
        public var terminalWidth: Int?
        public var hasColour: Bool

        public init(terminalWidth: Int? = nil, hasColour: Bool = false) {
            self.terminalWidth = terminalWidth
            self.hasColour = hasColour
        }
    }

    /// May change on the way, as a terminal's width does.
    public var style: Style
    private let keepsArtifacts: Bool
    private var planned: Int?
    private var finished = 0
    private var running: [ScenarioID] = []
    private var problems: [ScenarioResult] = []
    private var isProgressShown = false

    /// `keepsArtifacts`: false where those who look for a failure's cause are to be told that they could be kept.
    public init(_ style: Style, keepsArtifacts: Bool = true) {
        self.style = style
        self.keepsArtifacts = keepsArtifacts
    }

    public mutating func began(_ count: Int?) -> String {
        planned = count
        return above("")
    }

    public mutating func started(_ id: ScenarioID) -> String {
        running.append(id)
        return above("")
    }

    public mutating func finished(_ result: ScenarioResult) -> String {
        finished += 1
        if let index = running.firstIndex(of: result.id) { running.remove(at: index) }
        if result.failure != nil { problems.append(result) }
        return above(told(result))
    }

    /// What somebody else has to say meanwhile, whole lines: a warning. Written past the report, it would end up within the progress.
    public mutating func said(_ lines: String) -> String { above(lines) }

    public mutating func ended(_ summary: Summary) -> String {
        let erased = erasure
        isProgressShown = false
        return erased + reminder + hint(summary) + counts(summary)
    }
}

// The line of a scenario, and what comes below it.
extension PeopleReport {
    private func told(_ result: ScenarioResult) -> String {
        let took = HumanText.duration(nanoseconds: result.nanoseconds)
        let time = String(repeating: " ", count: max(0, 8 - took.count)) + took
        switch result.outcome {
        case .passed: return "\(painted("passed ", .green))\(time)  \(result.id.title)\n"
        case .skipped(let why):
            let why = why.isEmpty ? "" : ": " + Printable.text(why)
            return "\(painted("skipped", .yellow))\(time)  \(result.id.title)\(why)\n"
        case .failed(let failure):
            return "\(painted("FAILED ", .red))\(time)  \(result.id.title)\n" + block(result, failure)
        case .broken(let failure):
            return "\(painted("BROKEN ", .red))\(time)  \(result.id.title)\n" + block(result, failure)
        }
    }

    private func block(_ result: ScenarioResult, _ failure: Failure) -> String {
        var text = "\n"
        for line in FailureText(result, failure).lines {
            switch line.kind {
            case .blank: text += "\n"
            case .statement, .caret: text += "    " + painted(line.text, .red) + "\n"
            case .place, .heading: text += "    " + painted(line.text, .bold) + "\n"
            case .code, .fact, .quote: text += "    " + line.text + "\n"
            }
        }
        return text + "\n"
    }

    /// The failures' names again: they may have scrolled away.
    private var reminder: String {
        guard !problems.isEmpty else { return "" }
        var text = "\n"
        for problem in problems {
            guard let failure = problem.failure else { continue }
            let label = if case .broken = problem.outcome { "BROKEN" } else { "FAILED" }
            text += "\(painted(label, .red))  \(problem.id.title)\n"
            text += "        at \(failure.place(in: problem.id.file)): \(failure.sentence)\n"
        }
        return text
    }

    /// Once a run: of what couldn't be run there is little to keep.
    private func hint(_ summary: Summary) -> String {
        if keepsArtifacts || summary.failed == 0 { return "" }
        return "\n`--artifacts DIR` keeps journal, report, output and picture of each.\n"
    }

    private func counts(_ summary: Summary) -> String {
        var counts = ["\(summary.passed) passed"]
        if summary.failed > 0 { counts.append("\(summary.failed) failed") }
        if summary.skipped > 0 { counts.append("\(summary.skipped) skipped") }
        if summary.broken > 0 { counts.append("\(summary.broken) couldn't be run") }
        if summary.notRun > 0 { counts.append("\(summary.notRun) not run") }
        let took = HumanText.duration(nanoseconds: ScenarioResult.nanoseconds(summary.seconds))
        let colour: Colour = summary.status == 0 ? .green : .red
        let interruption = summary.interruption.map { "interrupted by \(Printable.text($0)): " } ?? ""
        return "\n" + painted(interruption + counts.joined(separator: ", "), colour) + ", in \(took)\n"
    }
}

// The line that is rewritten.
extension PeopleReport {
    private static let eraseLine = "\r\u{1b}[K"

    private var erasure: String { isProgressShown ? PeopleReport.eraseLine : "" }

    /// Lines that stay, with the progress below them.
    private mutating func above(_ lines: String) -> String {
        let erased = erasure
        let progress = progress
        isProgressShown = !progress.isEmpty
        return erased + lines + progress
    }

    /// Never as wide as the terminal: some would begin the next line, and then the wrong one would be rewritten.
    private var progress: String {
        guard let width = style.terminalWidth, width > 1 else { return "" }
        let text = progressText
        if DisplayWidth.of(text) < width { return text }
        return DisplayWidth.prefix(of: text, within: width - 2) + "…"
    }

    private var progressText: String {
        var text = "[\(finished)" + (planned.map { "/\($0)" } ?? "") + "]"
        if !problems.isEmpty { text += " \(problems.count) not well" }
        guard let first = running.first else { return text }
        text += (problems.isEmpty ? " " : "; ") + first.title
        return running.count > 1 ? text + ", and \(running.count - 1) more" : text
    }
}

// Colours.
extension PeopleReport {
    private enum Colour: String {
        case bold = "1"
        case red = "1;31"
        case green = "32"
        case yellow = "33"
    }

    private func painted(_ text: String, _ colour: Colour) -> String {
        style.hasColour ? "\u{1b}[\(colour.rawValue)m\(text)\u{1b}[0m" : text
    }
}
