import Testing

@testable import CurfewManifest

@Suite("Commands as sh quotes them")
struct ShellWordsTests {
    @Test(
        "Quotes are undone",
        arguments: [
            ("a b  c", ["a", "b", "c"]), ("'a b' c", ["a b", "c"]), ("a\"b c\"d'e f'", ["ab cde f"]), ("''", [""]),
            ("a '' \"\"", ["a", "", ""]), ("a\\ b", ["a b"]), ("\\$x '$x' \"\\$x\"", ["$x", "$x", "$x"]),
            ("\"a\\b\\\\\\\"\"", ["a\\b\\\""]), ("a \\\n b", ["a", "b"]), ("\"a\\\nb\"", ["ab"]),
            ("\n a b \n", ["a", "b"]),
            ("a#b c~d", ["a#b", "c~d"]), ("a x=y", ["a", "x=y"]), ("'x=y' a", ["x=y", "a"]),
            ("a '|' \\;", ["a", "|", ";"]),
            ("a\tb", ["a", "b"]), ("-x --y=z", ["-x", "--y=z"]),
        ])
    func splits(text: String, words: [String]) throws {
        #expect(try ShellWords.split(text) == words)
    }

    @Test(
        "What would need a shell is refused",
        arguments: [
            "a $x", "a \"$x\"", "a `b`", "a | b", "a & b", "a; b", "a > b", "a < b", "(a)", "a *", "a b?", "a [x]",
            "~/a", "a #b",
            "x=1 a", "a\nb", "'a", "\"a", "a \\",
        ])
    func refuses(text: String) {
        #expect(throws: DefinitionProblem.self) { try ShellWords.split(text) }
    }
}
