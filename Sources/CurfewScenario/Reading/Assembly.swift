/// Puts the scenarios of a file together from its sections, and checks each as it will run.
struct Assembly {
    private(set) var scenarios: [Scenario] = []
    private(set) var diagnostics: [Diagnostic] = []
    private let sections: [Section]
    private var shared: [Item] = []
    private var after: [Item] = []

    init(_ sections: [Section], path: String) {
        self.sections = sections
        if sections.count <= 1 {
            assembleWhole(sections.first, path: path)
        } else {
            assembleParts()
        }
        // A line that couldn't be read may have used any.
        let isWhole = sections.allSatisfy { $0.items.count == $0.statements.count }
        if isWhole {
            diagnostics +=
                UnusedNames.warnings(scenarios) + EventNames.warnings(scenarios) + KeyNames.warnings(scenarios)
        }
    }

    private mutating func complain(_ position: Position, _ message: String) {
        diagnostics.append(Diagnostic(at: position, message))
    }

    /// A file without headings.
    private mutating func assembleWhole(_ section: Section?, path: String) {
        guard let section else {
            return complain(Position(line: 1, column: 1), "there is no statement in this file")
        }
        add(Assembly.stem(of: path), section)
    }

    private mutating func assembleParts() {
        let preamble = sections.first { $0.heading == .none }
        for statement in preamble?.statements ?? [] { checkPreamble(statement) }
        let before = only(.before)
        let after = only(.after)
        self.after = after?.items ?? []
        for statement in after?.statements ?? [] { checkAfter(statement) }
        shared = (preamble?.items ?? []) + (before?.items ?? [])
        var seen: [String: Position] = [:]
        for section in sections {
            guard case .scenario(let name) = section.heading else { continue }
            if section.items.isEmpty { complain(section.position, "this scenario has no statements") }
            if !name.isEmpty, let other = seen.updateValue(section.position, forKey: name) {
                complain(section.position, "there is a scenario \"\(name)\" already, on line \(other.line)")
            }
            add(name, section)
        }
        if let position = sections.first(where: { $0.heading != .none })?.position, scenarios.isEmpty {
            complain(
                position,
                "there is no scenario that this could belong to; put scenario \"NAME\" above its first statement")
        }
    }

    /// The first of that kind; others are complained of.
    private mutating func only(_ heading: Section.Heading) -> Section? {
        let found = sections.filter { $0.heading == heading }
        for other in found.dropFirst() {
            let name = heading == .before ? "before" : "after"
            complain(other.position, "there is a `\(name)` already, on line \(found[0].position.line)")
        }
        if let first = found.first, first.items.isEmpty {
            complain(first.position, "nothing stands below this heading")
        }
        return found.first
    }

    private mutating func checkPreamble(_ statement: Statement) {
        guard StatementDefinition.statement(named: statement.kind.name)?.kind != .declaration else { return }
        complain(
            statement.position,
            "\"\(statement.kind.name)\" stands above the first heading, where only app, set, matrix, time-scale and "
                + "skip may; put it below `before`")
    }

    private mutating func checkAfter(_ statement: Statement) {
        switch statement.kind {
        case .app, .matrix, .timeScale, .skipUnless:
            complain(
                statement.position, "\"\(statement.kind.name)\" can't stand below `after`: the scenario is over there")
        default: break
        }
    }

    private mutating func add(_ name: String, _ section: Section) {
        let items = shared + section.items
        var check = OrderCheck()
        for item in items { check.take(item) }
        check.end(items.isEmpty ? nil : section.position)
        for item in after { check.takeAfter(item) }
        diagnostics += check.diagnostics
        scenarios.append(
            Scenario(
                name: name, at: section.position, items.compactMap(\.statement), after: after.compactMap(\.statement)))
    }

    /// `upload` of `suite/upload.curfew`.
    private static func stem(of path: String) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        let suffix = ".curfew"
        return file.hasSuffix(suffix) && file.utf8.count > suffix.utf8.count
            ? String(file.dropLast(suffix.count)) : file
    }
}
