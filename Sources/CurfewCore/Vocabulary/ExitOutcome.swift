/// How a process ended, as the kernel tells it.
public enum ExitOutcome: Sendable, Hashable {
    case exited(code: UInt8)
    case signaled(signal: Int32, dumpedCore: Bool)
}
