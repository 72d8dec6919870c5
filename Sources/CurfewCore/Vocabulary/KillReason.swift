/// Why an app was killed: a stable word, and iOS's exception code where one exists.
public enum KillReason: String, Sendable, Hashable, CaseIterable {
    case launchWatchdog = "launch-watchdog"
    case sceneUpdateWatchdog = "scene-update-watchdog"
    case processExitWatchdog = "process-exit-watchdog"
    case watchdog
    case backgroundTaskTimeout = "background-task-timeout"
    case backgroundFetchTimeout = "background-fetch-timeout"
    case suspendedWithLockedFile = "suspended-with-locked-file"
    case memoryLimit = "memory-limit"
    case memoryHighwater = "memory-highwater"
    case memoryPressure = "memory-pressure"
    case idleExit = "idle-exit"
    case cpuLimit = "cpu-limit"
    case resumedTooOften = "resumed-too-often"
    case diskSpace = "disk-space"
    case tooManyTasks = "too-many-tasks"
    case userQuit = "user-quit"
    case timeLimit = "time-limit"
    case supervisorExit = "supervisor-exit"

    /// The code as it is shown; nil where iOS has none.
    ///
    /// Source: Apple, "Understanding the exception types in a crash report", EXC_CRASH (SIGKILL);
    /// memory: XNU bsd/kern/kern_memorystatus.c, kill causes 2 highwater, 4 vm-pageshortage, 7 per-process-limit,
    /// 9 idle-exit.
    public var code: String? {
        switch self {
        case .launchWatchdog, .sceneUpdateWatchdog, .processExitWatchdog, .watchdog: "0x8badf00d"
        case .backgroundTaskTimeout: "0x2182bad2"
        case .backgroundFetchTimeout: "0x2182bad4"
        case .suspendedWithLockedFile: "0xdead10cc"
        case .memoryHighwater: "jetsam 2"
        case .memoryPressure: "jetsam 4"
        case .memoryLimit: "jetsam 7"
        case .idleExit: "jetsam 9"
        case .resumedTooOften: "0xbad22222"
        case .diskSpace: "0xbaddd15c"
        case .tooManyTasks: "0xd00d2bad"
        case .userQuit: "0xdeadfa11"
        case .cpuLimit, .timeLimit, .supervisorExit: nil
        }
    }

    /// The status `curfew run` ends with: 124 for time, 137 for any other policy.
    ///
    /// Source: timeout(1), EXIT STATUS; docs/exit-status.md.
    public var exitStatus: Int32 {
        switch self {
        case .launchWatchdog, .sceneUpdateWatchdog, .processExitWatchdog, .watchdog: 124
        case .backgroundTaskTimeout, .backgroundFetchTimeout, .timeLimit: 124
        case .memoryLimit, .memoryHighwater, .memoryPressure, .idleExit, .cpuLimit, .suspendedWithLockedFile: 137
        case .resumedTooOften, .diskSpace, .tooManyTasks, .userQuit: 137
        case .supervisorExit: 125
        }
    }

    /// Whether it is one of the kernel's kills for memory; their reports list every app.
    public var isJetsam: Bool {
        switch self {
        case .memoryLimit, .memoryHighwater, .memoryPressure, .idleExit: true
        case .launchWatchdog, .sceneUpdateWatchdog, .processExitWatchdog, .watchdog, .backgroundTaskTimeout,
            .backgroundFetchTimeout, .suspendedWithLockedFile, .cpuLimit, .resumedTooOften, .diskSpace,
            .tooManyTasks, .userQuit, .timeLimit, .supervisorExit:
            false
        }
    }
}
