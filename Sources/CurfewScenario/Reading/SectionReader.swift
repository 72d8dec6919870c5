/// Gathers the statements of a file under its headings.
struct SectionReader {
    private(set) var sections: [Section] = []
    private(set) var diagnostics: [Diagnostic] = []

    mutating func take(_ line: LogicalLine) {
        guard let first = line.words.first else { return }
        if sections.isEmpty { sections.append(Section(heading: .none, position: first.position)) }
        if let name = first.plain, let definition = StatementDefinition.statement(named: name),
            definition.kind == .heading
        {
            begin(definition, line)
        } else {
            sections[sections.count - 1].items.append(item(line))
        }
    }

    private mutating func begin(_ definition: StatementDefinition, _ line: LogicalLine) {
        var section = Section(heading: .scenario(""), position: line.words[0].position)
        if definition.name != "scenario" { section.heading = definition.name == "before" ? .before : .after }
        do throws(Diagnostic) {
            var cursor = WordCursor(definition, line.words[0], line.words.dropFirst())
            if !line.isBroken, definition.name == "scenario" {
                section.heading = .scenario(try SectionReader.name(&cursor))
            }
            if !line.isBroken { try cursor.end("what belongs to it stands on the lines below") }
        } catch {
            diagnostics.append(error)
        }
        sections.append(section)
    }

    private static func name(_ cursor: inout WordCursor) throws(Diagnostic) -> String {
        let word = try cursor.next("NAME")
        guard let name = word.word.constant else {
            throw Diagnostic(at: word.position, "a scenario's name has no variables; write \\$ for a $")
        }
        guard !name.isEmpty else { throw Diagnostic(at: word.position, "a scenario's name can't be empty") }
        try cursor.end("a NAME with blanks stands in quotes")
        return name
    }

    private mutating func item(_ line: LogicalLine) -> Item {
        if !line.isBroken {
            do throws(Diagnostic) {
                return .statement(try StatementReader().read(line))
            } catch {
                diagnostics.append(error)
            }
        }
        let words = line.words.drop { $0.plain == "!" }
        return .broken(
            at: line.words[0].position, meant: words.first.flatMap(UnknownStatement.meant),
            words: words.compactMap(\.word.constant))
    }
}
