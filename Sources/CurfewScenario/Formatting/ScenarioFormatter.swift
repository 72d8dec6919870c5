/// Lays scenario files out in one way; what they say stays as it is.
public enum ScenarioFormatter {
    /// The file laid out: one blank between words, four before what goes on from the line above, no two empty lines in a
    /// row, comments behind statements two blanks away, side by side where they were. Nil where the file has errors.
    public static func format(_ text: String) -> String? {
        let (_, diagnostics) = ScenarioReader.read(text, path: "")
        guard diagnostics.allSatisfy({ $0.severity == .warning }) else { return nil }
        var layout = Layout()
        var lexer = Lexer(text)
        while let line = lexer.next() { layout.take(line) }
        return layout.text
    }
}
