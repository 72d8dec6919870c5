import CurfewTestReports
import Testing

@Suite("Statuses")
struct SummaryTests {
    @Test("0 where all passed or were skipped")
    func passed() {
        #expect(Samples.summary([]).status == 0)
        #expect(Samples.summary([Samples.passed, Samples.skipped], planned: 2).status == 0)
    }

    @Test("1 where one failed")
    func failed() {
        #expect(Samples.summary([Samples.passed, Samples.failed], planned: 2).status == 1)
    }

    @Test("2 where one couldn't be run, whatever else failed")
    func broken() {
        #expect(Samples.summary([Samples.broken]).status == 2)
        #expect(Samples.summary(Samples.all, planned: 4).status == 2)
    }

    @Test("2 where not all were run")
    func interrupted() {
        #expect(Samples.summary([Samples.passed], interruption: "SIGINT").status == 2)
        #expect(Samples.summary([Samples.passed], planned: 2).status == 2)
        #expect(Samples.summary([Samples.failed], planned: 2).status == 2)
    }

    @Test("Counts")
    func counts() {
        let summary = Samples.summary(Samples.all + [Samples.passed], planned: 7)
        #expect(
            [summary.passed, summary.failed, summary.skipped, summary.broken, summary.finished, summary.notRun] == [
                2, 1, 1, 1, 5, 2,
            ])
        #expect(Samples.summary().notRun == 0)
    }
}
