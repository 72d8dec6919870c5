import CurfewWire
import Testing

@testable import CurfewTestReports

@Suite("Which scenarios")
struct SelectionTests {
    private static let all = [
        ScenarioID(file: "tests/upload.curfew", name: "reclaim", line: 3, values: ["size=1"]),
        ScenarioID(file: "tests/upload.curfew", name: "reclaim", line: 3, values: ["size=20"]),
        ScenarioID(file: "tests/upload.curfew", name: "comes back", line: 12),
        ScenarioID(file: "vim.curfew", name: "vim", line: 1),
    ]

    @Test(
        "What a text chooses",
        arguments: [
            (["reclaim"], [0, 1]), (["upload"], [0, 1, 2]), (["upload.curfew:reclaim [size=1]"], [0]),
            (["size=20"], [1]),
            (["tests/upload.curfew: reclaim [size=1]"], [0]), (["vim", "comes"], [2, 3]), (["v", "vim"], [3]),
            (["*"], [0, 1, 2, 3]), (["tests/*"], [0, 1, 2]), (["re*"], [0, 1]), (["*size=?]"], [0]), (["v?m"], [3]),
            (["*.curfew"], [0, 1, 2, 3]),
            (["*:comes back"], [2]), (["*:reclaim"], [0, 1]), (["reclaim *"], [0, 1]), ([""], [0, 1, 2, 3]),
            ([], [0, 1, 2, 3]),
        ] as [([String], [Int])])
    func chooses(texts: [String], indices: [Int]) throws {
        #expect(try Selection(texts).chosen(of: Self.all) == indices.map { Self.all[$0] })
    }

    @Test("Nothing chosen is an error that names the nearest, also when another text chooses some")
    func nothing() {
        let problem = OptionProblem(
            "--only \"recliam\" chooses none of 4 scenarios; the nearest: tests/upload.curfew:reclaim, vim.curfew:vim, tests/upload.curfew:comes back"
        )
        #expect(throws: problem) { try Selection(["recliam"]).chosen(of: Self.all) }
        #expect(throws: problem) { try Selection(["vim", "recliam"]).chosen(of: Self.all) }
        #expect(throws: OptionProblem("--only \"Vim\" chooses none of 1 scenario; the nearest: vim.curfew:vim")) {
            try Selection(["Vim"]).chosen(of: [Self.all[3]])
        }
        #expect(throws: OptionProblem("--only \"a\\n\" chooses none of 0 scenarios")) {
            try Selection(["a\n"]).chosen(of: [])
        }
    }

    @Test(
        "Patterns",
        arguments: [
            ("", "", true), ("", "a", false), ("*", "", true), ("**", "abc", true), ("a*c", "abc", true),
            ("a*c", "abcb", false),
            ("a*b*c", "axbxbxc", true), ("?", "", false), ("?", "é", true), ("a?c", "abc", true), ("a?c", "ac", false),
            ("*a", "ba", true),
            ("*a", "ab", false), ("*ab", "aab", true), ("a*", "a", true),
        ])
    func patterns(pattern: String, text: String, fits: Bool) {
        #expect(Glob.fits(pattern, text) == fits)
    }

    @Test("A pattern of many stars takes no time without end")
    func manyStars() {
        let pattern = String(repeating: "a*", count: 200) + "b"
        #expect(!Glob.fits(pattern, String(repeating: "a", count: 2_000)))
    }

    @Test(
        "Edit distances",
        arguments: [
            ("", "", 0), ("", "ab", 2), ("ab", "", 2), ("kitten", "sitting", 3), ("flaw", "lawn", 2), ("é", "e", 1),
        ])
    func distances(left: String, right: String, distance: Int) {
        #expect(EditDistance.between(left, right) == distance)
        #expect(EditDistance.between(right, left) == distance)
    }

    @Test("What --list prints")
    func lists() throws {
        #expect(
            ScenarioList.text(Array(Self.all[1...]))
                == "tests/upload.curfew:3: reclaim [size=20]\ntests/upload.curfew:12: comes back\nvim.curfew:1: vim\n")
        #expect(ScenarioList.text([]) == "")
        #expect(
            ScenarioList.json(Array(Self.all[1...2]))
                == #"[{"file":"tests/upload.curfew","name":"reclaim","line":3,"values":{"size":"20"}},"#
                + #"{"file":"tests/upload.curfew","name":"comes back","line":12}]"# + "\n")
        #expect(ScenarioList.json([]) == "[]\n")
    }

    @Test("A name from elsewhere is one line in the list", arguments: Samples.hostile)
    func listsHostile(text: String) {
        let list = ScenarioList.text([Samples.hostile(text).id])
        #expect(!list.dropLast().unicodeScalars.contains(where: Printable.isUnfit))
        #expect(list.hasSuffix("\n"))
    }
}
