/// What a file holds: a scenario that has the file's name, or several with names of their own.
public struct ScenarioFile: Sendable, Hashable {
    /// As it was given.
    public var path: String
    public var scenarios: [Scenario]

    public init(path: String, scenarios: [Scenario]) {
        self.path = path
        self.scenarios = scenarios
    }
}

/// One scenario, complete: what the file says for all of its scenarios is in it.
public struct Scenario: Sendable, Hashable {
    public var name: String
    public var position: Position
    /// In order: what precedes the first heading, `before`, and its own.
    public var statements: [Statement]
    /// Of `after`: done at its end, whatever came of it.
    public var after: [Statement]

    public init(name: String, at position: Position, _ statements: [Statement], after: [Statement] = []) {
        self.name = name
        self.position = position
        self.statements = statements
        self.after = after
    }

    /// The name of each matrix with its values, in the order of the file.
    public var matrices: [(name: String, values: [Word])] {
        statements.compactMap { if case .matrix(let name, let values) = $0.kind { (name, values) } else { nil } }
    }
}
