import Glibc

/// Signals as the masks of CCurfew have them: bit n-1 is signal n.
enum SignalSet {
    static func mask(_ signals: [Int32]) -> UInt64 { signals.reduce(0) { $0 | 1 << UInt64($1 - 1) } }

    /// What ends whoever looks at a terminal.
    static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT]
}
