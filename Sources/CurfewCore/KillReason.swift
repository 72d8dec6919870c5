/// Why an app was killed: a stable word, and iOS's exception code where one exists.
public enum KillReason: String, Sendable, Hashable, CaseIterable {
    case launchWatchdog = "launch-watchdog"
    case sceneUpdateWatchdog = "scene-update-watchdog"
    case processExitWatchdog = "process-exit-watchdog"
    case watchdog
    case backgroundTaskTimeout = "background-task-timeout"
    case backgroundFetchTimeout = "background-fetch-timeout"
    case memoryLimit = "memory-limit"
    case tooManyTasks = "too-many-tasks"
    case userQuit = "user-quit"
    case timeLimit = "time-limit"
    case supervisorExit = "supervisor-exit"

    /// The code as it is shown; nil where iOS has none.
    ///
    /// Source: Apple, "Understanding the exception types in a crash report", EXC_CRASH (SIGKILL);
    /// memory: XNU bsd/kern/kern_memorystatus.c, kill cause 7, per-process-limit.
    public var code: String? {
        switch self {
        case .launchWatchdog, .sceneUpdateWatchdog, .processExitWatchdog, .watchdog: "0x8badf00d"
        case .backgroundTaskTimeout: "0x2182bad2"
        case .backgroundFetchTimeout: "0x2182bad4"
        case .memoryLimit: "jetsam 7"
        case .tooManyTasks: "0xd00d2bad"
        case .userQuit: "0xdeadfa11"
        case .timeLimit, .supervisorExit: nil
        }
    }

    /// The status `curfew run` ends with: 124 for time, 137 for any other policy.
    ///
    /// Source: timeout(1), EXIT STATUS; docs/exit-status.md.
    public var exitStatus: Int32 {
        switch self {
        case .launchWatchdog, .sceneUpdateWatchdog, .processExitWatchdog, .watchdog: 124
        case .backgroundTaskTimeout, .backgroundFetchTimeout, .timeLimit: 124
        case .memoryLimit, .tooManyTasks, .userQuit: 137
        case .supervisorExit: 125
        }
    }
}
