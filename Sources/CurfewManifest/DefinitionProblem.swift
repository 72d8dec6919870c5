/// Something wrong with what defines an app, or that may not be meant.
public struct DefinitionProblem: Error, Sendable, Equatable {
    /// From 1; nil: it is about the whole file.
    public var line: Int?
    public var key: String?
    /// What is wrong, and what is accepted.
    public var text: String
    /// Whether it only warns: the app can be launched.
    public var isWarning = false

    init(line: Int? = nil, key: String? = nil, _ text: String, isWarning: Bool = false) {
        self.line = line
        self.key = key
        self.text = text
        self.isWarning = isWarning
    }

    /// The problem in one line, with the file in front as compilers have it.
    public func text(in path: String) -> String {
        let place = path + (line.map { ":\($0)" } ?? "")
        return [place, isWarning ? "warning" : nil, key, text].compactMap(\.self).joined(separator: ": ")
    }
}

/// What a file says of an app, and all that is wrong with it.
public struct CheckedDefinition: Sendable, Equatable {
    public let path: String
    /// What the app would be called; nil where the file's name is no name, or the path isn't a definition's.
    public let name: String?
    /// Nil where an error is among the problems.
    public let definition: AppDefinition?
    /// In the order of their lines.
    public let problems: [DefinitionProblem]

    init(path: String, name: String?, definition: AppDefinition?, problems: [DefinitionProblem]) {
        self.path = path
        self.name = name
        self.definition = problems.allSatisfy(\.isWarning) ? definition : nil
        self.problems = problems.enumerated()
            .sorted { ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset) }.map(\.element)
    }

    /// Of what couldn't be read at all.
    public init(path: String, problem: DefinitionProblem) {
        self.init(path: path, name: nil, definition: nil, problems: [problem])
    }

    init(path: String, error: String) { self.init(path: path, problem: DefinitionProblem(error)) }
}
