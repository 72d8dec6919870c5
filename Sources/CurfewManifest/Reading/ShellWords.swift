/// A command in one string, quoted as in POSIX sh, without anything that a shell would do besides.
///
/// Source: POSIX.1-2024, Shell Command Language, 2.2 "Quoting".
enum ShellWords {
    /// Throws what is wrong, for one line.
    static func split(_ text: String) throws(DefinitionProblem) -> [String] {
        var splitter = Splitter(text)
        try splitter.run()
        return splitter.words
    }

    private static let advice = "nothing is expanded here; quote it, or use command = [\"sh\", \"-c\", \"…\"]"

    private struct Splitter {
        private(set) var words: [String] = []
        private var rest: Substring.UnicodeScalarView
        /// Nil between words.
        private var word: String.UnicodeScalarView?
        /// Whether any of the word was quoted.
        private var isQuoted = false

        init(_ text: String) { rest = text[...].unicodeScalars }

        mutating func run() throws(DefinitionProblem) {
            while let scalar = rest.popFirst() {
                switch scalar {
                case " ", "\t": endWord()
                case "\n": try endLine()
                case "'": try singleQuoted()
                case "\"": try doubleQuoted()
                case "\\": try escaped()
                default:
                    try refuse(scalar)
                    add(scalar)
                }
            }
            endWord()
            try refuseAssignment()
        }

        private mutating func add(_ scalar: Unicode.Scalar) { word = (word ?? .init()) + [scalar] }

        private mutating func endWord() {
            guard let word else { return }
            words.append(String(word))
            if words.count == 1 { firstIsQuoted = isQuoted }
            self.word = nil
            isQuoted = false
        }

        private var firstIsQuoted = false

        /// A line feed is nothing before the command and behind it, and would end it between its words.
        private mutating func endLine() throws(DefinitionProblem) {
            endWord()
            guard !words.isEmpty, rest.contains(where: { !$0.properties.isWhitespace }) else { return }
            throw DefinitionProblem(
                "a line ends within the command; a \\ in front of the line feed has it go on, or use an array of strings"
            )
        }

        private mutating func singleQuoted() throws(DefinitionProblem) {
            begin()
            while let scalar = rest.popFirst() {
                if scalar == "'" { return }
                add(scalar)
            }
            throw DefinitionProblem("a ' has no second one")
        }

        private mutating func doubleQuoted() throws(DefinitionProblem) {
            begin()
            while let scalar = rest.popFirst() {
                switch scalar {
                case "\"": return
                case "$", "`": throw DefinitionProblem("\"\(scalar)\" would need a shell; \(ShellWords.advice)")
                case "\\":
                    guard let next = rest.popFirst() else { break }
                    if next == "\n" { continue }
                    if !["$", "`", "\"", "\\"].contains(next) { add("\\") }
                    add(next)
                default: add(scalar)
                }
            }
            throw DefinitionProblem("a \" has no second one")
        }

        /// An empty pair of quotes is a word.
        private mutating func begin() {
            word = word ?? .init()
            isQuoted = true
        }

        private mutating func escaped() throws(DefinitionProblem) {
            guard let next = rest.popFirst() else {
                throw DefinitionProblem("a \\ is the last of it, and quotes nothing")
            }
            if next == "\n" { return }
            begin()
            add(next)
        }

        private func refuse(_ scalar: Unicode.Scalar) throws(DefinitionProblem) {
            switch scalar {
            case "|", "&", ";", "<", ">", "(", ")", "$", "`", "*", "?", "[": break
            case "#", "~": if word != nil { return }
            default: return
            }
            throw DefinitionProblem("\"\(scalar)\" would need a shell; \(ShellWords.advice)")
        }

        /// `NAME=value command` would set a variable.
        private func refuseAssignment() throws(DefinitionProblem) {
            guard let first = words.first, !firstIsQuoted, let equals = first.firstIndex(of: "="),
                equals > first.startIndex,
                first[..<equals].utf8.allSatisfy({ $0 == 95 || $0.isLetterOrDigit }), first.utf8.first?.isDigit == false
            else { return }
            throw DefinitionProblem("\"\(first)\" would set a variable; that is what the table `environment` is for")
        }
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (48...57).contains(self) }
    fileprivate var isLetterOrDigit: Bool { isDigit || (97...122).contains(self | 0x20) }
}
