import CurfewScenario
import CurfewWire
import Glibc
import Testing

/// What is written beside the code is held to the table of definitions.
@Suite("Documents and editors")
struct DocumentTests {
    private static let statements = StatementDefinition.statements
    private static let conditions = StatementDefinition.conditions

    /// A file of the project.
    private static func text(of path: String) throws -> String {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let file = try #require(fopen("/\(root)/\(path)", "r"), "\(path) isn't there")
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("docs/scenarios.md ends with the reference, as ScenarioReference makes it")
    func reference() throws {
        let document = try Self.text(of: "docs/scenarios.md")
        let start = try #require(document.firstRange(of: "## Headings\n"))
        let written = document[start.lowerBound...].split(separator: "\n", omittingEmptySubsequences: false)
        let made = ScenarioReference.markdown.split(separator: "\n", omittingEmptySubsequences: false)
        let difference = zip(written, made).first { $0 != $1 }
        #expect(difference == nil, "the document has the first, the table the second")
        #expect(written.count == made.count)
    }

    @Test("No event that docs/json.md tells of is taken for a slip")
    func history() throws {
        let parts = try Self.text(of: "docs/json.md").split(separator: "`")
        let names = Set(parts.map(String.init).filter { Vocabulary.isEventName($0) && !$0.contains(".") })
        #expect(names.isSuperset(of: ["backgroundTasksWillExpire", "stateDidChange"]))
        for name in names.sorted() { #expect(problems(after: "expect event \(name)") == []) }
    }

    @Test("The document's example is read without a complaint")
    func example() throws {
        let parts = try Self.text(of: "docs/scenarios.md").split(separator: "```\n")
        let example = try #require(parts.first { $0.hasPrefix("app ") })
        let (file, diagnostics) = ScenarioReader.read(String(example), path: "a.curfew")
        #expect(diagnostics == [])
        #expect(file.scenarios.first?.statements.count == 13)
    }

    @Test("The reference has every definition's words")
    func wholeReference() {
        let lines = Set(ScenarioReference.markdown.split(separator: "\n").map(String.init))
        for definition in Self.statements + Self.conditions {
            #expect(lines.contains("    \(definition.synopsis)"))
            #expect(lines.isSuperset(of: definition.example.split(separator: "\n").map(String.init)))
        }
    }

    @Test("The grammar has every word of the language", arguments: statements + conditions)
    func grammar(definition: StatementDefinition) throws {
        #expect(try Self.text(of: "docs/scenarios.ebnf").contains("\"\(definition.name)\""))
    }

    @Test("The grammar has the states and levels")
    func grammarChoices() throws {
        let grammar = try Self.text(of: "docs/scenarios.ebnf")
        let states = Vocabulary.states.map { "\"\($0)\"" }.joined(separator: " | ")
        #expect(grammar.contains("state       = \(states) ;"))
        let levels = Vocabulary.warningLevels.map { "\"\($0)\"" }.joined(separator: " | ")
        #expect(grammar.contains("level       = \(levels) ;"))
        let operators = Condition.Comparison.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " | ")
        #expect(grammar.contains("operator    = \(operators) ;"))
    }

    private static let groups =
        StatementDefinition.Kind.allCases.map { kind in
            (statements + conditions).filter { $0.kind == kind }.map(\.name)
        } + [Vocabulary.lifecycleEvents]

    @Test("vim knows the words, kind by kind", arguments: groups)
    func vim(words: [String]) throws {
        let syntax = try Self.text(of: "Sources/editors/vim/syntax/curfew.vim")
        #expect(syntax.contains("\\%(" + words.joined(separator: "\\|") + "\\)"))
    }

    @Test("VS Code knows the words, kind by kind", arguments: groups)
    func code(words: [String]) throws {
        let grammar = try Self.text(of: "Sources/editors/vscode/syntaxes/curfew.tmLanguage.json")
        let isThere = ["(?:", "("].contains { grammar.contains($0 + words.joined(separator: "|") + ")") }
        #expect(isThere)
    }

    @Test(
        "What VS Code reads is JSON",
        arguments: ["package.json", "language-configuration.json", "syntaxes/curfew.tmLanguage.json"])
    func json(file: String) throws {
        let text = try Self.text(of: "Sources/editors/vscode/\(file)")
        #expect(throws: Never.self) { try JSON.parse(Array(text.utf8)) }
    }
}
