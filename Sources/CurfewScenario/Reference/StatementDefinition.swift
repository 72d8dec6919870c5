/// What there is to know of a statement or a condition: messages, the reference and completion are made of it.
public struct StatementDefinition: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Begins a part of the file.
        case heading
        /// Says what a scenario is about.
        case declaration
        case action
        case look
        /// What `await` and `expect` look for.
        case condition
    }

    /// Its first word, and that of the lines it stands on; a condition's stands behind `await` and `expect`.
    public let name: String
    public let kind: Kind
    /// How it is written: what is in capitals stands for something, what is in brackets may be left away.
    public let synopsis: String
    /// One sentence.
    public let abstract: String
    /// What else is good to know; paragraphs, as in Markdown.
    public let discussion: String
    /// Lines that are read without a complaint, in a file that has `app` and `launch` besides where they need it.
    public let example: String
    /// Whether events are counted from it on: whether it acts on the app.
    public let actsOnApp: Bool

    init(
        _ name: String, _ kind: Kind, _ synopsis: String, _ abstract: String, example: String,
        actsOnApp: Bool = false, _ discussion: String
    ) {
        self.name = name
        self.kind = kind
        self.synopsis = synopsis
        self.abstract = abstract
        self.discussion = discussion
        self.example = example
        self.actsOnApp = actsOnApp
    }

    /// Headings and statements, in the order of the reference.
    public static let statements = headings + declarations + actions + looks

    public static func statement(named name: String) -> StatementDefinition? {
        statements.first { $0.name == name }
    }

    public static func condition(named name: String) -> StatementDefinition? {
        conditions.first { $0.name == name }
    }
}
