import CurfewCommand
import CurfewCore
import Testing

@testable import CurfewManifest

@Suite("A command line as a manifest")
struct WritingTests {
    private func definition(_ words: String...) throws -> AppDefinition { try AppDefinition(commandLine: words) }

    @Test("Options have their own types")
    func types() throws {
        let manifest = try definition(
            "--budget=10m", "--aware", "--grace", "7", "--grace", "8", "--on", "a=USR1", "--on=b=USR2", "--name", "web",
            "--", "x",
            "a\nb\"")
        #expect(manifest.name == "web")
        #expect(
            manifest.manifest == """
                command = ["x", "a\\nb\\""]
                aware = true
                budget = "10m"
                grace = 8
                on = ["a=USR1", "b=USR2"]

                """)
    }

    @Test("What isn't an app's own is refused, and so is what `run` refuses")
    func refused() {
        let words = ["--report", "x", "true"]
        #expect(throws: UsageError("launch", "--report: \(RunOption.report.otherPlace ?? "")")) {
            try AppDefinition(commandLine: words)
        }
        #expect(throws: UsageError.self) { try AppDefinition(commandLine: ["--budget", "x", "true"]) }
        #expect(throws: UsageError.self) { try AppDefinition(commandLine: ["--aware"]) }
    }

    @Test("Options behind the command are its own")
    func ends() throws {
        #expect(try definition("--aware", "x", "--budget", "1").command == ["x", "--budget", "1"])
        #expect(try definition("--aware", "--", "--", "1").command == ["--", "1"])
        #expect(try definition("--settings", "--aware", "x").options == ["--settings", "--aware"])
    }

    @Test("What is written is read as the same")
    func roundTrip() throws {
        var generator = SplitMix64(seed: 7)
        for _ in 0..<400 {
            let written = Self.random(&generator)
            let read = ManifestReader.read(Array(written.manifest.utf8), path: "web.toml")
            let definition = try #require(read.definition, "\(written.manifest)\n\(read.problems)")
            #expect(definition.says(as: written), "\(written.manifest)")
        }
    }

    private static let options: [(RunOption, [String])] = [
        (.aware, []), (.waitAll, []), (.budget, ["10m", "90", "007", "+1", "inf"]), (.memory, ["200M", "1073741824"]),
        (.profile, ["ios4", "ios7"]), (.wakeOn, ["all", "connections:80"]), (.on, ["a=USR1", "b=HUP"]),
        (.launchOption, ["a=echo \"b\" \\ 'c'"]),
        (.launchOption, ["k=\t", "l=é\u{85}\u{7f}"]), (.settings, ["/a b\"\\"]), (.watchdog, ["10"]),
    ]

    private static func random(_ generator: inout SplitMix64) -> AppDefinition {
        let words = (0...generator.below(4)).map { _ in text(&generator) }
        var definition = AppDefinition(name: "web", source: .commandLine, command: ["x" + words[0]] + words.dropFirst())
        let chosen = options.filter { _ in generator.chance(40) }
        definition.options = chosen.flatMap { option, values in
            option.isRepeatable
                ? values.flatMap { [option.rawValue, $0] }
                : [option.rawValue] + (values.isEmpty ? [] : [generator.pick(values)])
        }
        definition.options = RunOptionList.words(RunOptionList.items(definition.options))
        if generator.chance(50) { definition.directory = "/" + text(&generator) }
        let variables = Set((0..<generator.below(4)).map { _ in "V" + text(&generator).filter { $0 != "=" } })
        definition.environment = variables.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map {
            ($0, text(&generator))
        }
        definition.launchAtStart = generator.chance(50)
        definition.restart = generator.pick(RestartCondition.allCases)
        definition.backgroundModes = Set(BackgroundMode.allCases.filter { _ in generator.chance(40) })
        let hasWake = chosen.contains { $0.0 == .wakeOn }
        if definition.backgroundModes.contains(.voip), !hasWake { definition.backgroundModes.remove(.voip) }
        definition.minimumFetchInterval = generator.pick([
            .never, .minimum, .every(.seconds(90)), .every(.milliseconds(1_500)),
        ])
        return definition
    }

    private static func text(_ generator: inout SplitMix64) -> String {
        let pieces = [
            "a", " ", "\"", "'", "\\", "\n", "\t", "=", "é", "#", "[", "$", "\u{1b}", "日", "\u{301}", ".", "\r\n",
            "\u{7f}",
        ]
        return (0..<generator.below(6)).map { _ in generator.pick(pieces) }.joined()
    }
}
