/// Makes a word of what the lexer finds, scalar by scalar.
struct WordBuilder {
    var raw = String.UnicodeScalarView()
    var isPlain = true
    private let position: Position
    private var parts: [Word.Part] = []
    private var text = String.UnicodeScalarView()
    private var shellSyntax: RawWord.ShellSyntax?
    /// Whether what comes next may belong to it.
    private var isInShellSyntax = false
    private var escapedLetter: (letter: Unicode.Scalar, position: Position)?

    init(at position: Position) { self.position = position }

    mutating func append(_ scalar: Unicode.Scalar) {
        raw.append(scalar)
        text.append(scalar)
    }

    /// Its name is in `raw` already.
    mutating func appendVariable(_ name: String, at position: Position) {
        endText()
        parts.append(.variable(name, position))
        isPlain = false
    }

    mutating func noteEscapedLetter(_ letter: Unicode.Scalar, at position: Position) {
        if escapedLetter == nil { escapedLetter = (letter, position) }
    }

    mutating func noteShellSyntax(_ text: String, at position: Position) {
        if shellSyntax == nil { shellSyntax = RawWord.ShellSyntax(text: text, position: position) }
    }

    /// Before it is appended, an unquoted one.
    mutating func noteShellSyntax(_ scalar: Unicode.Scalar, at position: Position) {
        guard ["|", "&", ";", "<", ">", "`"].contains(scalar) else {
            isInShellSyntax = false
            return
        }
        if isInShellSyntax {
            shellSyntax?.text.unicodeScalars.append(scalar)
        } else if shellSyntax == nil {
            isInShellSyntax = true
            let isNumbered = isPlain && !text.isEmpty && text.allSatisfy { ("0"..."9").contains($0) }
            let number = isNumbered && (scalar == "<" || scalar == ">") ? String(text) : ""
            let start = number.isEmpty ? position : self.position
            shellSyntax = RawWord.ShellSyntax(text: number + String(Character(scalar)), position: start)
        }
    }

    mutating func finished() -> RawWord {
        endText()
        // A line that goes on behind it and has nothing more of it.
        while raw.last == "\n" { raw.removeLast(2) }
        return RawWord(
            word: Word(parts, at: position), raw: String(raw), isPlain: isPlain, shellSyntax: shellSyntax,
            escapedLetter: escapedLetter, beginsLine: false)
    }

    private mutating func endText() {
        guard !text.isEmpty else { return }
        parts.append(.text(String(text)))
        text = String.UnicodeScalarView()
    }
}
