import CCurfew
import Glibc

/// The process that the caller waits for: it passes signals on, stops with its job, and ends as the app did.
///
/// It is split off before Swift's runtime starts, in Sources/curfew/main.c, and comes here only to keep: when its
/// child, the supervisor, was killed. The front's death in turn is told to the supervisor by a parent-death signal.
public enum Front {
    /// Runs the plan in whichever half this process is, and never returns.
    public static func run(_ plan: RunPlan) -> Never {
        guard let front = curfew_front()?.pointee, let page = front.page.map({ SharedPage($0) }) else {
            StandardError.print("\(plan.options.caller): this process was started without its front")
            curfew_exit(125)
        }
        if front.role == CURFEW_ROLE_KEEPER { Keeper(page, plan: plan).takeOver() }
        let channelNumber = plan.manifest.hasLifecycle ? RunHost.freeChannelNumber() : -1
        do throws(LaunchError) {
            let report = try ReportFile.open(plan.options.reportPath)
            if let report { page.report = report.identity }
            let journal = try Journal.open(plan.options.journalPath)
            RunHost(
                plan, page: page, front: front.pid, callersMask: front.callers_mask, report: report, journal: journal,
                channelNumber: channelNumber
            ).run()
        } catch {
            StandardError.print("\(plan.options.caller): \(error.problem)")
            curfew_exit(error.status)
        }
    }

    /// Dies of a signal the app died of, so that shells see it; with cores off, for the app has left one.
    static func raise(_ signal: Int32) -> Never {
        _ = curfew_disable_core_dumps()
        _ = curfew_signal_default(signal)
        _ = curfew_set_signal_mask(0, nil)
        _ = curfew_kill(getpid(), signal)
        curfew_exit(128 + signal)
    }
}
