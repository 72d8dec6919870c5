@testable import CurfewCore

extension KillReport {
    /// A report with some of it changed.
    static func sample(_ reason: KillReason, _ change: (inout KillReport) -> Void = { _ in }) -> KillReport {
        var report = KillReport(reason, state: .background)
        change(&report)
        return report
    }
}

extension TaskAge {
    static func sample(_ id: Int, _ name: String, seconds: Int64) -> TaskAge {
        TaskAge(id: TaskID(id), name: name, age: .seconds(seconds))
    }
}

extension Ending {
    static func sample(
        kill: KillReport? = nil, leader: ExitOutcome? = .exited(code: 0), terminateSignal: Int32? = nil,
        state: LifecycleState = .active
    ) -> Ending {
        Ending(kill: kill, leader: leader, terminateSignal: terminateSignal, state: state)
    }
}
