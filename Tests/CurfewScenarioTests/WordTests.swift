import Testing

@testable import CurfewScenario

@Suite("Words, as POSIX sh quotes them")
struct WordTests {
    /// Each word with `<NAME>` for a variable.
    private static func words(_ text: String) -> [[String]] {
        var lexer = Lexer(text)
        var lines: [[String]] = []
        while let line = lexer.next() {
            lines.append(
                line.words.map { word in
                    word.word.parts.map {
                        switch $0 {
                        case .text(let text): text
                        case .variable(let name, _): "<\(name)>"
                        }
                    }.joined()
                })
        }
        return lines
    }

    private static func problems(_ text: String) -> [String] {
        var lexer = Lexer(text)
        while lexer.next() != nil {}
        return lexer.diagnostics.map { String($0.text(in: "").dropFirst()) }
    }

    @Test(
        "Quoting",
        arguments: [
            ("a b", ["a", "b"]),
            ("  a \t b  ", ["a", "b"]),
            ("'a b' \"c d\"", ["a b", "c d"]),
            ("a' 'b\" \"c", ["a b c"]),
            ("''", [""]),
            ("\"\"", [""]),
            ("'$a \\ \"'", ["$a \\ \""]),
            (#""\$ \" \\ \d \`""#, [#"$ " \ \d \`"#]),
            (#"\a\ \'\"\\\$x"#, [#"a '"\$x"#]),
            ("'it'\\''s'", ["it's"]),
            ("a#b # c", ["a#b"]),
            ("'#' #", ["#"]),
            ("# a", []),
            ("", []),
            ("ä 'ö'", ["ä", "ö"]),
        ] as [(String, [String])])
    func quoting(text: String, words: [String]) {
        #expect(Self.words(text + "\n") == [words])
        #expect(Self.problems(text) == [])
    }

    @Test(
        "Variables",
        arguments: [
            ("$a", ["<a>"]),
            ("${a}b", ["<a>b"]),
            ("x$a_1.y", ["x<a_1>.y"]),
            ("\"$a ${b}\"", ["<a> <b>"]),
            ("$a$b", ["<a><b>"]),
            ("$", ["$"]),
            ("$$", ["$$"]),
            ("$1 $? a$", ["$1", "$?", "a$"]),
            ("\"$\"", ["$"]),
            ("\"$ \"", ["$ "]),
            ("$ä", ["$ä"]),
            ("\\$a", ["$a"]),
        ] as [(String, [String])])
    func variables(text: String, words: [String]) {
        #expect(Self.words(text) == [words])
        #expect(Self.problems(text) == [])
    }

    @Test(
        "Lines that go on",
        arguments: [
            ("a \\\n  b", [["a", "b"]]),
            ("a\\\nb", [["ab"]]),
            ("a\\\n b", [["a", "b"]]),
            ("\"a\\\nb\"", [["ab"]]),
            ("a \\\n\nb", [["a"], ["b"]]),
            ("a\\\n\nb", [["a"], ["b"]]),
            ("\\\na", [["a"]]),
            ("a \\\n\\\n b", [["a", "b"]]),
            ("a # b \\\nc", [["a"], ["c"]]),
            ("a \\\n# b\nc", [["a"], ["c"]]),
            ("a \\\r\nb\r\nc\r\n", [["a", "b"], ["c"]]),
            ("\u{feff}a", [["a"]]),
        ] as [(String, [[String]])])
    func continuations(text: String, lines: [[String]]) {
        #expect(Self.words(text) == lines)
        #expect(Self.problems(text) == [])
    }

    @Test(
        "What is wrong with a line's words",
        arguments: [
            ("a 'b", ["1:3: error: this ' is never closed; a quote ends on the line that it begins on"]),
            ("a\n\"b", ["2:1: error: this \" is never closed; a quote ends on the line that it begins on"]),
            (
                "a'b\nc\"d",
                [
                    "1:2: error: this ' is never closed; a quote ends on the line that it begins on",
                    "2:2: error: this \" is never closed; a quote ends on the line that it begins on",
                ]
            ),
            ("x ${a", ["1:3: error: this ${ has no } on its line; write ${NAME}"]),
            (
                "x ${a:-b}",
                [
                    "1:3: error: ${a:-b} isn't a variable; between ${ and } stands a name: letters, digits and _, first no digit"
                ]
            ),
            (
                "${}",
                [
                    "1:1: error: ${} isn't a variable; between ${ and } stands a name: letters, digits and _, first no digit"
                ]
            ),
            ("a \\", ["1:3: error: nothing follows the \\ at the end of the file"]),
            ("a \\\n", ["1:3: error: nothing follows the \\ at the end of the file"]),
            ("a\\", ["1:2: error: nothing follows the \\ at the end of the file"]),
            ("\"a\\", ["1:3: error: nothing follows the \\ at the end of the file"]),
            (
                "a\u{0}b",
                [
                    "1:2: error: a control character (U+0000) stands here; a scenario is text, with tabs at most"
                ]
            ),
            (
                "a \u{85}",
                ["1:3: error: a control character (U+0085) stands here; a scenario is text, with tabs at most"]
            ),
            (
                "# a\rb",
                [
                    "1:4: error: a control character (U+000d) stands here; a scenario is text, with tabs at most"
                ]
            ),
            (
                "äö\u{1f468}\u{200d}\u{1f469} 'x",
                [
                    "1:5: error: this ' is never closed; a quote ends on the line that it begins on"
                ]
            ),
        ] as [(String, [String])])
    func mistakes(text: String, problems: [String]) {
        #expect(Self.problems(text) == problems)
    }

    @Test("A position is that of the word and the variable, also on a line that goes on")
    func positions() {
        var lexer = Lexer("\na \\\n  b$c")
        _ = lexer.next()
        let line = lexer.next()
        #expect(line?.words.map(\.position) == [Position(line: 2, column: 1), Position(line: 3, column: 3)])
        #expect(line?.words.last?.word.variables.first?.position == Position(line: 3, column: 4))
        #expect(line?.lastLine == 3)
    }
}
