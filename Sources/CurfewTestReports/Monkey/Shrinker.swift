/// Makes a sequence that fails as short and as simple as can be while it still fails. The same sequence is always made the same.
///
/// First whole parts are left out, halves, quarters and so on; then each window of three, two and one; then two that stand apart; then two neighbours are made one; then
/// each element is replaced by what is simpler; and all but the first again, until nothing more can be done.
/// Source: Zeller, Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002.
public struct Shrinker<Element: Hashable & Sendable> {
    /// What came of it.
    public struct Result {
        public var sequence: [Element]
        /// How often it was asked whether a sequence fails.
        public var trials: Int
        /// False where the trials were used up before nothing more could be done.
        public var isFinished: Bool
    }

    private let simpler: (Element) -> [Element]
    private let merged: (Element, Element) -> Element?
    private let isSensible: ([Element]) -> Bool
    private let maximumTrials: Int
    private var sequence: [Element]
    /// What was asked, and didn't fail.
    private var passed: Set<[Element]> = []
    private var trials = 0

    /// Shrinks a sequence that is known to fail.
    ///
    /// - Parameters:
    ///   - simpler: what to put in an element's place, the simplest first; each must be simpler than it, or this never ends but by its bound.
    ///   - merged: what to put in the place of two neighbours; nil for nothing.
    ///   - isSensible: sequences that it refuses aren't tried, and cost no trial.
    ///   - maximumTrials: how often `fails` is asked at most; above 0.
    public static func shrink(
        _ sequence: [Element], simpler: @escaping (Element) -> [Element] = { _ in [] },
        merged: @escaping (Element, Element) -> Element? = { _, _ in nil },
        isSensible: @escaping ([Element]) -> Bool = { _ in true }, maximumTrials: Int,
        fails: ([Element]) throws -> Bool
    ) rethrows -> Result {
        var shrinker = Shrinker(
            simpler: simpler, merged: merged, isSensible: isSensible, maximumTrials: maximumTrials, sequence: sequence)
        try shrinker.removeParts(fails)
        while try shrinker.pass(fails) {}
        return Result(
            sequence: shrinker.sequence, trials: shrinker.trials, isFinished: shrinker.trials < maximumTrials)
    }

    private init(
        simpler: @escaping (Element) -> [Element], merged: @escaping (Element, Element) -> Element?,
        isSensible: @escaping ([Element]) -> Bool, maximumTrials: Int, sequence: [Element]
    ) {
        self.simpler = simpler
        self.merged = merged
        self.isSensible = isSensible
        self.maximumTrials = maximumTrials
        self.sequence = sequence
    }
}

extension Shrinker {
    /// Whether this fails, which it is from then on.
    private mutating func take(_ candidate: [Element], _ fails: ([Element]) throws -> Bool) rethrows -> Bool {
        guard trials < maximumTrials, isSensible(candidate), !passed.contains(candidate) else { return false }
        trials += 1
        guard try fails(candidate) else {
            passed.insert(candidate)
            return false
        }
        sequence = candidate
        return true
    }

    /// Whether anything could be done.
    private mutating func pass(_ fails: ([Element]) throws -> Bool) rethrows -> Bool {
        if try removeWindows(fails) { return true }
        if try removePair(fails) { return true }
        if try merge(fails) { return true }
        return try simplify(fails)
    }

    /// All but one of 2 parts, of 4, and so on, up to the elements themselves.
    private mutating func removeParts(_ fails: ([Element]) throws -> Bool) rethrows {
        var count = 2
        while count < sequence.count {
            let length = (sequence.count + count - 1) / count
            let isShorter = try removeWindow(of: length, step: length, fails)
            count = isShorter ? max(2, count - 1) : count * 2
        }
    }

    /// Three, two or one after the other, the last first: what comes after the failure goes soonest. Whether any could be.
    private mutating func removeWindows(_ fails: ([Element]) throws -> Bool) rethrows -> Bool {
        var isAnyGone = false
        for length in [3, 2, 1] {
            while try removeWindow(of: length, step: 1, fails) { isAnyGone = true }
        }
        return isAnyGone
    }

    /// The first window, from the end, that can be left out.
    private mutating func removeWindow(
        of length: Int, step: Int, _ fails: ([Element]) throws -> Bool
    ) rethrows -> Bool {
        guard length <= sequence.count else { return false }
        for start in stride(from: 0, through: sequence.count - length, by: step).reversed() {
            var candidate = sequence
            candidate.removeSubrange(start..<start + length)
            if try take(candidate, fails) { return true }
        }
        return false
    }

    /// How long a sequence may be for every pair to be tried.
    private static var longestForPairs: Int { 24 }

    /// The first two elements that can go together, though neither alone, and though they stand apart. Whether there were any.
    private mutating func removePair(_ fails: ([Element]) throws -> Bool) rethrows -> Bool {
        guard sequence.count <= Self.longestForPairs else { return false }
        for first in sequence.indices {
            for second in sequence.indices[(first + 1)...] {
                var candidate = sequence
                candidate.remove(at: second)
                candidate.remove(at: first)
                if try take(candidate, fails) { return true }
            }
        }
        return false
    }

    /// The first two neighbours that can be one. Whether there were any.
    private mutating func merge(_ fails: ([Element]) throws -> Bool) rethrows -> Bool {
        for index in sequence.indices.dropLast() {
            guard let one = merged(sequence[index], sequence[index + 1]) else { continue }
            var candidate = sequence
            candidate.replaceSubrange(index...index + 1, with: [one])
            if try take(candidate, fails) { return true }
        }
        return false
    }

    /// Each element, by the simplest that will do. Whether any could be.
    private mutating func simplify(_ fails: ([Element]) throws -> Bool) rethrows -> Bool {
        var isAnySimpler = false
        for index in sequence.indices {
            while try simplify(at: index, fails) { isAnySimpler = true }
        }
        return isAnySimpler
    }

    private mutating func simplify(at index: Int, _ fails: ([Element]) throws -> Bool) rethrows -> Bool {
        for element in simpler(sequence[index]) {
            var candidate = sequence
            candidate[index] = element
            if try take(candidate, fails) { return true }
        }
        return false
    }
}
