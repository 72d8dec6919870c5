import Testing

@testable import CurfewCommand

@Suite("Nothing but text and colours is printed")
struct OutputTests {
    @Test(
        "Colours stay, and only those",
        arguments: [
            ("plain", "plain"), (Output.Colour.green.text("active") + " x", "\u{1b}[32mactive\u{1b}[0m x"),
            ("a\u{1b}[32mb\u{1b}[8mc\n", "a\u{1b}[32mb\\x1b[8mc\\n"), ("\u{1b}]0;title\u{7}", "\\x1b]0;title\\x07"),
        ])
    func line(given: String, shown: String) { #expect(Output.fit(given) == shown) }

    @Test("What stands in a table can't break it")
    func table() {
        var table = Table(columns: [.init(title: "NAME"), .init(title: "COMMAND")])
        table.rows = [["a\nb", "\u{1b}[32mx\u{202e}"]]
        #expect(table.lines() == ["NAME  COMMAND", "a\\nb  \\x1b[32mx\\u{202e}"])
    }
}
