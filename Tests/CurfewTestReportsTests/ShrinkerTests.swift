import Testing

@testable import CurfewTestReports

@Suite("Shrinking")
struct ShrinkerTests {
    private struct Refused: Error {}

    @Test("What must be there is what is left, however long the rest", arguments: 1...40)
    func needed(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let sequence = Array(0..<(1 + generator.below(200)))
        let needed = sequence.filter { _ in generator.below(40) == 0 }
        let result = Shrinker.shrink(sequence, maximumTrials: 100_000) { trial in needed.allSatisfy(trial.contains) }
        #expect(result.sequence == needed)
        #expect(result.isFinished)
    }

    @Test("Values get simpler, as far as it still fails")
    func values() {
        let result = Shrinker.shrink(
            [9, 40, 3, 77], simpler: { $0 > 0 ? [$0 / 2, $0 - 1] : [] }, maximumTrials: 1_000
        ) { trial in
            trial.contains { $0 >= 33 } && trial.contains { $0 < 10 }
        }
        #expect(result.sequence == [0, 33] || result.sequence == [33, 0])
    }

    @Test("Neighbours become one, where that still fails")
    func merges() {
        let result = Shrinker.shrink([1, 2, 3, 4], merged: { $0 + $1 }, maximumTrials: 1_000) { $0.reduce(0, +) >= 10 }
        #expect(result.sequence == [10])
    }

    @Test("Nothing shorter fails than what is left, whatever the failure depends on", arguments: 1...30)
    func minimal(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let sequence = (0..<40).map { _ in generator.below(6) }
        // Depends on order, neighbours and counts: not only on what is there.
        let fails = { (trial: [Int]) in
            zip(trial, trial.dropFirst()).contains { $0 == 2 && $1 >= 3 }
                && trial.filter { $0 == 1 }.count % 2 == seed % 2
        }
        guard fails(sequence) else { return }
        let result = Shrinker.shrink(sequence, maximumTrials: 10_000, fails: fails)
        #expect(fails(result.sequence))
        for index in result.sequence.indices {
            var shorter = result.sequence
            shorter.remove(at: index)
            #expect(!fails(shorter))
        }
        #expect(result.sequence.count <= 3)
        #expect(result.sequence == Shrinker.shrink(sequence, maximumTrials: 10_000, fails: fails).sequence)
    }

    @Test(
        "No more trials than allowed, none twice, and what is left then fails all the same", arguments: [1, 2, 10, 50])
    func bounded(maximum: Int) {
        var tried: [[Int]] = []
        let result = Shrinker.shrink(Array(0..<100), simpler: { $0 > 0 ? [$0 - 1] : [] }, maximumTrials: maximum) {
            trial in
            tried.append(trial)
            return trial.count > 60 && trial.reduce(0, +) > 2_000
        }
        #expect(tried.count == maximum)
        #expect(Set(tried).count == maximum)
        #expect(result.trials == maximum)
        #expect(!result.isFinished)
        #expect(result.sequence.count > 60 && result.sequence.reduce(0, +) > 2_000)
    }

    @Test("What makes no sense is never tried")
    func sensible() {
        let result = Shrinker.shrink([1, -1, 1, -1, 1, 1], isSensible: { Self.isBalanced($0) }, maximumTrials: 1_000) {
            trial in
            #expect(Self.isBalanced(trial))
            return trial.contains(1)
        }
        #expect(result.sequence == [1])
    }

    /// Never below 0 from its beginning on.
    private static func isBalanced(_ steps: [Int]) -> Bool {
        var sum = 0
        return steps.allSatisfy { step in
            sum += step
            return sum >= 0
        }
    }

    @Test("Nothing at all may be enough, and one that can't be shrunk stays")
    func edges() {
        #expect(Shrinker.shrink([1, 2, 3], maximumTrials: 9) { _ in true }.sequence == [])
        #expect(Shrinker.shrink([Int](), maximumTrials: 9) { _ in true }.trials == 0)
        let one = Shrinker.shrink([1], maximumTrials: 9) { $0 == [1] }
        #expect(one.sequence == [1] && one.isFinished)
    }

    @Test("An error while trying ends it")
    func throwing() {
        #expect(throws: Refused.self) {
            try Shrinker.shrink([1, 2], maximumTrials: 9) { _ in throw Refused() }
        }
    }
}
