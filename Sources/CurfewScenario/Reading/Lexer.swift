/// Cuts a file into lines of words, as POSIX sh quotes them.
///
/// Source: POSIX.1-2024, Shell Command Language, 2.2 "Quoting" and 2.3 "Token Recognition".
struct Lexer {
    private let lines: [SourceLine]
    /// Of the line it is in, and of the scalar it is at there.
    private var index = 0
    private var offset = 0
    private(set) var diagnostics: [Diagnostic] = []

    init(_ text: String) { lines = SourceLine.lines(of: text) }

    /// The next statement's, also one without words; nil at the end.
    mutating func next() -> LogicalLine? {
        guard index < lines.count else { return nil }
        let before = diagnostics.count
        var line = LogicalLine(firstLine: lines[index].number, lastLine: lines[index].number)
        var beginsLine = false
        beginLine()
        while let scalar = skipBlanks() {
            if scalar == "\\", isLast {
                guard goOn() else { break }
                beginsLine = true
            } else if scalar == "#" {
                line.comment = takeComment()
            } else {
                var word = takeWord()
                word.beginsLine = beginsLine && !line.words.isEmpty
                beginsLine = false
                line.words.append(word)
            }
        }
        line.lastLine = lines[min(index, lines.count - 1)].number
        line.isBroken = diagnostics.count > before
        index += 1
        return line
    }

    // Where it is.

    private var scalars: [Unicode.Scalar] { lines[index].scalars }
    private var here: Position { lines[index].position(offset) }
    private var peek: Unicode.Scalar? { offset < scalars.count ? scalars[offset] : nil }
    private var isLast: Bool { offset + 1 == scalars.count }

    private func peek(_ ahead: Int) -> Unicode.Scalar? {
        offset + ahead < scalars.count ? scalars[offset + ahead] : nil
    }

    private mutating func complain(_ position: Position, _ message: String) {
        diagnostics.append(Diagnostic(at: position, message))
    }

    private mutating func beginLine() {
        offset = 0
        guard let place = scalars.firstIndex(where: Lexer.isControl) else { return }
        let code = String(scalars[place].value, radix: 16)
        let hexadecimal = String(repeating: "0", count: max(0, 4 - code.count)) + code
        let position = lines[index].position(place)
        complain(position, "a control character (U+\(hexadecimal)) stands here; a scenario is text, with tabs at most")
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09: false
        case 0x00..<0x20, 0x7f...0x9f: true
        default: false
        }
    }

    /// At the `\` that ends a line: to the next one's begin. False, with a complaint, where there is none.
    private mutating func goOn() -> Bool {
        guard index + 1 < lines.count else {
            complain(here, "nothing follows the \\ at the end of the file")
            offset = scalars.count
            return false
        }
        index += 1
        beginLine()
        return true
    }

    private mutating func skipBlanks() -> Unicode.Scalar? {
        while let scalar = peek, Lexer.isBlank(scalar) { offset += 1 }
        return peek
    }

    static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

    private mutating func takeComment() -> (text: String, position: Position) {
        let position = here
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[offset...])
        while let last = text.last, Lexer.isBlank(last) { text.removeLast() }
        offset = scalars.count
        return (String(text), position)
    }

    // Words.

    private mutating func takeWord() -> RawWord {
        var word = WordBuilder(at: here)
        while let scalar = peek, !Lexer.isBlank(scalar) {
            switch scalar {
            case "'": takeSingleQuoted(&word)
            case "\"": takeDoubleQuoted(&word)
            case "\\":
                if !takeEscape(&word) { return word.finished() }
            case "$": takeDollar(&word, isQuoted: false)
            default:
                word.noteShellSyntax(scalar, at: here)
                take(&word)
            }
        }
        return word.finished()
    }

    /// As it stands, it is part of the word.
    private mutating func take(_ word: inout WordBuilder) {
        word.append(scalars[offset])
        offset += 1
    }

    /// It is written so, and not part of the word.
    private mutating func skip(_ word: inout WordBuilder) {
        word.raw.append(scalars[offset])
        offset += 1
    }

    private mutating func takeSingleQuoted(_ word: inout WordBuilder) {
        let open = here
        word.isPlain = false
        skip(&word)
        while let scalar = peek {
            if scalar == "'" { return skip(&word) }
            take(&word)
        }
        complain(open, "this ' is never closed; a quote ends on the line that it begins on")
    }

    private mutating func takeDoubleQuoted(_ word: inout WordBuilder) {
        let open = here
        word.isPlain = false
        skip(&word)
        while let scalar = peek {
            switch scalar {
            case "\"": return skip(&word)
            case "\\" where isLast:
                word.raw.append("\\")
                guard goOn() else { return }
                word.raw.append("\n")
            case "\\":
                // Before anything else it stands for itself.
                if let next = peek(1), next == "$" || next == "\"" || next == "\\" { skip(&word) }
                take(&word)
            case "$": takeDollar(&word, isQuoted: true)
            default: take(&word)
            }
        }
        complain(open, "this \" is never closed; a quote ends on the line that it begins on")
    }

    /// A `\` outside quotes. False where the word ends there: the line goes on, but with a blank or nothing.
    private mutating func takeEscape(_ word: inout WordBuilder) -> Bool {
        guard isLast else {
            word.isPlain = false
            skip(&word)
            if let next = peek, Name.canContain(next) {
                word.noteEscapedLetter(next, at: here)
            }
            take(&word)
            return true
        }
        let next = index + 1 < lines.count ? lines[index + 1].scalars.first : nil
        guard let next, !Lexer.isBlank(next) else { return false }
        word.raw.append("\\")
        word.raw.append("\n")
        return goOn()
    }

    private mutating func takeDollar(_ word: inout WordBuilder, isQuoted: Bool) {
        let dollar = here
        guard let next = peek(1) else { return take(&word) }
        if next == "{" { return takeBraced(&word) }
        if next == "(", !isQuoted { word.noteShellSyntax("$(", at: dollar) }
        guard Name.canBegin(next) else { return take(&word) }
        skip(&word)
        var name = ""
        while let scalar = peek, Name.canContain(scalar) {
            name.unicodeScalars.append(scalar)
            skip(&word)
        }
        word.appendVariable(name, at: dollar)
    }

    /// `${NAME}`.
    private mutating func takeBraced(_ word: inout WordBuilder) {
        let dollar = here
        guard let close = scalars[offset...].firstIndex(of: "}") else {
            complain(dollar, "this ${ has no } on its line; write ${NAME}")
            // Whatever follows has none either.
            while offset < scalars.count { take(&word) }
            return
        }
        var name = String.UnicodeScalarView()
        name.append(contentsOf: scalars[(offset + 2)..<close])
        while offset <= close { skip(&word) }
        if Name.isName(String(name)) {
            word.appendVariable(String(name), at: dollar)
        } else {
            complain(dollar, "${\(String(name))} isn't a variable; between ${ and } stands \(Name.accepted)")
        }
    }
}

/// What variables are named by.
enum Name {
    static let accepted = "a name: letters, digits and _, first no digit"

    static func isName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, canBegin(first) else { return false }
        return text.unicodeScalars.allSatisfy(canContain)
    }

    static func canBegin(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
    }

    static func canContain(_ scalar: Unicode.Scalar) -> Bool { canBegin(scalar) || ("0"..."9").contains(scalar) }
}
