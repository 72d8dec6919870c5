/// How a process ended, as the kernel tells it.
public enum ExitOutcome: Sendable, Hashable {
    case exited(code: UInt8)
    case signaled(signal: Int32, dumpedCore: Bool)

    /// One byte for a parent shell. Source: bash(1), EXIT STATUS.
    public var shellStatus: Int32 {
        switch self {
        case .exited(let code): Int32(code)
        case .signaled(let signal, _): 128 + signal
        }
    }
}
