/// The reference of the language, made of the table of definitions.
public enum ScenarioReference {
    /// Markdown, which `docs/scenarios.md` ends with.
    public static var markdown: String {
        sections.map { section in
            (["## \(section.title)", section.introduction] + section.definitions.map(entry)).joined(separator: "\n\n")
        }.joined(separator: "\n\n") + "\n"
    }

    private static let sections: [(title: String, introduction: String, definitions: [StatementDefinition])] = [
        (
            "Headings", "A heading stands alone on its line; what belongs to it goes on to the next heading.",
            of(.heading)
        ),
        ("What a scenario is about", "These stand above `launch`; `set` may stand anywhere.", of(.declaration)),
        ("Doing", "Each returns once what it set off has settled.", of(.action)),
        ("Looking", "CONDITION is one of those of the next section.", of(.look)),
        ("Conditions", "They stand behind `await` and `expect`.", StatementDefinition.conditions),
    ]

    private static func of(_ kind: StatementDefinition.Kind) -> [StatementDefinition] {
        StatementDefinition.statements.filter { $0.kind == kind }
    }

    private static func entry(_ definition: StatementDefinition) -> String {
        """
        ### \(definition.name == "skip" ? "skip unless" : definition.name)

            \(definition.synopsis)

        \(definition.abstract) \(definition.discussion)

        ```
        \(definition.example)
        ```
        """
    }
}
