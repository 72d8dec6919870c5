import Testing

@testable import CurfewScenario

@Suite("The pages of statements")
struct StatementPageTests {
    @Test("A statement's")
    func statement() {
        #expect(
            StatementPage.text(of: "warn") == """
                warn [LEVEL]

                    Gives the app a memory warning.

                    LEVEL is `warning`, which is meant if none is given, or `critical`.

                Example:
                    warn critical

                """)
    }

    @Test("Every statement and condition has one, with how it is written, and no line too long for a terminal")
    func every() throws {
        for name in StatementPage.names {
            let page = try #require(StatementPage.text(of: name))
            let definitions = StatementDefinition.statements + StatementDefinition.conditions
            for definition in definitions where definition.name == name { #expect(page.contains(definition.synopsis)) }
            for line in page.split(separator: "\n") { #expect(line.count <= 110, "\(name): \(line)") }
        }
        #expect(StatementPage.names.count == Set(StatementPage.names).count)
    }

    @Test("All is the document's reference")
    func all() { #expect(StatementPage.text(of: "all") == ScenarioReference.markdown) }

    @Test(
        "What is none",
        arguments: [
            ("hom", "there is no statement \"hom\"; did you mean \"home\"?"),
            ("Advance", "there is no statement \"Advance\"; did you mean \"advance\"?"),
        ])
    func unknown(word: String, said: String) {
        #expect(StatementPage.text(of: word) == nil)
        let accepted = StatementPage.names + [StatementPage.all]
        #expect(StatementPage.unknown(word) == "\(said) accepted: \(accepted.joined(separator: ", "))")
    }

    @Test("The list has a line for each")
    func list() {
        let lines = StatementPage.list.split(separator: "\n")
        #expect(lines.count == StatementDefinition.statements.count + StatementDefinition.conditions.count + 1)
        #expect(lines.contains("  home  Sends the app to the background."))
    }
}
