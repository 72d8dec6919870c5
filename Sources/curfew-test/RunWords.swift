import CurfewCommand
import CurfewCore
import CurfewEngine
import Glibc

/// The words of a `curfew run` without its name, read as that reads them.
struct RunWords {
    var options: [String]
    var command: [String]
    var policy: Policy

    init(_ words: [String]) throws(UsageError) {
        // Kept: what is read points into it.
        let arguments = ArgumentReader.Arguments.allocate(capacity: words.count + 1)
        for (index, word) in words.enumerated() { arguments[index] = strdup(word) }
        arguments[words.count] = nil
        let plan = try RunArguments.parse(ArgumentReader(verb: "run", arguments, count: words.count, from: 0))
        let count = plan.manifest.argumentCount
        policy = plan.manifest.policy
        command = words.suffix(count)
        let before = words.dropLast(count)
        options = Array(before.last == "--" ? before.dropLast() : before)
    }

    /// What falls due after going home, in nanoseconds: the warning that the budget ends, its end, and what an aware app has for going.
    var due: [Int64] {
        let budget = policy.backgroundBudget.nanoseconds
        return [budget - policy.expirationLead.nanoseconds, budget, policy.enterBackgroundLimit.nanoseconds]
    }
}
