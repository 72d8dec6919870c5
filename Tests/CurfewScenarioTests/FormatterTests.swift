import Testing

@testable import CurfewScenario

@Suite("Layout")
struct FormatterTests {
    @Test(
        "One way to lay a file out",
        arguments: [
            ("app   ./x\t y\nlaunch", "app ./x y\nlaunch\n"),
            ("\n\n  app ./x  \n\n\n\n\tlaunch\t\n\n", "app ./x\n\nlaunch\n"),
            ("app ./x\r\nlaunch\r\n", "app ./x\nlaunch\n"),
            ("\u{feff}app ./x\nlaunch", "app ./x\nlaunch\n"),
            ("app ./x \\\n y \\\n\t\tz\nlaunch", "app ./x \\\n    y \\\n    z\nlaunch\n"),
            ("\\\napp ./x \\\n\nlaunch", "app ./x\nlaunch\n"),
            ("app ./x\\\n y\nlaunch", "app ./x \\\n    y\nlaunch\n"),
            ("app ./x\\\n\\\n y\nlaunch", "app ./x \\\n    y\nlaunch\n"),
            ("app ./x\\\ny\nlaunch", "app ./x\\\ny\nlaunch\n"),
            ("app \"a  \\\n  b\"  'c  d' e\\ \\ f\nlaunch", "app \"a  \\\n  b\" 'c  d' e\\ \\ f\nlaunch\n"),
            ("#  a \t\napp ./x # b\nlaunch   #c", "#  a\napp ./x  # b\nlaunch  #c\n"),
            ("app ./x   # a\nlaunch    # b\nhome     # c", "app ./x  # a\nlaunch   # b\nhome  # c\n"),
            ("app ./x   # a\nlaunch\nhome      # c", "app ./x  # a\nlaunch\nhome     # c\n"),
            ("app ./x   # a\n\nhome      # c\n", nil),
            ("app ./x   # a\n\nlaunch    # c\n", "app ./x  # a\n\nlaunch  # c\n"),
            ("app ./x \\\n  y   # a\nlaunch  # b", "app ./x \\\n    y  # a\nlaunch  # b\n"),
            ("app ./x \\\n # a\nlaunch", "app ./x  # a\nlaunch\n"),
            ("app ./ä   # a\nlaunch    # b", "app ./ä  # a\nlaunch   # b\n"),
            ("launch", nil),
            ("", nil),
        ] as [(String, String?)])
    func layout(text: String, laidOut: String?) {
        #expect(ScenarioFormatter.format(text) == laidOut)
    }

    @Test("The design's example is laid out as it stands")
    func example() {
        let text = """
            # upload.curfew
            app --budget 10m -- ./uploader --port 0            # run's options, then the command
            launch
            home
            expect events willResignActive didEnterBackground  # in this order

            """
        #expect(ScenarioFormatter.format(text) == text)
    }

    @Test("What is read stays, and a second time changes nothing", arguments: 0..<8 as Range<UInt64>)
    func roundTrips(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var count = 0
        for _ in 0..<150 {
            let text = randomFile(&random)
            guard let laidOut = ScenarioFormatter.format(text) else { continue }
            count += 1
            let isSame = words(laidOut) == words(text)
            let isStable = ScenarioFormatter.format(laidOut) == laidOut
            if !isSame || !isStable { Issue.record("seed \(seed): \(String(reflecting: text))") }
        }
        #expect(count > 50, "seed \(seed)")
    }

    private static let lines = (StatementDefinition.statements + StatementDefinition.conditions)
        .filter { $0.kind != .heading && $0.kind != .declaration }
        .flatMap { $0.example.split(separator: "\n").map(String.init) }

    private static let gaps = [" ", " ", " ", "  ", "\t", " \\\n", " \\\n   ", "\\\n ", " \\\r\n\t"]
    private static let ends = [
        "", "", "", " ", " # c", "  # d", "     #", "\t# \u{600}", " \\\n # e", "\\\n", " \\\n\\\n", "\r",
    ]
    private static let words = [
        "a", "'b  c'", "\"d \\\n e\"", "f\\ ", "é\u{301}", "g\u{600}", "''", "h\\\ni", "\\#", "a#b", "$", "\"$\"",
    ]

    private func randomFile(_ random: inout SplitMix64) -> String {
        var text = "app -- ./x\nlaunch\nset port 1\n"
        for _ in 0...random.below(8) {
            var line = Self.lines[random.below(Self.lines.count)]
            if random.below(2) == 0 {
                line =
                    "do" + (0...random.below(3)).map { _ in " " + Self.words[random.below(Self.words.count)] }.joined()
            }
            let gap = Self.gaps[random.below(Self.gaps.count)]
            let spaced =
                line.contains(where: { "'\"\\".contains($0) })
                ? line : line.split(separator: " ").joined(separator: gap)
            text += ["", "", "  ", "\t", "\n\n\n", "# x  \n"][random.below(6)]
            text += spaced + Self.ends[random.below(Self.ends.count)] + "\n"
        }
        return text
    }

    /// The words of each line, without where they stand.
    private func words(_ text: String) -> [[[String]]] {
        var lexer = Lexer(text)
        var lines: [[[String]]] = []
        while let line = lexer.next() {
            if line.words.isEmpty { continue }
            lines.append(
                line.words.map { word in
                    word.word.parts.map {
                        switch $0 {
                        case .text(let text): "=" + text
                        case .variable(let name, _): "$" + name
                        }
                    }
                })
        }
        return lines
    }
}
