/// A program whose output is requests, as `curfew serve --source` has it.
public struct SourcePlan: Sendable, Hashable {
    /// By which it is told of; no other has it.
    public let name: String
    /// As sh takes it.
    public let command: String
    /// The apps that it may ask something for; nil: all.
    public let apps: Set<String>?

    public init(name: String, command: String, apps: Set<String>? = nil) {
        self.name = name
        self.command = command
        self.apps = apps
    }

    /// So many a server has at most: each is a process that waits.
    public static let maximum = 64

    /// What a command is called: as the program that it begins with, without `.sh`; numbered where another has that name.
    public static func name(of command: String, besides taken: some Sequence<String>) -> String {
        let words = command.split { $0 == " " || $0 == "\t" || $0 == "\n" }
        // What runs it and how, and a variable that is set for it, aren't what it is.
        let first =
            words.first { !["exec", "sh", "bash"].contains($0) && !$0.hasPrefix("-") && !$0.contains("=") }
            ?? words.last ?? "source"
        let program = first.filter { $0 != "'" && $0 != "\"" }
        let plain = program.hasSuffix(".sh") ? program.dropLast(3) : program[...]
        let name = AppName.fromCommand(plain.isEmpty ? "source" : String(plain))
        let others = Set(taken)
        if !others.contains(name) { return name }
        for number in 2... where !others.contains("\(name)-\(number)") { return "\(name)-\(number)" }
        return name
    }
}
