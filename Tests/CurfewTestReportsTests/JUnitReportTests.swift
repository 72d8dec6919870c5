import CurfewWire
import Testing

@testable import CurfewTestReports

@Suite("JUnit")
struct JUnitReportTests {
    private static let time = "2026-11-22T21:45:00"

    @Test("Each outcome: a suite for each file, by name")
    func golden() {
        let golden = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="curfew test" tests="4" failures="1" errors="1" time="5.290">
              <testsuite name="bad.curfew" tests="1" failures="0" errors="1" skipped="0" time="0.000" timestamp="2026-11-22T21:45:00">
                <testcase classname="bad" name="bad.curfew" time="0.000">
                  <error message="there is no statement &quot;lanch&quot;">at bad.curfew:2:1
            &gt; 2 | lanch
                | ^

            seen      there is no statement &quot;lanch&quot;
            </error>
                </testcase>
              </testsuite>
              <testsuite name="tests/upload.curfew" tests="2" failures="1" errors="0" skipped="0" time="5.290" timestamp="2026-11-22T21:45:00">
                <testcase classname="tests.upload" name="reclaim" time="0.040">
                </testcase>
                <testcase classname="tests.upload" name="comes back [size=1]" time="5.250">
                  <failure message="expected the app to be suspended: it is background, with 1 task open">at tests/upload.curfew:12:3
              11 |   advance 9m55s
            &gt; 12 |   await state suspended within 5s
                 |   ^
              13 |   open

            expected  the app to be suspended
            seen      it is background, with 1 task open

            last advances
            | line 11: 9 min 50 s passed, 5 s left; the app is background; what happened: taskDidBegin task=1

            last events
            | 12:00:01 taskDidBegin task=1

            picture   out/comes-back/timeline.svg
            kept in   out/comes-back
            </failure>
                  <system-out>listening on 80
            uploading
            </system-out>
                </testcase>
              </testsuite>
              <testsuite name="vim.curfew" tests="1" failures="0" errors="0" skipped="1" time="0.000" timestamp="2026-11-22T21:45:00">
                <testcase classname="vim" name="vim" time="0.000">
                  <skipped message="`test -x /usr/bin/vim` exited with 1"></skipped>
                </testcase>
              </testsuite>
            </testsuites>

            """
        #expect(Samples.text(JUnitReport(timestamp: Self.time)) == golden)
    }

    @Test("The file is the same in whatever order scenarios finish")
    func order() {
        var generator = SplitMix64(seed: 7)
        var results =
            Samples.all
            + (1...5).map { round in
                ScenarioResult(
                    ScenarioID(file: "a", name: "b", line: 1, values: ["c=\(round % 2)"], round: round), .passed,
                    seconds: 1)
            }
        let text = Samples.text(JUnitReport(timestamp: ""), results)
        for _ in 0..<20 {
            results.shuffle(using: &generator)
            #expect(Samples.text(JUnitReport(timestamp: ""), results) == text)
        }
    }

    @Test("An interrupted run has an error of its own")
    func interrupted() throws {
        let text = Samples.text(JUnitReport(timestamp: ""), [Samples.passed], interruption: "SIGINT")
        let document = try JUnitDocument.read(Array(text.utf8))
        #expect(document.suites.last?.name == "curfew test")
        #expect(
            document.suites.last?.cases.first?.outcome
                == .broken(message: "interrupted by SIGINT: 0 not run", text: "interrupted by SIGINT: 0 not run"))
    }

    @Test(
        "Classes: folders are packages, other points aren't",
        arguments: [
            ("upload.curfew", "upload"), ("./a//b.curfew", "a.b"), ("/v1.2/x.y.curfew", "v1_2.x_y"), ("../a", "__.a"),
            (".curfew", "_curfew"), ("", ""), ("a\u{1b}.curfew", "a\\x1b"),
        ])
    func classes(file: String, name: String) {
        #expect(ScenarioID(file: file, name: "", line: 1).className == name)
    }

    @Test("What was written is read as it was, but for the microseconds", arguments: Samples.hostile)
    func readsItsOwn(text: String) throws {
        var report = JUnitReport(timestamp: text)
        _ = report.finished(Samples.hostile(text))
        _ = report.finished(ScenarioResult(ScenarioID(file: text, name: "skip", line: 2), .skipped(text), seconds: 2))
        var summary = Summary(interruption: text)
        summary.count(Samples.hostile(text))
        let document = report.document(summary)
        let read = try JUnitDocument.read(Array(document.text.utf8))
        #expect(read == document.replacingWhatXMLCannotHold)
        #expect(read.text == document.text)
    }
}

extension JUnitDocument {
    /// What its text holds: U+FFFD for what XML 1.0 forbids.
    var replacingWhatXMLCannotHold: JUnitDocument {
        func held(_ text: String) -> String {
            String(String.UnicodeScalarView(text.unicodeScalars.map { XML.isAllowed($0) ? $0 : "\u{fffd}" }))
        }
        return JUnitDocument(
            suites.map { suite in
                Suite(
                    name: held(suite.name), timestamp: held(suite.timestamp),
                    suite.cases.map { one in
                        let outcome: Outcome =
                            switch one.outcome {
                            case .passed: .passed
                            case .failed(let message, let text): .failed(message: held(message), text: held(text))
                            case .broken(let message, let text): .broken(message: held(message), text: held(text))
                            case .skipped(let why): .skipped(held(why))
                            }
                        return Case(
                            className: held(one.className), name: held(one.name), nanoseconds: one.nanoseconds, outcome,
                            output: held(one.output))
                    })
            })
    }
}
