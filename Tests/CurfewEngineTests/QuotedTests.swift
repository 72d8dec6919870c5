import Testing

@testable import CurfewEngine

@Suite("Quotes as GNU programs print them")
struct QuotedTests {
    @Test(
        "In the C locale",
        arguments: [
            ("sleep", "'sleep'"), ("", "''"), ("it's", "'it\\'s'"), ("a\\b", "'a\\\\b'"),
            ("a\nb\t\u{1b}", "'a\\nb\\t\\033'"),
            ("\u{01}\u{7f}", "'\\001\\177'"), ("é \"x\"", "'\\303\\251 \"x\"'"),
        ])
    func plain(text: String, expected: String) { #expect(Quoted(isUnicode: false).quote(text) == expected) }

    @Test(
        "In one of UTF-8",
        arguments: [
            ("sleep", "‘sleep’"), ("it's", "‘it's’"), ("a‘b’", "‘a‘b\\’’"), ("é\\\n", "‘é\\\\\\n’"),
            ("\u{85}", "‘\\302\\205’"), ("\u{202e}x\u{2066}", "‘\\342\\200\\256x\\342\\201\\246’"),
        ])
    func unicode(text: String, expected: String) { #expect(Quoted(isUnicode: true).quote(text) == expected) }
}
