import CurfewWire
import Testing

@testable import CurfewTop

@Suite("Cells, bars and short words")
struct TextTests {
    @Test(
        "How wide text is, and what is left of it",
        arguments: [
            ("plain", "plain", 5), ("写真", "写真", 4), ("e\u{301}", "e\u{301}", 1), ("a\u{200d}b", "ab", 2),
            ("👨‍👩‍👧", "👨👩👧", 6), ("👍🏽", "👍", 2), ("🇩🇪", "DE", 2), ("❤\u{fe0f}", "❤", 1), ("\u{1b}[2J", "\\x1b[2J", 7),
            ("\u{301}a", "a", 1), ("\u{202e}x", "\\u{202e}x", 9),
            ("a\u{301}\u{302}\u{303}\u{304}\u{305}", "a\u{301}\u{302}\u{303}", 1),
        ] as [(String, String, Int)])
    func cells(text: String, shown: String, width: Int) {
        let cells = CellText.cells(text)
        #expect(Array(CellText.text(cells).unicodeScalars) == Array(shown.unicodeScalars))
        #expect(CellText.width(cells) == width)
        // What has been through it stays as it is.
        #expect(CellText.cells(CellText.text(cells)) == cells)
    }

    @Test("Where only ASCII can be shown, the rest is question marks")
    func ascii() {
        #expect(CellText.text(CellText.cells("写e\u{301}x\u{7f}", isUnicode: false)) == "?ex\\x7f")
    }

    @Test(
        "Cut and filled up to a width",
        arguments: [
            ("写真sync", 10, "写真sync  "), ("写真sync", 8, "写真sync"), ("写真sync", 7, "写真sy…"), ("写真sync", 4, "写… "),
            ("写真sync", 3, "写…"), ("写真sync", 2, "… "), ("写真sync", 1, "…"), ("写真sync", 0, ""), ("", 2, "  "),
        ] as [(String, Int, String)])
    func fitted(text: String, width: Int, shown: String) {
        #expect(CellText.fitted(text, to: width, isUnicode: true) == shown)
    }

    @Test("A number stands at the right, and a cut in ASCII is marked in ASCII")
    func numbers() {
        #expect(CellText.fitted("12", to: 5, isUnicode: true, isNumber: true) == "   12")
        #expect(CellText.fitted("abcdef", to: 4, isUnicode: false) == "abc~")
    }

    @Test(
        "A bar runs down by eighths",
        arguments: [
            (600, "████"), (599, "███▉"), (450, "███░"), (300, "██░░"), (281, "█▊░░"), (150, "█░░░"), (19, "▏░░░"),
            (1, "▏░░░"), (0, "░░░░"),
        ] as [(Int64, String)])
    func bar(left: Int64, text: String) {
        #expect(BudgetBar.text(left: left, of: 600, width: 4, isUnicode: true) == text)
    }

    @Test(
        "In ASCII by whole letters",
        arguments: [(600, "####"), (599, "###."), (1, "#..."), (0, "....")] as [(Int64, String)])
    func asciiBar(left: Int64, text: String) {
        #expect(BudgetBar.text(left: left, of: 600, width: 4, isUnicode: false) == text)
    }

    @Test("A bar is as wide as asked for, whatever is left", arguments: 0...40)
    func barWidth(width: Int) {
        for left in stride(from: 0, through: 700, by: 7) {
            for isUnicode in [true, false] {
                #expect(BudgetBar.text(left: Int64(left), of: 600, width: width, isUnicode: isUnicode).count == width)
            }
        }
    }

    @Test("Little is left below a fifth, next to nothing below a twentieth")
    func barStyle() {
        #expect(BudgetBar.style(left: 120, of: 600) == .good)
        #expect(BudgetBar.style(left: 119, of: 600) == .warning)
        #expect(BudgetBar.style(left: 30, of: 600) == .warning)
        #expect(BudgetBar.style(left: 29, of: 600) == .bad)
    }

    @Test(
        "Ages, and when they change",
        arguments: [
            (0, "0s", 1), (59, "59s", 60), (60, "1m", 120), (3599, "59m", 3600), (3600, "1h00m", 3660),
            (86_399, "23h59m", 86_400), (90_000, "1d01h", 93_600), (8_640_000, "100d", 8_643_600),
        ] as [(Int64, String, Int64)])
    func ages(seconds: Int64, text: String, next: Int64) {
        #expect(ShortText.age(seconds * Fixture.second) == text)
        #expect(ShortText.nextChange(ofAge: seconds * Fixture.second) == next * Fixture.second)
    }

    @Test(
        "What is left is rounded up",
        arguments: [
            (0, "0s"), (1, "1s"), (1_000_000_000, "1s"), (59_000_000_001, "1m00s"), (588_000_000_000, "9m48s"),
            (7_380_000_000_000, "2h03m"), (.max, "unlimited"),
        ] as [(Int64, String)])
    func left(nanoseconds: Int64, text: String) { #expect(ShortText.left(nanoseconds) == text) }

    @Test(
        "Sizes are rounded down, and at most five letters long",
        arguments: [
            (0, "0B"), (999, "999B"), (1000, "0.9K"), (2048, "2.0K"), (10_239, "9.9K"), (10_240, "10K"),
            (6_500_000, "6.1M"), (209_715_200, "200M"), (1_600_000_000, "1.4G"), (UInt64.max, "15E"),
        ] as [(UInt64, String)])
    func sizes(bytes: UInt64, text: String) { #expect(ShortText.size(bytes) == text) }

    @Test(
        "Shares of a processor",
        arguments: [(0, "0%"), (3, "0.3%"), (10, "1%"), (99, "9.9%"), (123, "12%"), (2300, "230%")] as [(Int, String)])
    func percent(permille: Int, text: String) { #expect(ShortText.percent(permille: permille) == text) }

    @Test(
        "The kernel's account of waiting for memory",
        arguments: [
            ("some avg10=0.00 avg60=1.20 avg300=0.00 total=5\nfull avg10=9.00", 0), ("some avg10=12.34 avg60=0", 1234),
            ("full avg10=1.00", nil), ("some avg10=x", nil), ("", nil),
        ] as [(String, Int?)])
    func stalled(text: String, hundredths: Int?) { #expect(MachineMemory.stalled(in: text) == hundredths) }
}
