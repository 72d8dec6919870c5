import Testing

@testable import CurfewManifest

@Suite("TOML, its lines, and what the library can't bear")
struct TOMLDocumentTests {
    private func problem(_ text: String) -> String {
        do throws(DefinitionProblem) {
            _ = try TOMLDocument(Array(text.utf8))
            return "fine"
        } catch {
            return "\(error.line ?? 0): \(error.text)"
        }
    }

    @Test("Each key has its line, whatever is before it")
    func lines() throws {
        let text = """
            # a comment with [brackets and "quotes
            a = "x # y" # z

            b = [ # one
              "[", ']', "\\"",
            ]
            c = \"\"\"
            d = 1
            "" \"\"\"
            e.f = '''
            g = 1'''
            "h i" = 1
            [t.u] # [v]
            w = { x = 1, y = [1, 2] }
            [[q]]
            z = 1\r

            [[q]]
            last = 1
            """
        let document = try TOMLDocument(Array(text.utf8))
        let lines = [["a"], ["b"], ["c"], ["d"], ["e"], ["e", "f"], ["g"], ["h i"], ["t"], ["t", "u"]].map(
            document.line)
        #expect(lines == [2, 4, 7, nil, 10, 10, nil, 12, 13, 13])
        #expect(document.line(of: ["t", "u", "w", "x"]) == 14)
        #expect([["q"], ["q", "z"], ["q", "last"]].map(document.line) == [15, 16, 19])
    }

    @Test("A byte order mark is no part of the first key")
    func byteOrderMark() throws {
        #expect(try TOMLDocument(Array("\u{feff}a = 1".utf8)).line(of: ["a"]) == 1)
    }

    @Test("What isn't TOML is told with its line, and a word without quotes with what it should be")
    func syntax() {
        #expect(problem("a = 1\nb = \n") == "2: isn't TOML: expected value, saw '\\n', at column 5")
        #expect(
            problem("a = 1\nbudget = 10m # x\n")
                == "2: isn't TOML: expected digit, saw 'm', at column 12; text is in quotes: budget = \"10m\"")
        #expect(
            problem("a = 1\na = 2")
                == "2: isn't TOML: cannot redefine existing integer 'a', at column 5; text is in quotes: a = \"2\"")
        #expect(problem("a = [1,\n2,").hasPrefix("2: isn't TOML: encountered end-of-file"))
    }

    @Test("What would end the process, or a string before its time, doesn't come to the library")
    func guarded() {
        for text in [
            "[", "[ ", "[[", "[[[", "[=", "[#", "[\n", "[\t\n]", "[[ =", "a = 1\n  [.]", "a = 1\n[[\n", "[\ra]",
            "[[\ra]]", "a = [}", "a = [1, }]", "a = [\u{2028}]", "é = 1", "a = é",
        ] {
            #expect(problem(text).contains("isn't TOML"), "\(text.debugDescription)")
        }
        #expect(problem("a = 1\n[[[").hasPrefix("2: "))
        for date in ["1979-05-27", "07:32:00", "1979-05-27Tx", "1979-05-27T07:32Z", "[1, 07:]", "-1-2", "+1:"] {
            #expect(problem("a = \(date)\n").contains("looks like a date or a time"), "\(date)")
        }
        #expect(problem("a = [1e-5, -1, +1.5, 0x1f, -inf, true]") == "fine")
        let nul = "has a NUL, which no word of a command or of an environment can have"
        #expect(problem("a = 'x'\nb = \"\\u0000\"") == "2: \(nul)")
        #expect(problem("b = \"\"\"\n\\\\\\U00000000\"\"\"") == "2: \(nul)")
        #expect(problem("a = 1 \u{0}") == "1: \(nul)")
        #expect(problem("a = 1\n# \u{0}\nb = ") == "2: \(nul)")
        #expect(problem("a = '\\u0000'\nb = \"\\\\u0000\"") == "fine")
    }

    @Test("What isn't UTF-8 is told with its line")
    func notUTF8() {
        #expect(throws: DefinitionProblem(line: 2, "this line isn't UTF-8")) {
            try TOMLDocument([97, 61, 49, 10, 0xff])
        }
    }

    @Test("Rubbish is refused, or read, and never ends the process")
    func rubbish() {
        var generator = SplitMix64(seed: 20)
        let pieces = [
            "[", "]", "[[", "]]", "=", "\"", "'", "\"\"\"", "'''", "\\", "\\u0000", "#", "\n", " ", ".", ",", "{", "}",
            "a", "b-c",
            "1", "0x", "1.5", "inf", "true", "1979-05-27", "07:32", "é", "\u{0}", "\r", "\t", "\u{feff}", "\u{a0}",
            "\u{85}", "\u{2028}", "\u{b}", "\u{c}", "_", "+", "-", "command = ",
            "on = [",
        ]
        for _ in 0..<20_000 {
            let count = generator.below(12)
            let start =
                generator.chance(50)
                ? "" : generator.pick(["a = ", "a = [1, ", "a = { b = ", "[a.", "a = \"", "a = 1"])
            let text = start + (0..<count).map { _ in generator.pick(pieces) }.joined()
            let read = ManifestReader.read(Array(text.utf8), path: "web.toml")
            #expect((read.definition == nil) == read.problems.contains { !$0.isWarning })
        }
    }
}
