/// A statement's page of the reference, as a terminal shows it.
public enum StatementPage {
    /// What stands for everything.
    public static let all = "all"

    /// Statements and conditions, in the order of the reference; conditions that are called as a statement is share its page.
    public static let names: [String] = definitions.reduce(into: []) { names, definition in
        if !names.contains(definition.name) { names.append(definition.name) }
    }

    private static let definitions = StatementDefinition.statements + StatementDefinition.conditions

    /// How each is written, and what it does, a line each.
    public static var list: String {
        StatementDefinition.statements.map(line).joined(separator: "\n") + "\n\n"
            + "Conditions, behind `await` and `expect`:\n"
            + StatementDefinition.conditions.map(line).joined(separator: "\n") + "\n"
    }

    private static func line(_ definition: StatementDefinition) -> String {
        "  \(definition.synopsis)  \(definition.abstract)"
    }

    /// The page of one; Markdown of everything for `all`; nil for what is none.
    public static func text(of name: String) -> String? {
        if name == all { return ScenarioReference.markdown }
        let found = definitions.filter { $0.name == name }
        return found.isEmpty ? nil : found.map(page).joined(separator: "\n")
    }

    /// What is said of what is none.
    public static func unknown(_ name: String) -> String {
        let known = names + [all]
        return AcceptedWords(known).sentence(behind: Choice.question("statement", name, among: known))
    }

    private static func page(_ definition: StatementDefinition) -> String {
        let paragraphs = ([definition.abstract] + definition.discussion.split(separator: "\n\n").map(String.init))
            .map { filled($0).map { "    " + $0 }.joined(separator: "\n") }
        let example = definition.example.split(separator: "\n", omittingEmptySubsequences: false)
            .map { "    " + $0 }.joined(separator: "\n")
        return ([definition.synopsis] + paragraphs + ["Example:\n" + example]).joined(separator: "\n\n") + "\n"
    }

    /// Lines of at most 74 characters, where no word is longer.
    private static func filled(_ paragraph: String) -> [String] {
        paragraph.split(whereSeparator: \.isWhitespace).reduce(into: []) { lines, word in
            if let last = lines.last, last.count + word.count < 74 {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
    }
}
