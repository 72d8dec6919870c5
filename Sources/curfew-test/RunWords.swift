import CurfewCommand
import CurfewCore
import CurfewEngine
import CurfewTestReports
import Glibc

/// The words of a `curfew run` without its name, read as that reads them.
struct RunWords {
    var options: [String]
    var command: [String]
    private let policy: Policy
    /// Beyond it, it is the first to go where memory is short.
    private let hasSoftLimit: Bool

    init(_ words: [String]) throws(UsageError) {
        // Kept: what is read points into it.
        let arguments = ArgumentReader.Arguments.allocate(capacity: words.count + 1)
        for (index, word) in words.enumerated() { arguments[index] = strdup(word) }
        arguments[words.count] = nil
        let plan = try RunArguments.parse(ArgumentReader(verb: "run", arguments, count: words.count, from: 0))
        let count = plan.manifest.argumentCount
        policy = plan.manifest.policy
        hasSoftLimit = plan.manifest.memory.soft != nil || plan.manifest.backgroundMemoryHigh != nil
        command = words.suffix(count)
        let before = words.dropLast(count)
        options = Array(before.last == "--" ? before.dropLast() : before)
    }

    /// What a monkey has to know.
    var terms: MonkeyTerms {
        // A plain one hears nothing of it, and would only be continued, as when it is opened.
        let wakes = policy.requiresHello ? min(Self.mostWakes, policy.resumeLimit ?? Self.mostWakes) : 0
        return MonkeyTerms(due: due, wakes: wakes, isPressed: !hasSoftLimit)
    }

    /// As many as may wait to be handled, and some less.
    private static let mostWakes = 50

    /// What falls due after going home, in nanoseconds: the warning that the budget ends, its end, and what an aware app has for going.
    private var due: [Int64] {
        let budget = policy.backgroundBudget.nanoseconds
        return [budget - policy.expirationLead.nanoseconds, budget, policy.enterBackgroundLimit.nanoseconds]
    }
}
