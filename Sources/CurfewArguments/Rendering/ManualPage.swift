/// A verb's page for man(1), in section 1. Source: man-pages(7), for what stands where.
struct ManualPage {
    let command: CommandDefinition
    let version: String
    /// As year, month and day.
    let date: String

    /// Such as `curfew-task-begin`.
    static func name(_ path: [String]) -> String { path.joined(separator: "-") }

    func text() -> String {
        var roff = Roff()
        let name = Self.name(command.path)
        roff.comment("Made from the command line's definitions by curfew-help.")
        roff.title(name.uppercased(), date: date, source: "Curfew \(version)", manual: "Curfew's manual")
        roff.macro("SH", "NAME")
        roff.line("\(Roff.escape(name)) \\- \(Roff.escape(Self.summary(command.abstract)))")
        roff.macro("SH", "SYNOPSIS")
        writeUsage(&roff)
        write(.description, &roff)
        writeSubcommands(&roff)
        writeArguments(&roff)
        writeOptions(&roff)
        for title in [HelpSection.Title.values, .exitStatus, .environment, .files, .examples] { write(title, &roff) }
        writeReferences(&roff)
        return roff.text
    }

    /// As apropos(1) shows it: no sentence.
    private static func summary(_ abstract: String) -> String {
        var text = abstract.prefix(1).lowercased() + abstract.dropFirst()
        if text.last == "." { text.removeLast() }
        return text
    }

    private var sections: [HelpSection] { HelpSection.read(command.discussion + "\n\n" + command.notes) }

    /// The names of values that this page speaks of.
    private var values: Set<String> {
        Set(
            command.arguments.flatMap { argument in
                argument.kind == .flag
                    ? [] : argument.valueName.split { !$0.isUppercase }.map(String.init) + [argument.valueName]
            })
    }
}

// MARK: Sections

extension ManualPage {
    private func writeUsage(_ roff: inout Roff) {
        for (index, line) in command.usage.split(separator: "\n").enumerated() {
            if index > 0 { roff.macro("br") }
            let words = line.split(separator: " ").map(String.init)
            let names = words.prefix { $0.allSatisfy(\.isLowercase) }
            let rest = words.dropFirst(names.count).map(Self.usage)
            roff.line(([Roff.bold(names.joined(separator: " "))] + rest).joined(separator: " "))
        }
    }

    /// In a word such as `[KEY=VALUE…]` what is to be replaced is slanted, and an option is bold.
    private static func usage(_ word: String) -> String {
        func isName(_ character: Character) -> Bool { character.isLetter || character == "-" }
        var styled = ""
        var rest = Substring(word)
        while let first = rest.first {
            let run = String(rest.prefix { isName($0) == isName(first) })
            styled +=
                first == "-" ? Roff.bold(run) : run.allSatisfy(\.isUppercase) ? Roff.italic(run) : Roff.escape(run)
            rest = rest.dropFirst(run.count)
        }
        return styled
    }

    private func write(_ title: HelpSection.Title, _ roff: inout Roff) {
        guard let section = sections.first(where: { $0.title == title }) else { return }
        roff.macro("SH", title == .examples ? "EXAMPLES" : title.rawValue.uppercased())
        for (index, block) in section.blocks.enumerated() {
            switch block {
            case .paragraph(let text):
                if index > 0 { roff.macro("PP") }
                roff.line(Roff.styled(text, values: values))
            case .list(let explanations):
                for explanation in explanations {
                    let term = title == .values ? Roff.italic(explanation.term) : Roff.bold(explanation.term)
                    writeItem(term, Roff.styled(explanation.text, values: values), &roff)
                }
            case .literal(let lines):
                if index > 0 { roff.macro("PP") }
                roff.macro("nf")
                for line in lines { roff.line(Roff.escape(line)) }
                roff.macro("fi")
            }
        }
    }

    private func writeItem(_ term: String, _ text: String, _ roff: inout Roff) {
        roff.macro("TP")
        roff.line(term)
        if !text.isEmpty { roff.line(text) }
    }

    private func writeSubcommands(_ roff: inout Roff) {
        guard !command.subcommands.isEmpty else { return }
        roff.macro("SH", "COMMANDS")
        for subcommand in command.subcommands {
            writeItem(Self.reference(subcommand), Roff.styled(subcommand.abstract), &roff)
        }
    }

    private func writeArguments(_ roff: inout Roff) {
        let operands = command.arguments.filter { $0.kind == .positional }
        guard !operands.isEmpty else { return }
        roff.macro("SH", "ARGUMENTS")
        for operand in operands { write(operand, &roff) }
    }

    private func writeOptions(_ roff: inout Roff) {
        let options = command.arguments.filter { $0.kind != .positional }
        guard !options.isEmpty else { return }
        roff.macro("SH", "OPTIONS")
        var groups: [String] = []
        for option in options where !option.group.isEmpty && !groups.contains(option.group) {
            groups.append(option.group)
        }
        for group in groups {
            roff.macro("SS", group)
            for option in options where option.group == group { write(option, &roff) }
        }
        if !groups.isEmpty { roff.macro("SS", "Other") }
        for option in options where option.group.isEmpty { write(option, &roff) }
    }

    private func write(_ argument: DefinedArgument, _ roff: inout Roff) {
        let value = argument.kind == .flag ? "" : Roff.italic(argument.valueName)
        let names = argument.names.map(Roff.bold).joined(separator: ", ")
        let term = [names, value].filter { !$0.isEmpty }.joined(separator: " ")
        let text = [Roff.styled(argument.abstract, values: values), Self.choices(argument)]
        writeItem(term, text.filter { !$0.isEmpty }.joined(separator: " "), &roff)
    }

    /// Such as "One of a, b and c; the default is a."
    private static func choices(_ argument: DefinedArgument) -> String {
        let choices = argument.choices.map(Roff.bold)
        let initial = argument.defaultValue.map { "he default is \(Roff.bold($0))." }
        guard let last = choices.last else { return initial.map { "T" + $0 } ?? "" }
        let all = [choices.dropLast().joined(separator: ", "), last].filter { !$0.isEmpty }.joined(separator: " or ")
        return "One of \(all)" + (initial.map { "; t" + $0 } ?? ".")
    }

    private func writeReferences(_ roff: inout Roff) {
        var others = (command.relatives + command.subcommands).map(Self.reference)
        for case .paragraph(let text) in sections.filter({ $0.title == .seeAlso }).flatMap(\.blocks) {
            others += text.split(separator: ", ").map { other in
                let name = other.prefix { $0 != "(" }
                return Roff.bold(String(name)) + Roff.escape(String(other.dropFirst(name.count)))
            }
        }
        roff.macro("SH", "SEE ALSO")
        roff.line(others.joined(separator: ",\n"))
    }

    private static func reference(_ other: CommandDefinition.Reference) -> String {
        Roff.bold(name(other.path)) + "(1)"
    }
}
