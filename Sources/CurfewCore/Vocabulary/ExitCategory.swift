/// How a run ended, in MetricKit's ten categories.
///
/// Source: Apple, MXBackgroundExitData; the names are its properties' without "cumulative" and "Count".
public enum ExitCategory: String, Sendable, Hashable, CaseIterable {
    case normalAppExit
    case memoryResourceLimitExit
    case cpuResourceLimitExit
    case memoryPressureExit
    case badAccessExit
    case abnormalExit
    case illegalInstructionExit
    case appWatchdogExit
    case suspendedWithLockedFileExit
    case backgroundTaskAssertionTimeoutExit
}

extension Ending {
    public var category: ExitCategory {
        if let kill { return kill.reason.category }
        switch leader {
        case .exited(code: 0): return .normalAppExit
        case .exited, nil: return .abnormalExit
        case .signaled(let signal, _): return Self.category(ofSignal: signal, isOurs: signal == terminateSignal)
        }
    }

    /// Source: signal(7): ILL is 4, TRAP 5, BUS 7, SEGV 11.
    private static func category(ofSignal signal: Int32, isOurs: Bool) -> ExitCategory {
        if isOurs { return .normalAppExit }
        if signal == 7 || signal == 11 { return .badAccessExit }
        return signal == 4 || signal == 5 ? .illegalInstructionExit : .abnormalExit
    }
}

extension KillReason {
    /// Where MetricKit would count it. A fetch holds an assertion as a task does, so its end is counted with theirs.
    public var category: ExitCategory {
        switch self {
        case .launchWatchdog, .sceneUpdateWatchdog, .processExitWatchdog, .watchdog: .appWatchdogExit
        case .backgroundTaskTimeout, .backgroundFetchTimeout: .backgroundTaskAssertionTimeoutExit
        case .suspendedWithLockedFile: .suspendedWithLockedFileExit
        case .memoryLimit: .memoryResourceLimitExit
        case .memoryHighwater, .memoryPressure, .idleExit: .memoryPressureExit
        case .cpuLimit: .cpuResourceLimitExit
        case .userQuit: .normalAppExit
        case .resumedTooOften, .diskSpace, .tooManyTasks, .timeLimit, .supervisorExit: .abnormalExit
        }
    }
}
