import CurfewWire
import Testing

@testable import CurfewTestReports

@Suite("What a scenario is called")
struct ScenarioTextTests {
    @Test(
        "Titles",
        arguments: [
            ("upload.curfew", "reclaim", [], 0, "upload.curfew: reclaim"),
            ("a/upload.curfew", "upload", [], 0, "a/upload.curfew"),
            ("a/upload.curfew", "upload.curfew", [], 0, "a/upload.curfew"),
            ("a/upload.curfew", "a/upload.curfew", [], 0, "a/upload.curfew"),
            ("upload", "upload", [], 0, "upload"),
            (".curfew", ".curfew", [], 0, ".curfew"),
            (".curfew", "", [], 0, ".curfew: "),
            ("a/upload.curfew", "upload", ["size=1", "b=2"], 3, "a/upload.curfew [size=1 b=2] (round 3)"),
            ("upload.curfew", "reclaim", ["size=1"], 0, "upload.curfew: reclaim [size=1]"),
            ("a\nb.curfew", "c\u{1b}", ["d=\r"], 0, "a\\nb.curfew: c\\x1b [d=\\r]"),
            ("a\nb.curfew", "a\nb", ["d=1"], 0, "a\\nb.curfew [d=1]"),
        ] as [(String, String, [String], Int, String)])
    func titles(file: String, name: String, values: [String], round: Int, title: String) {
        #expect(ScenarioID(file: file, name: name, line: 1, values: values, round: round).title == title)
    }

    @Test(
        "Sentences",
        arguments: [
            ("x", "y", "expected x: y"), ("", "y", "y"), ("x", "", "expected x"), ("", "", ""),
            ("a\nb", "c\td", "expected a\\nb: c\\td"),
        ])
    func sentences(expected: String, seen: String, sentence: String) {
        #expect(Failure(line: 1, column: 1, statement: "", expected: expected, seen: seen).sentence == sentence)
    }

    @Test(
        "Places",
        arguments: [(0, 0, "a"), (0, 3, "a"), (4, 0, "a:4"), (4, 5, "a:4:5")])
    func places(line: Int, column: Int, place: String) {
        #expect(Failure(line: line, column: column, statement: "", expected: "", seen: "").place(in: "a") == place)
    }

    @Test(
        "Seconds that are none are no time, and those without end a long one",
        arguments: [
            (0.0, 0), (-1, 0), (.nan, 0), (.infinity, 9_000_000_000_000_000_000), (1e300, 9_000_000_000_000_000_000),
            (0.25, 250_000_000), (1e-9, 1),
        ] as [(Double, Int64)])
    func seconds(seconds: Double, nanoseconds: Int64) {
        #expect(ScenarioResult.nanoseconds(seconds) == nanoseconds)
    }

    @Test(
        "Columns that text takes",
        arguments: [
            ("", 0), ("abc", 3), ("größe", 5), ("e\u{301}", 1), ("日本", 4), ("😀", 2), ("👩‍🚀", 2), ("ｱ", 1), ("Ａ", 2),
            ("한", 2),
        ])
    func widths(text: String, columns: Int) {
        #expect(DisplayWidth.of(text) == columns)
    }

    @Test("A beginning never takes more columns than there are, and half a character isn't shown")
    func prefixes() {
        #expect(DisplayWidth.prefix(of: "a日本", within: 0) == "")
        #expect(DisplayWidth.prefix(of: "a日本", within: 2) == "a")
        #expect(DisplayWidth.prefix(of: "a日本", within: 3) == "a日")
        #expect(DisplayWidth.prefix(of: "a日本", within: 9) == "a日本")
    }
}
