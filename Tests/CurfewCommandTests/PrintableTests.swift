import Testing

@testable import CurfewCommand

@Suite("Text from elsewhere stays on its line")
struct PrintableTests {
    @Test(
        "Control characters are shown",
        arguments: [
            ("plain é 日本 🌙", "plain é 日本 🌙"), ("a\nb\tc\rd", "a\\nb\\tc\\rd"), ("\u{1b}[31mred", "\\x1b[31mred"),
            ("\u{7}\u{7f}\u{9b}", "\\x07\\x7f\\x9b"), ("a\r\nb", "a\\r\\nb"), ("a\u{2028}b", "a\\u{2028}b"), ("", ""),
        ])
    func text(given: String, shown: String) {
        #expect(Printable.text(given) == shown)
    }
}
