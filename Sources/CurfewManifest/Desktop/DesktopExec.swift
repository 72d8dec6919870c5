/// The value of `Exec`, once its string escapes are gone: quoting first, then field codes.
///
/// Source: Desktop Entry Specification 1.5, "The Exec key".
struct DesktopExec {
    /// What `%i` stands for; nil: nothing.
    var icon: String?
    /// What `%c` stands for.
    var name: String?
    /// What `%k` stands for.
    var path: String?

    /// The command's words; what is opened with it, `%f` and the like, is nothing here. Throws what is wrong, for one line.
    func words(_ text: String) throws(DefinitionProblem) -> [String] {
        var words: [String] = []
        for argument in try Self.arguments(text) { words += try expanded(argument) }
        guard let program = words.first, !program.isEmpty else { throw DefinitionProblem("names no program") }
        // Source: the same: "The name or path of the executable program may not contain the equal sign".
        if program.contains("=") {
            throw DefinitionProblem("\"\(program)\" has a =, which no program's name may have here")
        }
        return words
    }

    // MARK: Quoting

    private static let reserved = Set<Unicode.Scalar>([
        "'", ">", "<", "~", "|", "&", ";", "$", "*", "?", "#", "(", ")", "`", "\\",
    ])

    private static func arguments(_ text: String) throws(DefinitionProblem) -> [String] {
        var arguments: [String] = []
        var rest = text.unicodeScalars[...]
        while let first = rest.first {
            if first == " " {
                rest.removeFirst()
            } else if first == "\"" {
                rest.removeFirst()
                arguments.append(try quoted(&rest))
            } else {
                arguments.append(try bare(&rest))
            }
        }
        return arguments
    }

    /// Arguments are quoted in whole.
    private static func quoted(_ rest: inout Substring.UnicodeScalarView) throws(DefinitionProblem) -> String {
        var argument = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"":
                guard rest.isEmpty || rest.first == " " else {
                    throw DefinitionProblem(
                        "an argument goes on behind its quotes; it is quoted in whole, or not at all")
                }
                return String(argument)
            case "`", "$":
                throw DefinitionProblem("within quotes \(scalar) has a \\ in front, which a file writes as \\\\")
            case "\\":
                guard let next = rest.popFirst(), ["\"", "`", "$", "\\"].contains(next) else {
                    throw DefinitionProblem(
                        "within quotes a \\ stands in front of \", `, $ or \\ alone; one of its own is written \\\\\\\\"
                    )
                }
                argument.append(next)
            default: argument.append(scalar)
            }
        }
        throw DefinitionProblem("a \" has no second one")
    }

    private static func bare(_ rest: inout Substring.UnicodeScalarView) throws(DefinitionProblem) -> String {
        let argument = rest.prefix { $0 != " " }
        for scalar in argument where reserved.contains(scalar) || ["\"", "\t", "\n"].contains(scalar) {
            let shown = scalar == "\t" ? "a tab" : scalar == "\n" ? "a line feed" : "\(scalar)"
            throw DefinitionProblem("an argument with \(shown) in it has to be in double quotes, as a whole")
        }
        rest = rest[argument.endIndex...]
        return String(argument)
    }

    // MARK: Field codes

    /// What an argument becomes: a word, or none, or two.
    private func expanded(_ argument: String) throws(DefinitionProblem) -> [String] {
        if argument == "%i" { return icon.map { ["--icon", $0] } ?? [] }
        var word = String.UnicodeScalarView()
        var hasCode = false
        var rest = argument.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "%" else {
                word.append(scalar)
                continue
            }
            let code = rest.popFirst()
            hasCode = hasCode || code != "%"
            word += try text(of: code, alone: argument.unicodeScalars.count == 2).unicodeScalars
        }
        return hasCode && word.isEmpty ? [] : [String(word)]
    }

    private func text(of code: Unicode.Scalar?, alone: Bool) throws(DefinitionProblem) -> String {
        switch code {
        case "%": return "%"
        case "c": return name ?? ""
        case "k": return path ?? ""
        case "f", "u", "d", "D", "n", "N", "v", "m": return ""
        case "F" where alone, "U" where alone: return ""
        case let code?:
            if ["F", "U", "i"].contains(code) {
                throw DefinitionProblem("%\(code) stands for arguments, and has to be one of its own")
            }
            throw DefinitionProblem("there is no field code %\(code); a % itself is written %%")
        case nil: throw DefinitionProblem("there is no field code % with nothing behind it; a % itself is written %%")
        }
    }
}
