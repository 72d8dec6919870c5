/// A word as it stands in a file: what it is, and how it is written.
struct RawWord {
    var word: Word
    /// As it is written, quotes included, and where it goes over lines, a line feed after each `\`.
    var raw: String
    /// Neither quoted nor escaped, no variable in it: such are the language's own words.
    var isPlain: Bool
    /// The first that a shell would make something of.
    var shellSyntax: ShellSyntax?
    /// The first letter or digit with an unquoted `\` before it, which does nothing.
    var escapedLetter: (letter: Unicode.Scalar, position: Position)?
    /// A `\` at a line's end stands between it and the word before.
    var beginsLine: Bool

    var position: Position { word.position }

    /// Its text if it is one of the language's own words.
    var plain: String? { isPlain ? word.constant : nil }

    /// As it is told of in a message.
    var shown: String { word.constant ?? raw }

    /// `|`, `2>`, `&&`, `$(`: unquoted, and without meaning here.
    struct ShellSyntax {
        var text: String
        var position: Position
    }
}

/// The words of one statement, with the comment behind them.
struct LogicalLine {
    var words: [RawWord] = []
    /// From its `#` on, without blanks at its end.
    var comment: (text: String, position: Position)?
    var firstLine: Int
    var lastLine: Int
    /// Nothing can be made of its words.
    var isBroken = false
}
