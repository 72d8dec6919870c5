import Testing

@testable import CurfewTestReports

@Suite("Repeating")
struct RepetitionTests {
    private let ids = [Samples.passed.id, Samples.failed.id]

    /// How many rounds come, when each scenario's results are these by round; at most 9.
    private func rounds(_ repetition: Repetition, _ results: (Int) -> ScenarioResult) -> Int {
        var summary = Summary()
        var round = 1
        while round < 10, repetition.begins(round: round, after: summary) {
            summary.count(results(round))
            round += 1
        }
        return round - 1
    }

    @Test("Once, unless told otherwise, and without a number")
    func once() {
        let once = Repetition()
        #expect(rounds(once) { _ in Samples.passed } == 1)
        #expect(once.ids(ids, round: 1) == ids)
        #expect(once.planned(2) == 2)
        #expect(Repetition(times: 1).ids(ids, round: 1) == ids)
    }

    @Test("So many times, whatever fails, numbered from 1")
    func times() {
        let repetition = Repetition(times: 3)
        #expect(rounds(repetition) { _ in Samples.failed } == 3)
        #expect(rounds(repetition) { _ in Samples.skipped } == 3)
        #expect(repetition.planned(2) == 6)
        #expect(repetition.planned(.max) == nil)
        #expect(repetition.goesOn(after: Samples.summary()))
        #expect(repetition.ids(ids, round: 2).map(\.round) == [2, 2])
        #expect(repetition.ids(ids, round: 2).map(\.name) == ids.map(\.name))
    }

    @Test("Until the first failure, or what can't be run; or until the times are over")
    func untilFailure() {
        let endless = Repetition(isUntilFailure: true)
        #expect(rounds(endless) { $0 == 4 ? Samples.failed : Samples.passed } == 4)
        #expect(rounds(endless) { $0 == 2 ? Samples.broken : Samples.passed } == 2)
        #expect(rounds(endless) { _ in Samples.passed } == 9)
        #expect(rounds(Repetition(times: 3, isUntilFailure: true)) { _ in Samples.passed } == 3)
        #expect(endless.planned(2) == nil)
        #expect(endless.ids(ids, round: 1).map(\.round) == [1, 1])
        #expect(!endless.goesOn(after: Samples.summary([Samples.failed])))
        #expect(endless.goesOn(after: Samples.summary([Samples.passed, Samples.skipped])))
    }

    @Test("Where everything is skipped, no failure is waited for")
    func skips() {
        #expect(rounds(Repetition(isUntilFailure: true)) { _ in Samples.skipped } == 1)
    }
}
