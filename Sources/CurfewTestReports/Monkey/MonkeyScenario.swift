import CurfewWire

/// A monkey's steps as a scenario, which does the same whoever runs it, and when.
public enum MonkeyScenario {
    /// The file: the app launched, the steps, and what was asked whether it is well.
    ///
    /// - Parameters:
    ///   - comment: what it is, a line each.
    ///   - options: `run`'s, before the `--`; words.
    ///   - check: the words of `--check`, whose command must exit 0 at the end, or after each step; empty for none, where the app must only
    ///     live on.
    public static func text(
        _ steps: [MonkeyStep], comment: [String], options: [String], command: [String], check: [String],
        isCheckedAfterEach: Bool = false
    ) -> String {
        let check = check.isEmpty ? "! expect state notRunning" : "do " + words(check)
        var lines = comment.map { "# " + Printable.text($0) }
        lines += ["app " + words(options + ["--"] + command), "launch"]
        for step in steps {
            lines.append(step.line)
            if isCheckedAfterEach { lines.append(check) }
        }
        if !isCheckedAfterEach { lines.append(check) }
        return lines.map { $0 + "\n" }.joined()
    }

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
