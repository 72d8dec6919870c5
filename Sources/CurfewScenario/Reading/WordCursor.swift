/// Goes through the words of a statement or a condition, and says what is missing or one too many.
struct WordCursor {
    /// What is being read: its synopsis stands in messages.
    let definition: StatementDefinition
    let keyword: RawWord
    private(set) var rest: ArraySlice<RawWord>

    init(_ definition: StatementDefinition, _ keyword: RawWord, _ rest: ArraySlice<RawWord>) {
        self.definition = definition
        self.keyword = keyword
        self.rest = rest
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// `name`: as it stands in the synopsis.
    mutating func next(_ name: String) throws(Diagnostic) -> RawWord {
        guard let word = rest.popFirst() else { throw missing(name) }
        return word
    }

    /// One or more.
    mutating func all(_ name: String) throws(Diagnostic) -> [RawWord] {
        guard !rest.isEmpty else { throw missing(name) }
        defer { rest = [] }
        return Array(rest)
    }

    /// What is left, and may be nothing.
    mutating func remaining() -> [RawWord] {
        defer { rest = [] }
        return Array(rest)
    }

    /// Throws at a word that nobody asked for. `hint`: what may have been meant.
    func end(_ hint: String = "") throws(Diagnostic) {
        guard let word = rest.first else { return }
        let end = hint.isEmpty ? "" : "; \(hint)"
        throw Diagnostic(
            at: word.position, "\"\(word.shown)\" is one too many; it is written: \(definition.synopsis)\(end)")
    }

    func missing(_ name: String) -> Diagnostic {
        Diagnostic(at: keyword.position, "\(name) is missing; it is written: \(definition.synopsis)")
    }

    /// The name of a variable that gets a value.
    mutating func variable(_ name: String) throws(Diagnostic) -> String {
        let word = try next(name)
        guard let text = word.word.constant else {
            throw Diagnostic(at: word.position, "\(name) is written without $ where it gets its value")
        }
        guard Name.isName(text) else { throw Diagnostic(at: word.position, "\"\(text)\" isn't \(Name.accepted)") }
        guard text != Vocabulary.stateDirectory else {
            throw Diagnostic(at: word.position, "$\(text) is the scenario's own folder; give this another name")
        }
        return text
    }

    /// Throws where it is none of these words; one with a variable in it is taken as it is.
    static func check(_ word: RawWord, _ kind: String, among known: [String]) throws(Diagnostic) {
        guard let text = word.word.constant, !known.contains(text) else { return }
        throw Choice.unknown(kind, word, text, among: known)
    }
}
