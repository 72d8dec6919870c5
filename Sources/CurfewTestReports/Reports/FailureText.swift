import CurfewWire

/// A failure, line by line: the statement among its neighbours, what was expected and seen, the last events and output.
struct FailureText {
    /// What a line is, for who paints it.
    enum Kind: Hashable {
        case place, code, statement, caret, fact, heading, quote, blank
    }

    struct Line: Hashable {
        var kind: Kind
        var text: String
    }

    private(set) var lines: [Line] = []

    /// `hasOutput`: false where the output stands elsewhere.
    init(_ result: ScenarioResult, _ failure: Failure, hasOutput: Bool = true) {
        // "at", so that no line begins with a file's name, which could be a command to who runs the tests.
        add(.place, "at " + failure.place(in: result.id.file))
        addCode(failure)
        addFacts(failure)
        addQuotes("last advances", result.advances.map(\.text))
        addQuotes("last events", failure.events)
        if hasOutput { addQuotes("last output", failure.output) }
        addPaths(result, failure)
    }

    private mutating func add(_ kind: Kind, _ text: String = "") { lines.append(Line(kind: kind, text: text)) }

    private mutating func addCode(_ failure: Failure) {
        let neighbours = failure.neighbours.isEmpty ? FailureText.statement(of: failure) : failure.neighbours
        let digits = neighbours.map { String($0.number).count }.max() ?? 0
        for neighbour in neighbours {
            let isStatement = neighbour.number == failure.line
            let number = FailureText.padded(String(neighbour.number), to: digits)
            let code = Printable.text(neighbour.text)
            add(isStatement ? .statement : .code, "\(isStatement ? ">" : " ") \(number) | \(code)")
            if isStatement, failure.column > 0 {
                let before = DisplayWidth.of(Printable.text(String(neighbour.text.prefix(failure.column - 1))))
                add(
                    .caret,
                    String(repeating: " ", count: digits + 2) + " | " + String(repeating: " ", count: before) + "^")
            }
        }
    }

    /// Where no neighbours were given: the statement's own lines.
    private static func statement(of failure: Failure) -> [Failure.Line] {
        guard !failure.statement.isEmpty else { return [] }
        return failure.statement.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .map { Failure.Line(failure.line + $0.offset, String($0.element)) }
    }

    private mutating func addFacts(_ failure: Failure) {
        let facts = [("expected", failure.expected), ("seen", failure.seen)].filter { !$0.1.isEmpty }
        if !facts.isEmpty { add(.blank) }
        for (name, text) in facts { add(.fact, FailureText.fact(name, text)) }
    }

    private mutating func addQuotes(_ heading: String, _ quotes: [String]) {
        guard !quotes.isEmpty else { return }
        add(.blank)
        add(.heading, heading)
        // The bar, so that no line that a program has written is taken for one of ours.
        for quote in quotes { add(.quote, "| " + Printable.text(quote)) }
    }

    private mutating func addPaths(_ result: ScenarioResult, _ failure: Failure) {
        let paths = [("picture", failure.picture), ("kept in", result.artifacts)]
        if paths.contains(where: { $0.1 != nil }) { add(.blank) }
        for (name, path) in paths {
            if let path { add(.fact, FailureText.fact(name, path)) }
        }
    }

    private static func fact(_ name: String, _ text: String) -> String {
        name + String(repeating: " ", count: 10 - name.count) + Printable.text(text)
    }

    private static func padded(_ text: String, to count: Int) -> String {
        String(repeating: " ", count: max(0, count - text.count)) + text
    }
}
