import CurfewLinux
import Glibc

/// Signals as people type them: by name, with or without SIG, or by number.
public enum SignalArgument {
    /// What is accepted, for messages about a bad value.
    static let accepted = "a signal: a name such as USR1 or SIGUSR1, or a number from 1 to 64"

    /// The signal's number, 1 to 64; nil for anything else.
    ///
    /// Names are read in either case, as kill(1) does, the real-time ones as `RTMIN+3` and `RTMAX-2`.
    /// Source: signal(7); bash manual, "kill".
    public static func parse(_ text: String) -> Int32? {
        if isNumber(text) { return Int32(text).flatMap { (1...64).contains($0) ? $0 : nil } }
        return SignalName.number(of: name(text))
    }

    /// As timeout(1) reads it: also 0 or EXIT for none, and the status of what a signal has ended, such as 137.
    ///
    /// Source: coreutils 9.1, observed: 128 and more are folded as shells and waitpid(2) make statuses of signals. Numbers
    /// without a name are signals too: NEWS, 9.5.
    public static func parseAsTimeout(_ text: String) -> Int32? {
        let name = name(text)
        if name == "EXIT" { return 0 }
        guard let first = name.utf8.first, (48...57).contains(first) else { return parse(text) }
        guard isNumber(name), let status = Int32(name) else { return nil }
        let signal = status >= 0xff ? status & 0xff : status & 0x7f
        return signal <= 64 ? signal : nil
    }

    /// A signal that a program can be told something by.
    ///
    /// Throws also for those that Curfew sends itself: who gets one could not tell why.
    public static func telling(_ text: String) throws(BadValue) -> Int32 {
        guard let signal = parse(text) else { throw BadValue(text, isNot: accepted) }
        if [SIGSTOP, SIGCONT, SIGKILL].contains(signal) {
            throw BadValue(
                "\"\(text)\" can't be used: Curfew suspends, resumes and kills by STOP, CONT and KILL; "
                    + "another signal, such as USR1, is needed")
        }
        return signal
    }

    /// In capitals, without SIG.
    private static func name(_ text: String) -> String {
        let upper = text.uppercased()
        return upper.hasPrefix("SIG") ? String(upper.dropFirst(3)) : upper
    }

    private static func isNumber(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
    }
}
