import ArgumentParser
import CurfewCommand
import CurfewWire

/// What `curfew-help` was asked for: it is started by `curfew` with the words that the user typed.
public enum HelpRequest: Equatable {
    /// The verbs that lead to the one in question; none for `curfew` itself.
    case help([String])
    case version
    /// The shell's name; nil for the one that is in use.
    case completions(String?)
    /// The names of the manual pages, a line each.
    case manualPages
    /// One of them for man(1), with the date that it is to bear.
    case manualPage(String, date: String)
    /// All definitions as JSON, for other tools.
    case dump

    private static let manualOption = "--manual-page"
    private static let completionOption = "--generate-completion-script"

    /// `words`: argv without its first.
    public static func read(_ words: [String]) throws(UsageError) -> HelpRequest {
        let first = words.first ?? ""
        if first == "--version" { return .version }
        if first == "--experimental-dump-help" { return .dump }
        if first == "--manual-pages" { return .manualPages }
        if first == manualOption {
            guard words.count == 3 else { throw UsageError("", "\(manualOption) needs a page's name and its date") }
            return .manualPage(words[1], date: words[2])
        }
        if first == completionOption { return .completions(words.count > 1 ? words[1] : nil) }
        if first.hasPrefix(completionOption + "=") {
            return .completions(String(first.dropFirst(completionOption.count + 1)))
        }
        let isExplicit = ["help", "--help", "-h"].contains(first)
        return .help(try path(isExplicit ? words.dropFirst() : words[...]))
    }

    /// Follows the words as far as they are verbs.
    private static func path(_ words: ArraySlice<String>) throws(UsageError) -> [String] {
        var path: [String] = []
        var command: any ParsableCommand.Type = Curfew.self
        for word in words where word != "--help" && word != "-h" {
            if word.hasPrefix("-") || command.configuration.subcommands.isEmpty { break }
            guard let next = command.subcommand(word) else {
                let known = command.configuration.subcommands.compactMap { $0.configuration.commandName }
                let end = NearestWord.question(word, among: known)
                let verbs = end.isEmpty ? "; the verbs are \(known.joined(separator: ", "))" : end
                let whole = (["help"] + path).joined(separator: " ")
                throw UsageError(whole, "there is no verb \"\(word)\"\(verbs)")
            }
            path.append(word)
            command = next
        }
        return path
    }

    /// What is to be printed.
    public func text() throws(UsageError) -> String {
        switch self {
        case .help(["timeout"]): return "\(TimeoutHelp.text)"
        case .help(let path):
            let command = path.reduce(Curfew.self as any ParsableCommand.Type) { $0.subcommand($1) ?? $0 }
            return Self.withoutBlankEnd(Curfew.helpMessage(for: command))
        case .version: return CommandLineTool.versionLine
        case .completions(let name): return Self.withoutBlankEnd(CompletionScript(shell: try Self.shell(name)).text())
        case .manualPages: return CommandDefinition.everyPath().map(ManualPage.name).joined(separator: "\n")
        case .manualPage(let name, let date): return Self.withoutBlankEnd(try Self.page(name, date))
        case .dump: return Curfew._dumpHelp()
        }
    }

    private static func page(_ name: String, _ date: String) throws(UsageError) -> String {
        guard let path = CommandDefinition.everyPath().first(where: { ManualPage.name($0) == name }) else {
            throw UsageError("", "\(manualOption): there is no page \"\(name)\"; --manual-pages lists those there are")
        }
        return ManualPage(command: CommandDefinition(path), version: CommandLineTool.version, date: date).text()
    }

    private static func withoutBlankEnd(_ text: String) -> String {
        var text = Substring(text)
        while text.last == "\n" { text.removeLast() }
        return String(text)
    }

    private static func shell(_ name: String?) throws(UsageError) -> CompletionShell {
        let accepted = "bash, zsh or fish"
        guard let name else {
            if let shell = CompletionShell.autodetected() { return shell }
            throw UsageError("", "\(completionOption) needs a shell: \(accepted)")
        }
        guard let shell = CompletionShell(rawValue: name) else {
            throw UsageError("", "\(completionOption): \"\(name)\" isn't \(accepted)")
        }
        return shell
    }
}

extension ParsableCommand {
    static func subcommand(_ name: String) -> (any ParsableCommand.Type)? {
        configuration.subcommands.first { $0.configuration.commandName == name }
    }
}
