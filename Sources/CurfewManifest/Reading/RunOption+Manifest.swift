import CurfewCommand

extension RunOption {
    /// What it is called in a manifest.
    var key: String { String(rawValue.dropFirst(2)) }

    static func of(key: String) -> RunOption? { RunOption(rawValue: "--" + key) }

    /// Whether `run` counts each that is given, and not the last alone.
    var isRepeatable: Bool {
        switch self {
        case .on, .launchOption: true
        default: false
        }
    }

    /// Where it belongs, for an option that no app has for itself: what a supervisor is, or does for all the apps that it holds.
    ///
    /// Those that `RunArguments` puts into `SupervisorOptions`, and the name.
    var otherPlace: String? {
        switch self {
        case .name: "an app is called as its file is; give the file another name"
        case .report:
            "belongs to one run, `curfew run --report FILE`; what a server's apps were killed for is in `curfew report NAME`"
        case .memoryLow, .diskLow:
            "belongs to the supervisor of all its apps: `curfew serve \(rawValue)` has it, no single one"
        case .execOn, .timeScale, .strict, .journal, .manualClock, .onSupervisorExit, .join, .server:
            "isn't for a manifest: it belongs to an app with a supervisor of its own, `curfew run \(rawValue)`"
        case .background, .aware, .waitAll, .profile, .budget, .expirationLead, .grace, .sleepWhenIdle, .idleCPU,
            .wakeOn,
            .quiet, .enterBackgroundLimit, .terminateLimit, .launchLimit, .wakeLimit, .processingLimit, .timeLimit,
            .memory, .memoryHigh,
            .backgroundMemory, .backgroundMemoryHigh, .backgroundCPU, .cpuLimitAction, .backgroundPriority, .locks,
            .lockWait, .pageOut, .pageOutAbove, .resumeLimit, .containment, .suspend, .terminateSuspended, .dropCaps,
            .noNewPrivs, .wake, .launchOption, .exitsOnSuspend, .on, .settings, .settingsSignal, .watchdog,
            .stateDirectory:
            nil
        }
    }
}
