import CurfewWire

/// A monkey's steps as a scenario, which does the same whoever runs it, and when.
public enum MonkeyScenario {
    /// The file: the app launched, and waited for until it is well; the steps, and what was asked whether it is well; last it is opened, if
    /// it is away.
    ///
    /// An app that is away may be suspended, and can't answer anybody: then it must only live. One that was launched anew is waited for
    /// as the first.
    ///
    /// - Parameters:
    ///   - comment: what it is, a line each.
    ///   - options: `run`'s, before the `--`; words.
    ///   - check: the words of `--check`, whose command must exit 0 at the end, or after each step that leaves the app open; empty for
    ///     none, where the app must only live on.
    public static func text(
        _ steps: [MonkeyStep], comment: [String], options: [String], command: [String], check: [String],
        isCheckedAfterEach: Bool = false
    ) -> String {
        var lines = comment.map { "# " + Printable.text($0) }
        lines += header(options, command, check)
        let done = doing(steps, check, isCheckedAfterEach: isCheckedAfterEach)
        lines += done.map(\.line)
        let isOpen = isOpen(after: steps)
        if !isOpen { lines += MonkeyStep.open.lines }
        if !isOpen || !isCheckedAfterEach { lines.append(asking(check)) }
        return lines.map { $0 + "\n" }.joined()
    }

    /// What stands between the header and the end: each line, and which step it belongs to, from 0.
    static func doing(
        _ steps: [MonkeyStep], _ check: [String], isCheckedAfterEach: Bool
    ) -> [(line: String, step: Int)] {
        var app = MonkeyApp(anyTerms)
        return steps.enumerated().flatMap { index, step in
            app.take(step)
            var lines = step.lines
            if step.isLaunch, !check.isEmpty {
                lines.append(waiting(check))
            } else if isCheckedAfterEach {
                lines.append(app.isOpen ? asking(check) : isAlive)
            }
            return lines.map { ($0, index) }
        }
    }

    private static func isOpen(after steps: [MonkeyStep]) -> Bool {
        var app = MonkeyApp(anyTerms)
        for step in steps { app.take(step) }
        return app.isOpen
    }

    /// They decide what is done, not what comes of it.
    private static let anyTerms = MonkeyTerms(due: [])

    /// What stands above the first step.
    static func header(_ options: [String], _ command: [String], _ check: [String]) -> [String] {
        let launched = ["app " + words(options + ["--"] + command), "launch"]
        return launched + [check.isEmpty ? isAlive : waiting(check)]
    }

    private static func asking(_ check: [String]) -> String { check.isEmpty ? isAlive : "do " + words(check) }

    private static func waiting(_ check: [String]) -> String {
        "do " + words(["sh", "-c", untilWell, "sh"] + check)
    }

    private static let isAlive = "! expect state notRunning"

    /// Ten seconds, which a program that is launched has to come up.
    private static let untilWell =
        #"n=0; until "$@"; do n=$((n + 1)); test $n -lt 100 || exit 1; sleep 0.1; done 2>/dev/null"#

    private static func words(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }

    /// As POSIX sh has it.
    static func quoted(_ word: String) -> String {
        let isPlain = !word.isEmpty && word.utf8.allSatisfy(isPlain)
        if isPlain { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7a, 0x41...0x5a, 0x30...0x39: true
        default: "-_./:=,+@%".utf8.contains(byte)
        }
    }
}
