import CurfewTestReports
import CurfewWire
import Testing

@Suite("TAP 14")
struct TAPReportTests {
    @Test("Each outcome")
    func golden() {
        let golden = #"""
            TAP version 14
            1..4
            ok 1 - tests/upload.curfew: reclaim
              ---
              duration_ms: 40
              ...
            not ok 2 - tests/upload.curfew: comes back [size=1]
              ---
              message: "expected the app to be suspended: it is background, with 1 task open"
              severity: fail
              at:
                file: "tests/upload.curfew"
                line: 12
                column: 3
              statement: "await state suspended within 5s"
              wanted: "the app to be suspended"
              found: "it is background, with 1 task open"
              advances:
                - "line 11: 9 min 50 s passed, 5 s left; the app is background; what happened: taskDidBegin task=1"
              events:
                - "12:00:01 taskDidBegin task=1"
              output:
                - "listening on 80"
                - "uploading"
              picture: "out/comes-back/timeline.svg"
              artifacts: "out/comes-back"
              duration_ms: 5250
              ...
            ok 3 - vim.curfew # SKIP `test -x /usr/bin/vim` exited with 1
            not ok 4 - bad.curfew
              ---
              message: "there is no statement \"lanch\""
              severity: error
              at:
                file: "bad.curfew"
                line: 2
                column: 1
              statement: "lanch"
              wanted: ""
              found: "there is no statement \"lanch\""
              duration_ms: 0
              ...

            """#
        #expect(Samples.text(TAPReport()) == golden)
    }

    @Test("Nothing to run is a plan of none")
    func nothing() {
        #expect(Samples.text(TAPReport(), []) == "TAP version 14\n1..0 # nothing to run\n")
    }

    @Test("The plan comes last where it isn't known")
    func trailingPlan() {
        var report = TAPReport()
        #expect(report.began(nil) == "TAP version 14\n")
        #expect(report.finished(Samples.skipped).hasPrefix("ok 1 - "))
        #expect(report.finished(Samples.skipped).hasPrefix("ok 2 - "))
        #expect(report.ended(Samples.summary()) == "1..2\n")
    }

    @Test("An interrupted run bails out")
    func interrupted() {
        #expect(Samples.text(TAPReport(), [], interruption: "SIG#").hasSuffix("Bail out! interrupted by SIG\\#\n"))
    }

    @Test("A skip without a reason")
    func skip() {
        let text = Samples.text(TAPReport(), [ScenarioResult(Samples.passed.id, .skipped(""), seconds: 0)])
        #expect(text == "TAP version 14\n1..1\nok 1 - tests/upload.curfew: reclaim # SKIP\n")
    }

    @Test("A reader gets back each name and text, and finds no other test point", arguments: Samples.hostile)
    func hostile(text: String) throws {
        let result = Samples.hostile(text)
        let lines = Samples.text(TAPReport(), [result]).split(separator: "\n", omittingEmptySubsequences: false)
        let point = try #require(lines.dropFirst(2).first)
        #expect(Self.description(of: point) == "not ok 1 - " + result.id.title)
        #expect(lines[3] == "  ---")
        #expect(lines.suffix(2) == ["  ...", ""])
        let yaml = lines[4..<(lines.count - 2)]
        #expect(yaml.count == 18)
        for line in yaml { #expect(line.hasPrefix("  ") && line != "  ..." && line != "  ---") }
        for key in ["statement", "wanted", "found", "picture", "artifacts"] {
            let line = try #require(yaml.first { $0.hasPrefix("  \(key): ") })
            #expect(try JSON.parse(String(line.dropFirst(key.count + 4))) == .string(text))
        }
        // An advance's is but one part of its line.
        for item in yaml where item.hasPrefix("    - ") && !item.hasPrefix("    - \"line 1: ") {
            #expect(try JSON.parse(String(item.dropFirst(6))) == .string(text))
        }
    }

    @Test("A reason for a skip that looks like a directive is still one reason", arguments: Samples.hostile)
    func hostileSkip(text: String) {
        let written = Samples.text(TAPReport(), [ScenarioResult(Samples.passed.id, .skipped(text), seconds: 0)])
        let line = written.split(separator: "\n", omittingEmptySubsequences: false)[2]
        let parts = line.split(separator: " # SKIP", maxSplits: 1)
        #expect(parts.first == "ok 1 - tests/upload.curfew: reclaim")
        let reason = parts.count > 1 ? Self.description(of: parts[1]) : ""
        #expect(reason == (text.isEmpty ? "" : " " + Printable.text(text)))
    }

    /// As a harness reads it: up to the first `#` that isn't escaped, and without the escapes.
    private static func description(of line: Substring) -> String {
        var text = ""
        var isEscaped = false
        for scalar in line.unicodeScalars {
            if isEscaped {
                if scalar != "#" && scalar != "\\" { text += "\\" }
                text.unicodeScalars.append(scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "#" {
                return text
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
