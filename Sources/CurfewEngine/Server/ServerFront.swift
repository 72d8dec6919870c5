import CCurfew
import CurfewLinux
import Glibc

/// The process that the caller of `curfew serve` waits for; split off before Swift's runtime starts, as `Front`.
public enum ServerFront {
    /// Runs the plan in whichever half this process is, and never returns. `definitions`, `zones`, `records`: asked for in the server
    /// alone.
    public static func run(
        _ plan: ServerPlan, definitions: () -> any AppDefinitions, zones: () -> any ZoneTables,
        records: @escaping () throws(RecordsRefusal) -> (any ServerRecords)?
    ) -> Never {
        guard let front = curfew_front()?.pointee, let page = front.page.map({ SharedPage($0) }) else {
            StandardError.print("\(plan.options.caller): this process was started without its front")
            curfew_exit(125)
        }
        if front.role == CURFEW_ROLE_KEEPER { ServerKeeper(page: page, plan: plan).takeOver() }
        ServeHost(
            plan, page: page, front: front.pid, callersMask: front.callers_mask, definitions: definitions(),
            zones: zones(), records: records
        ).run()
    }
}
