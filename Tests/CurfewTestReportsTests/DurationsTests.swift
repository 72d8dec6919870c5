import Testing

@testable import CurfewTestReports

@Suite("The file of durations")
struct DurationsTests {
    private let id = ScenarioID(file: "a.curfew", name: "b", line: 1, values: ["c=1", "d=2"])

    @Test("What is written: by name, the mean of rounds, without what was skipped or couldn't be run")
    func golden() {
        var durations = Durations()
        var second = id
        second.round = 2
        durations.note([
            ScenarioResult(second, .passed, seconds: 2), ScenarioResult(id, .passed, seconds: 1), Samples.failed,
            Samples.passed,
            Samples.skipped, Samples.broken,
        ])
        let golden = [
            "# curfew test: seconds, file, name, values; with tabs between", "1.500\ta.curfew\tb\tc=1\td=2",
            "5.250\ttests/upload.curfew\tcomes back\tsize=1", "0.040\ttests/upload.curfew\treclaim", "",
        ]
        #expect(durations.text == golden.joined(separator: "\n"))
    }

    @Test("What was noted before stays, unless there is something newer")
    func notes() {
        var durations = Durations.read("7\ta.curfew\tb\tc=1\td=2\n8\tx\ty\n").durations
        durations.note([ScenarioResult(id, .passed, seconds: 1)])
        durations.note([ScenarioResult(id, .skipped(""), seconds: 0)])
        #expect(durations[id] == 1_000_000_000)
        #expect(durations[ScenarioID(file: "./x", name: "y", line: 9)] == 8_000_000_000)
    }

    @Test("Files that are appended are joined, the later line counts; ends of lines as on other systems")
    func appended() {
        let (durations, problems) = Durations.read("1\ta\tb\r\n# x\n\n  \n2\ta\tb\r\n3\ta\tc\r\n")
        #expect(problems.isEmpty)
        #expect(durations[ScenarioID(file: "a", name: "b", line: 1)] == 2_000_000_000)
        #expect(durations[ScenarioID(file: "a", name: "c", line: 1)] == 3_000_000_000)
    }

    @Test(
        "A line that can't be read is told of, and the others count",
        arguments: [
            ("x\ta\tb", "f:2: \"x\" is no number of seconds from 0 to a day"),
            ("\ta\tb", "f:2: \"\" is no number of seconds from 0 to a day"),
            ("-1\ta\tb", "f:2: \"-1\" is no number of seconds from 0 to a day"),
            ("inf\ta\tb", "f:2: \"inf\" is no number of seconds from 0 to a day"),
            ("86400.001\ta\tb", "f:2: \"86400.001\" is no number of seconds from 0 to a day"),
            ("\u{1b}\ta\tb", "f:2: \"\\x1b\" is no number of seconds from 0 to a day"),
            ("1 a b", "f:2: SECONDS, FILE and NAME should stand here, with tabs between"),
            ("1\ta", "f:2: SECONDS, FILE and NAME should stand here, with tabs between"),
        ])
    func problems(line: String, problem: String) {
        let (durations, problems) = Durations.read("1\ta\tx\n\(line)\n3\ta\tz\n")
        #expect(problems.map { $0.text(in: "f") } == [problem])
        #expect(durations.median == 1_000_000_000)
        #expect(durations[ScenarioID(file: "a", name: "z", line: 1)] == 3_000_000_000)
    }

    @Test("Medians")
    func medians() {
        #expect(Durations().median == nil)
        #expect(Durations.read("5\ta\ta\n1\ta\tb\n9\ta\tc\n").durations.median == 5_000_000_000)
        #expect(Durations.read("5\ta\ta\n1\ta\tb\n").durations.median == 1_000_000_000)
    }

    @Test("What is written is read as it was", arguments: Samples.hostile)
    func hostile(text: String) {
        var durations = Durations()
        durations.note([Samples.hostile(text), Samples.passed])
        let (read, problems) = Durations.read(durations.text)
        #expect(problems.isEmpty)
        #expect(read == durations)
    }

    @Test("Times without end are a day")
    func long() {
        var durations = Durations()
        durations.note([
            ScenarioResult(id, .passed, seconds: .infinity),
            ScenarioResult(
                id, .failed(Failure(line: 1, column: 1, statement: "", expected: "", seen: "")), seconds: 1e300),
        ])
        #expect(durations[id] == 86_400_000_000_000)
    }

    @Test("Rubbish is told of line by line, and nothing else comes of it")
    func fuzz() {
        var generator = SplitMix64(seed: 2)
        for _ in 0..<2_000 {
            let bytes = (0..<generator.below(60)).map { _ in Array("19.\t\n\r\\tna# é".utf8)[generator.below(13)] }
            let text = String(decoding: bytes, as: UTF8.self)
            let (durations, problems) = Durations.read(text)
            #expect(problems.count <= text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false).count)
            #expect(Durations.read(durations.text).problems.isEmpty)
            #expect(
                Durations.read(durations.text + durations.text).durations == Durations.read(durations.text).durations)
        }
    }
}
