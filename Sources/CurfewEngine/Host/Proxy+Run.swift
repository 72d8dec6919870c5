import CCurfew
import CurfewLinux

/// What `curfew run` and `curfew timeout` are made of, put together.
extension Proxy {
    /// Runs the plan in whichever half this process is, and never returns.
    public static func run(_ plan: RunPlan) -> Never {
        guard let proxy = curfew_proxy()?.pointee, let page = proxy.page.map({ SharedPage($0) }) else {
            StandardError.print("\(plan.options.caller): this process was started without its proxy")
            curfew_exit(125)
        }
        if proxy.role == CURFEW_ROLE_KEEPER { Keeper(page, plan: plan).takeOver() }
        let channelNumber = plan.manifest.hasLifecycle ? RunHost.freeChannelNumber() : -1
        do throws(LaunchError) {
            let report = try ReportFile.open(plan.options.reportPath)
            if let report { page.report = report.identity }
            let journal = try Journal.open(plan.options.journalPath)
            RunHost(
                plan, page: page, proxy: proxy.pid, callersMask: proxy.callers_mask, report: report, journal: journal,
                channelNumber: channelNumber
            ).run()
        } catch {
            StandardError.print("\(plan.options.caller): \(error.problem)")
            curfew_exit(error.status)
        }
    }
}
