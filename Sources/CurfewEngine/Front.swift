import CCurfew
import CurfewLinux
import Glibc

/// The process that the caller waits for: it passes signals on, stops with its job, and ends as the app did.
///
/// The enforcing is done by its child, the supervisor, which no terminal stops. The front is also the keeper: when
/// the supervisor is killed, it ends the app. Its death in turn is told to the supervisor by a parent-death signal.
public enum Front {
    /// From front to supervisor: a signal the front got. The value is its number, plus `fromTerminal`.
    static let forwardedSignal: Int32 = 35
    /// To the supervisor, when the front is gone.
    static let frontGoneSignal: Int32 = 36
    static let fromTerminal: Int32 = 0x100

    /// Runs the plan and ends this process as the app ended. Nothing has been started when it prints and exits 125.
    public static func run(_ plan: RunPlan) -> Never {
        var callersMask: UInt64 = 0
        _ = curfew_set_signal_mask(~0, &callersMask)
        _ = curfew_set_subreaper()
        guard let page = SharedPage() else { fail("out of memory") }
        let report = ReportFile.open(plan.reportPath)
        let front = getpid()
        // SIGCONT at the supervisor's end wakes the front from a stop, so that even then it can keep.
        let supervisor = curfew_fork(SIGCONT)
        if supervisor < 0 { fail("can't start the supervisor: \(String(cString: strerror(-supervisor)))") }
        if supervisor == 0 {
            Supervision(plan, page: page, front: front, callersMask: callersMask, report: report).run()
        }
        waitForSupervisor(supervisor)
        end(page, plan: plan, supervisor: supervisor)
    }

    private static func fail(_ problem: String) -> Never {
        StandardError.print("curfew: run: \(problem); nothing was started")
        curfew_exit(125)
    }

    /// Passes signals on until the supervisor has ended.
    private static func waitForSupervisor(_ supervisor: Int32) {
        var info = curfew_signal_info()
        while true {
            if curfew_wait_signal(~0, &info) < 0 { continue }
            // A CONT from the shell and the one at the supervisor's end can have become one.
            if info.signal == SIGCONT, hasEnded(supervisor) { return }
            if info.signal == SIGCHLD || info.pid == supervisor { continue }
            let isFromTerminal = info.code == SI_KERNEL
            _ = curfew_queue_signal(
                supervisor, forwardedSignal, info.signal | (isFromTerminal ? fromTerminal : 0))
        }
    }

    private static func hasEnded(_ supervisor: Int32) -> Bool {
        var info = curfew_wait_info()
        let options = WEXITED | WNOHANG | Int32(bitPattern: UInt32(truncatingIfNeeded: __WALL))
        return curfew_waitid(Int32(P_PID.rawValue), supervisor, options, &info) == 0 && info.pid == supervisor
    }

    private static func end(_ page: SharedPage, plan: RunPlan, supervisor: Int32) -> Never {
        switch page.outcome {
        case .exit: curfew_exit(page.value)
        case .raise: raise(page.value)
        case .none: Keeper(page, plan: plan).takeOver()
        }
    }

    /// Dies of the signal the app died of, so that shells see it; with cores off, for the app has left one.
    static func raise(_ signal: Int32) -> Never {
        _ = curfew_disable_core_dumps()
        _ = curfew_signal_default(signal)
        _ = curfew_set_signal_mask(0, nil)
        _ = curfew_kill(getpid(), signal)
        curfew_exit(128 + signal)
    }
}
