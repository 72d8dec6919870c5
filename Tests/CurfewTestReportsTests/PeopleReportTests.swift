import CurfewTestReports
import CurfewWire
import Testing

@Suite("What people read")
struct PeopleReportTests {
    private static let golden = """
        passed    40 ms  tests/upload.curfew: reclaim
        FAILED    5.3 s  tests/upload.curfew: comes back [size=1]

            at tests/upload.curfew:12:3
              11 |   advance 9m55s
            > 12 |   await state suspended within 5s
                 |   ^
              13 |   open

            expected  the app to be suspended
            seen      it is background, with 1 task open

            last advances
            | line 11: 9 min 50 s passed, 5 s left; the app is background; what happened: taskDidBegin task=1

            last events
            | 12:00:01 taskDidBegin task=1

            last output
            | listening on 80
            | uploading

            picture   out/comes-back/timeline.svg
            kept in   out/comes-back

        skipped     0 s  vim.curfew: `test -x /usr/bin/vim` exited with 1
        BROKEN      0 s  bad.curfew

            at bad.curfew:2:1
            > 2 | lanch
                | ^

            seen      there is no statement "lanch"


        FAILED  tests/upload.curfew: comes back [size=1]
                at tests/upload.curfew:12:3: expected the app to be suspended: it is background, with 1 task open
        BROKEN  bad.curfew
                at bad.curfew:2:1: there is no statement "lanch"

        1 passed, 1 failed, 1 skipped, 1 couldn't be run, in 5.5 s

        """

    @Test("In a pipe: no colour, and no line is rewritten")
    func pipe() {
        #expect(Samples.text(PeopleReport(PeopleReport.Style())) == Self.golden)
    }

    @Test("On a terminal the same stays, whatever its width", arguments: [0, 1, 2, 20, 80, 500])
    func terminal(width: Int) {
        let screen = Screen(Samples.text(PeopleReport(PeopleReport.Style(terminalWidth: width))))
        #expect(screen.text == Self.golden)
    }

    @Test("With colours the same words, each colour ended on its line")
    func colours() {
        let text = Samples.text(PeopleReport(PeopleReport.Style(hasColour: true)))
        #expect(text.contains("\u{1b}[32mpassed \u{1b}[0m"))
        #expect(text.contains("\u{1b}[1;31mFAILED \u{1b}[0m"))
        for line in text.split(separator: "\n") where line.contains("\u{1b}") { #expect(line.contains("\u{1b}[0m")) }
        #expect(text.replacing(#/\u{1b}\[[0-9;]*m/#, with: "") == Self.golden)
    }

    @Test("The progress says how far it is and what runs, and is cut before the edge")
    func progress() {
        var report = PeopleReport(PeopleReport.Style(terminalWidth: 80))
        #expect(report.began(4) == "[0/4]")
        #expect(report.started(Samples.passed.id) == "\r\u{1b}[K[0/4] tests/upload.curfew: reclaim")
        #expect(report.started(Samples.skipped.id) == "\r\u{1b}[K[0/4] tests/upload.curfew: reclaim, and 1 more")
        let passed = "passed    40 ms  tests/upload.curfew: reclaim\n"
        #expect(report.finished(Samples.passed) == "\r\u{1b}[K\(passed)[1/4] vim.curfew")
        #expect(report.finished(Samples.broken).hasSuffix("\n[2/4] 1 not well; vim.curfew"))
    }

    @Test("A progress line is never as wide as the terminal", arguments: [2, 3, 9, 17, 40])
    func width(width: Int) {
        var report = PeopleReport(PeopleReport.Style(terminalWidth: width))
        let id = ScenarioID(file: String(repeating: "long", count: 99), name: "x", line: 1)
        #expect(Screen(report.began(nil) + report.started(id)).widest == width - 1)
    }

    @Test("What others say comes above the progress, in a pipe as it is")
    func said() {
        var report = PeopleReport(PeopleReport.Style(terminalWidth: 80))
        #expect(Screen(report.began(2) + report.said("warning: x\n")).text == "warning: x\n[0/2]")
        report.style.terminalWidth = 4
        #expect(report.said("") == "\r\u{1b}[K[0…")
        var piped = PeopleReport(PeopleReport.Style())
        #expect(piped.began(2) + piped.said("warning: x\n") == "warning: x\n")
    }

    @Test("Of a run whose length isn't known: how many were done")
    func unknown() {
        var report = PeopleReport(PeopleReport.Style(terminalWidth: 80))
        #expect(report.began(nil) == "[0]")
    }

    @Test("An interrupted run says so, and what wasn't run")
    func interrupted() {
        var report = PeopleReport(PeopleReport.Style())
        let text = report.ended(Samples.summary([Samples.passed], planned: 9, interruption: "SIGINT"))
        #expect(text == "\ninterrupted by SIGINT: 1 passed, 8 not run, in 5.5 s\n")
    }

    @Test(
        "Where nothing is kept of what failed, one line says how it would be; of what couldn't be run there is nothing")
    func hint() {
        let hint = "\n`--artifacts DIR` keeps journal, report, output and picture of each.\n"
        let report = PeopleReport(PeopleReport.Style(), keepsArtifacts: false)
        let text = Samples.text(report, [Samples.failed, Samples.failed, Samples.broken])
        #expect(text.split(separator: hint, omittingEmptySubsequences: false).count == 2)
        #expect(text.contains(hint + "\n0 passed, 2 failed"))
        for results in [[Samples.passed], [Samples.skipped], [Samples.broken]] {
            #expect(!Samples.text(report, results).contains("--artifacts"))
        }
    }

    @Test("The caret is below the character meant, whatever precedes it")
    func caret() {
        let failure = Failure(
            line: 1, column: 4, statement: "", neighbours: [Failure.Line(1, "日\tx$y")], expected: "", seen: "no")
        let text = Samples.text(
            PeopleReport(PeopleReport.Style()), [ScenarioResult(Samples.passed.id, .failed(failure), seconds: 1)])
        #expect(text.contains("    > 1 | 日\\tx$y\n        |      ^\n"))
    }

    @Test("A statement over several lines, without neighbours")
    func statement() {
        let failure = Failure(line: 9, column: 1, statement: "app -- sh \\\n  -c x", expected: "", seen: "no")
        let text = Samples.text(
            PeopleReport(PeopleReport.Style()), [ScenarioResult(Samples.passed.id, .failed(failure), seconds: 1)])
        #expect(text.contains("    >  9 | app -- sh \\\n         | ^\n      10 |   -c x\n"))
    }

    @Test("Nothing from elsewhere forges a line, a colour or a workflow command", arguments: Samples.hostile)
    func hostile(text: String) {
        let written = Samples.text(PeopleReport(PeopleReport.Style()), [Samples.hostile(text)])
        let plain = Samples.text(PeopleReport(PeopleReport.Style()), [Samples.hostile("x")])
        let lines = written.split(separator: "\n", omittingEmptySubsequences: false)
        let expected = plain.split(separator: "\n", omittingEmptySubsequences: false)
        // What is empty isn't mentioned: the two facts, and the blank line before them.
        #expect(lines.count == expected.count - (text.isEmpty ? 3 : 0))
        for line in lines {
            #expect(!line.unicodeScalars.contains(where: Printable.isUnfit))
            #expect(!line.drop { $0 == " " }.hasPrefix("::"))
        }
    }
}
