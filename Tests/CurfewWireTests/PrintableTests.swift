import CurfewWire
import Testing

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
        #expect(Printable.text(shown) == shown)
    }

    @Test(
        "So is what turns a line's direction about, or ends one",
        arguments: [0x61c, 0x200e, 0x200f] + Array(0x2028...0x202e) + Array(0x2066...0x2069))
    func directions(value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        let digits = String(value, radix: 16)
        #expect(Printable.text("a\(scalar)b") == "a\\u{\(digits)}b")
        #expect(JSON.string("a\(scalar)b").text == "\"a\\u\(value < 0x1000 ? "0" : "")\(digits)b\"")
        #expect(try JSON.parse(JSON.string("a\(scalar)b").text) == .string("a\(scalar)b"))
    }

    @Test("JSON shows no control character either", arguments: ["\u{7f}", "\u{9b}"])
    func json(text: String) {
        #expect(JSON.string(text).text == (text == "\u{7f}" ? #""\u007f""# : #""\u009b""#))
    }
}
