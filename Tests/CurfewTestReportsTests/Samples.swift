@testable import CurfewTestReports

/// Results as a runner gives them.
enum Samples {
    static let passed = ScenarioResult(
        ScenarioID(file: "tests/upload.curfew", name: "reclaim", line: 3), .passed, seconds: 0.04)

    static let failed = ScenarioResult(
        ScenarioID(file: "tests/upload.curfew", name: "comes back", line: 9, values: ["size=1"]),
        .failed(
            Failure(
                line: 12, column: 3, statement: "await state suspended within 5s",
                neighbours: [
                    Failure.Line(11, "  advance 9m55s"), Failure.Line(12, "  await state suspended within 5s"),
                    Failure.Line(13, "  open"),
                ],
                expected: "the app to be suspended", seen: "it is background, with 1 task open",
                events: ["12:00:01 taskDidBegin task=1"], output: ["listening on 80", "uploading"],
                picture: "out/comes-back/timeline.svg")),
        seconds: 5.25, artifacts: "out/comes-back",
        advances: [
            ScenarioAdvance(
                line: 11, passed: 590_000_000_000, left: 5_000_000_000, state: "background",
                events: ["taskDidBegin task=1"])
        ])

    static let skipped = ScenarioResult(
        ScenarioID(file: "vim.curfew", name: "vim", line: 1), .skipped("`test -x /usr/bin/vim` exited with 1"),
        seconds: 0)

    static let broken = ScenarioResult(
        ScenarioID(file: "bad.curfew", name: "bad.curfew", line: 1),
        .broken(Failure(line: 2, column: 1, statement: "lanch", expected: "", seen: "there is no statement \"lanch\"")),
        seconds: 0)

    static let all = [passed, failed, skipped, broken]

    static func summary(_ results: [ScenarioResult] = all, planned: Int? = nil, interruption: String? = nil) -> Summary
    {
        var summary = Summary(planned: planned, seconds: 5.5, interruption: interruption)
        for result in results { summary.count(result) }
        return summary
    }

    /// All that a sink writes of these, one after the other.
    static func text(_ sink: some ResultSink, _ results: [ScenarioResult] = all, interruption: String? = nil) -> String
    {
        var sink = sink
        var text = sink.began(results.count)
        for result in results { text += sink.started(result.id) + sink.finished(result) }
        return text + sink.ended(summary(results, planned: results.count, interruption: interruption))
    }

    /// Names, outputs and words that mean something to the forms they are written in.
    static let hostile = [
        "", " ", "a#b \\ c", "# SKIP no", "ok 1 - x", "\n", "a\r\nb\nnot ok 2", "]]>", "<a b=\"c\">&amp;'",
        "\u{0}\u{1b}[2Jx\u{7f}",
        "::error::x", "100%", "a,b:c", "\u{202e}reversed", "\u{fffe}\u{ffff}", "größe 😀", "...\n---", "\u{2028}",
        "<!--", "\t",
        "{{}}", "e\u{301}", "\u{85}", "Bail out!", "1..0",
    ]

    /// A failed one that holds this in each of its texts.
    static func hostile(_ text: String) -> ScenarioResult {
        ScenarioResult(
            ScenarioID(file: text, name: text, line: 1, values: [text, "a=" + text]),
            .failed(
                Failure(
                    line: 1, column: 2, statement: text, neighbours: [Failure.Line(1, text)], expected: text,
                    seen: text,
                    events: [text], output: [text], picture: text)),
            seconds: 1, artifacts: text,
            advances: [ScenarioAdvance(line: 1, passed: 1, left: 0, state: text, events: [text])])
    }
}

extension Samples {
    /// So many different ones, of a few files.
    static func many(_ count: Int, _ generator: inout SplitMix64) -> [ScenarioResult] {
        (0..<count).map { number in
            let file = ["a.curfew", "b/c.curfew", "b/d.curfew"][generator.below(3)]
            let id = ScenarioID(
                file: file, name: "number \(number)", line: number + 1,
                values: number % 3 == 0 ? ["size=\(number)"] : [])
            let seconds = Double(generator.below(10_000)) / 1_000
            guard case .failed(let failure) = failed.outcome else { return passed }
            switch generator.below(4) {
            case 0: return ScenarioResult(id, .failed(failure), seconds: seconds)
            case 1: return ScenarioResult(id, .skipped("no"), seconds: seconds)
            case 2: return ScenarioResult(id, .broken(failure), seconds: seconds)
            default: return ScenarioResult(id, .passed, seconds: seconds)
            }
        }
    }
}
