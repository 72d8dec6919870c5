/// The statuses of curfew's own. Source: docs/exit-status.md; 64, 69 and 75 are sysexits.h's.
public enum ExitStatus {
    package static let success: Int32 = 0
    public static let failure: Int32 = 1
    package static let usage: Int32 = 64
    package static let unavailable: Int32 = 69
    static let temporaryFailure: Int32 = 75
    /// As timeout(1) has it.
    static let timedOut: Int32 = 124
    static let curfewFailed: Int32 = 125
}
