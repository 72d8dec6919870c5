import CCurfew
import CurfewLinux
import Glibc

/// The process that the caller of `curfew serve` waits for; split off before Swift's runtime starts, as `Proxy`.
public enum ServerProxy {
    /// Runs the plan in whichever half this process is, and never returns. `definitions`, `zones`, `records`: asked for in the server
    /// alone.
    public static func run(
        _ plan: ServerPlan, definitions: () -> any AppDefinitions, zones: () -> any ZoneTables,
        records: @escaping () throws(RecordsRefusal) -> (any ServerRecords)?
    ) -> Never {
        guard let proxy = curfew_proxy()?.pointee, let page = proxy.page.map({ SharedPage($0) }) else {
            StandardError.print("\(plan.options.caller): this process was started without its proxy")
            curfew_exit(125)
        }
        if proxy.role == CURFEW_ROLE_KEEPER { ServerKeeper(page: page, plan: plan).takeOver() }
        ServeHost(
            plan, page: page, proxy: proxy.pid, callersMask: proxy.callers_mask, definitions: definitions(),
            zones: zones(), records: records
        ).run()
    }
}
