import Testing

@testable import CurfewScenario

/// Seeded, so that a failure, which names its seed, can be repeated.
@Suite("Fuzzing scenarios")
struct ScenarioFuzzTests {
    @Test(
        "Random words of the language never trap, and what is said stands in the file",
        arguments: 0..<8 as Range<UInt64>)
    func randomTokens(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<1_500 {
            let count = 1 + random.below(14)
            check((0..<count).map { _ in Self.tokens[random.below(Self.tokens.count)] }.joined(), seed)
        }
    }

    @Test("Random characters that mean something", arguments: 0..<4 as Range<UInt64>)
    func randomCharacters(seed: UInt64) {
        let characters = Array("a'\"\\$#{}()[]*+?|&;<>=! \t\n\r\u{0}é\u{301}\u{1f468}\u{200d}%1_-.~`")
        var random = SplitMix64(seed: seed)
        for _ in 0..<1_500 {
            let count = random.below(24)
            check(String((0..<count).map { _ in characters[random.below(characters.count)] }), seed)
        }
    }

    @Test("Good lines, changed a little", arguments: 0..<8 as Range<UInt64>)
    func mutations(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<400 {
            var text = Array(Self.lines[random.below(Self.lines.count)])
            for _ in 0...random.below(3) where !text.isEmpty { mutate(&text, &random) }
            check("app -- ./x\nlaunch\n" + String(text), seed)
        }
    }

    private static let lines = (StatementDefinition.statements + StatementDefinition.conditions).map(\.example)

    private static let tokens =
        StatementDefinition.statements.map { $0.name + " " } + StatementDefinition.conditions.map { $0.name + " " }
        + [
            "\n", "\n", "\n", " ", "'", "\"", "\\\n", "\\", "# ", "$x", "${x}", "${", "x ", "1 ", "5s ", "& ", "! ",
            "as ",
            "within ", "-- ", "unless ", "< ", "contains ", "(", "active ", "open ", "k=v ", "\r\n", "\u{0}",
        ]

    private func mutate(_ text: inout [Character], _ random: inout SplitMix64) {
        let index = random.below(text.count)
        switch random.below(4) {
        case 0: text[index] = Character(Unicode.Scalar(UInt8(random.below(128))))
        case 1: text.remove(at: index)
        case 2: text.insert(text[index], at: index)
        default: text.swapAt(index, random.below(text.count))
        }
    }

    private func check(_ text: String, _ seed: UInt64) {
        let (file, diagnostics) = ScenarioReader.read(text, path: "a.curfew")
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).count
        let isInside = diagnostics.allSatisfy { (1...lines).contains($0.position.line) && $0.position.column >= 1 }
        let isInOrder = zip(diagnostics, diagnostics.dropFirst()).allSatisfy { $0.position <= $1.position }
        let hasScenario = !file.scenarios.isEmpty || diagnostics.contains { $0.severity == .error }
        if isInside && isInOrder && hasScenario { return }
        Issue.record("seed \(seed): \(String(reflecting: text)): \(diagnostics)")
    }
}
