/// Every option of `curfew run`, as typed.
public enum RunOption: String, CaseIterable, Sendable {
    case name = "--name"
    case background = "--background"
    case aware = "--aware"
    case waitAll = "--wait-all"
    case report = "--report"
    case profile = "--profile"
    case budget = "--budget"
    case expirationLead = "--expiration-lead"
    case grace = "--grace"
    case enterBackgroundLimit = "--enter-background-limit"
    case terminateLimit = "--terminate-limit"
    case launchLimit = "--launch-limit"
    case wakeLimit = "--wake-limit"
    case timeLimit = "--time-limit"
    case timeScale = "--time-scale"
    case memory = "--memory"
    case containment = "--containment"
    case suspend = "--suspend"
    case terminateSuspended = "--terminate-suspended"
    case onSupervisorExit = "--on-supervisor-exit"
    case dropCaps = "--drop-caps"
    case noNewPrivs = "--no-new-privs"
    case wake = "--wake"
    case launchOption = "--launch-option"
    case exitsOnSuspend = "--exits-on-suspend"
    case on = "--on"
    case execOn = "--exec-on"
    case settings = "--settings"
    case settingsSignal = "--settings-signal"
    case watchdog = "--watchdog"
    case journal = "--journal"

    /// As `init(rawValue:)`, by comparing one after the other: for so many cases that would build a hash table first,
    /// 70,000 instructions on the way to a launch.
    static func named(_ text: String) -> RunOption? {
        for option in allCases where option.rawValue == text { return option }
        return nil
    }
}
