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
        let upper = text.uppercased()
        let name = upper.hasPrefix("SIG") ? String(upper.dropFirst(3)) : upper
        return number(of: name) ?? realTime(name, "RTMIN", __libc_current_sigrtmin(), by: "+")
            ?? realTime(name, "RTMAX", __libc_current_sigrtmax(), by: "-")
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

    private static func isNumber(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
    }

    private static func realTime(_ name: String, _ end: String, _ number: Int32, by sign: String) -> Int32? {
        guard name.hasPrefix(end) else { return nil }
        let rest = name.dropFirst(end.count)
        if rest.isEmpty { return number }
        guard rest.hasPrefix(sign), isNumber(String(rest.dropFirst())), let distance = Int32(rest.dropFirst()),
            distance <= __libc_current_sigrtmax() - __libc_current_sigrtmin()
        else { return nil }
        return sign == "+" ? number + distance : number - distance
    }

    private static func number(of name: String) -> Int32? {
        switch name {
        case "HUP": SIGHUP
        case "INT": SIGINT
        case "QUIT": SIGQUIT
        case "ILL": SIGILL
        case "TRAP": SIGTRAP
        case "ABRT", "IOT": SIGABRT
        case "BUS": SIGBUS
        case "FPE": SIGFPE
        case "KILL": SIGKILL
        case "USR1": SIGUSR1
        case "SEGV": SIGSEGV
        case "USR2": SIGUSR2
        case "PIPE": SIGPIPE
        case "ALRM": SIGALRM
        case "TERM": SIGTERM
        case "STKFLT": SIGSTKFLT
        case "CHLD", "CLD": SIGCHLD
        case "CONT": SIGCONT
        case "STOP": SIGSTOP
        case "TSTP": SIGTSTP
        case "TTIN": SIGTTIN
        case "TTOU": SIGTTOU
        case "URG": SIGURG
        case "XCPU": SIGXCPU
        case "XFSZ": SIGXFSZ
        case "VTALRM": SIGVTALRM
        case "PROF": SIGPROF
        case "WINCH": SIGWINCH
        case "IO", "POLL": SIGIO
        case "PWR": SIGPWR
        case "SYS": SIGSYS
        default: nil
        }
    }
}
