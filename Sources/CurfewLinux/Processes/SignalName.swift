import Glibc

/// The names of signals, without SIG.
public enum SignalName {
    /// The first of several names of a number is the one that is shown. Source: signal(7).
    private static let table: [(name: StaticString, number: Int32)] = [
        ("HUP", SIGHUP), ("INT", SIGINT), ("QUIT", SIGQUIT), ("ILL", SIGILL), ("TRAP", SIGTRAP), ("ABRT", SIGABRT),
        ("IOT", SIGABRT), ("BUS", SIGBUS), ("FPE", SIGFPE), ("KILL", SIGKILL), ("USR1", SIGUSR1), ("SEGV", SIGSEGV),
        ("USR2", SIGUSR2), ("PIPE", SIGPIPE), ("ALRM", SIGALRM), ("TERM", SIGTERM), ("STKFLT", SIGSTKFLT),
        ("CHLD", SIGCHLD), ("CLD", SIGCHLD), ("CONT", SIGCONT), ("STOP", SIGSTOP), ("TSTP", SIGTSTP),
        ("TTIN", SIGTTIN), ("TTOU", SIGTTOU), ("URG", SIGURG), ("XCPU", SIGXCPU), ("XFSZ", SIGXFSZ),
        ("VTALRM", SIGVTALRM), ("PROF", SIGPROF), ("WINCH", SIGWINCH), ("POLL", SIGIO), ("IO", SIGIO), ("PWR", SIGPWR),
        ("SYS", SIGSYS),
    ]

    /// The number of a name in capitals; the real-time ones are such as `RTMIN+3` and `RTMAX-2`. Nil for no name.
    public static func number(of name: String) -> Int32? {
        for entry in table where name == "\(entry.name)" { return entry.number }
        return realTime(name, "RTMIN", first, by: "+") ?? realTime(name, "RTMAX", last, by: "-")
    }

    /// The name of a number; the number itself where it has none.
    public static func of(_ number: Int32) -> String {
        for entry in table where entry.number == number { return "\(entry.name)" }
        guard number >= first, number <= last else { return String(number) }
        if number - first <= (last - first) / 2 { return "RTMIN" + distance(number - first, "+") }
        return "RTMAX" + distance(last - number, "-")
    }

    /// Those that the C library leaves to programs.
    static var first: Int32 { __libc_current_sigrtmin() }
    private static var last: Int32 { __libc_current_sigrtmax() }

    private static func distance(_ distance: Int32, _ sign: String) -> String {
        distance == 0 ? "" : sign + String(distance)
    }

    private static func realTime(_ name: String, _ end: String, _ number: Int32, by sign: String) -> Int32? {
        guard name.hasPrefix(end) else { return nil }
        let rest = name.dropFirst(end.count)
        if rest.isEmpty { return number }
        let digits = rest.dropFirst()
        guard rest.hasPrefix(sign), !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let distance = Int32(digits), distance <= last - first
        else { return nil }
        return sign == "+" ? number + distance : number - distance
    }
}
