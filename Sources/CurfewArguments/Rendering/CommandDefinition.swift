import ArgumentParser

/// A verb as its manual page needs it.
struct CommandDefinition {
    /// Another verb, of which there is a page too.
    struct Reference: Equatable {
        var path: [String]
        var abstract: String
    }

    /// From `curfew` on.
    var path: [String]
    var abstract: String
    var usage: String
    /// Written as `HelpSection` reads it; so are the notes.
    var discussion: String
    var notes = ""
    var arguments: [DefinedArgument] = []
    var subcommands: [Reference] = []
    /// Those above it and those beside it.
    var relatives: [Reference] = []
}

/// A verb of which there is more to say than `--help` should.
protocol ManualNotes {
    static var manualNotes: String { get }
}

extension CommandDefinition {
    private typealias Command = any ParsableCommand.Type

    /// Read from the definition that help and completions are made from too.
    init(_ path: [String]) {
        let stack = path.dropFirst().reduce(into: [Curfew.self as Command]) { stack, name in
            if let next = stack[stack.count - 1].subcommand(name) { stack.append(next) }
        }
        let command = stack[stack.count - 1]
        let configuration = command.configuration
        self.path = stack.map(Self.name)
        abstract = configuration.abstract
        usage = configuration.usage ?? self.path.joined(separator: " ")
        discussion = configuration.discussion
        notes = (command as? any ManualNotes.Type)?.manualNotes ?? ""
        arguments = DefinedArgument.read(command._dumpHelp())
        subcommands = Self.references(below: stack)
        relatives = Self.relatives(stack)
    }

    /// The paths of all verbs, that of `curfew` itself first.
    static func everyPath() -> [[String]] {
        func paths(_ command: Command, below path: [String]) -> [[String]] {
            let path = path + [name(command)]
            return [path] + command.configuration.subcommands.flatMap { paths($0, below: path) }
        }
        return paths(Curfew.self, below: [])
    }

    private static func relatives(_ stack: [Command]) -> [Reference] {
        let above = stack.indices.dropLast().map { Array(stack[...$0]) }
        let own = stack.map(name)
        let beside = above.last.map(references) ?? []
        return above.map(reference) + beside.filter { $0.path != own }
    }

    private static func reference(_ stack: [Command]) -> Reference {
        Reference(path: stack.map(name), abstract: stack[stack.count - 1].configuration.abstract)
    }

    private static func references(below stack: [Command]) -> [Reference] {
        stack[stack.count - 1].configuration.subcommands.map { reference(stack + [$0]) }
    }

    private static func name(_ command: Command) -> String { command.configuration.commandName ?? "" }
}
