import CurfewCore
import CurfewLinux
import CurfewWire

/// What was asked for and can't be enforced here, each in words that say what to do.
struct Enforceability {
    let plan: RunPlan
    let containment: Containment
    let pagingMethod: PageOutMethod?

    var problems: [String] { [memory, freezer, pageOut, throttle, priority].compactMap { $0 } }

    /// A limit that the machine's memory ends before.
    private var memory: String? {
        guard let largest = [plan.memory.fatal, plan.backgroundLimits.fatal].compactMap({ $0 }).max(),
            let machine = SystemMemory.read(), largest > machine.total + machine.swapTotal
        else { return nil }
        let (limit, there) = (HumanText.size(bytes: largest), HumanText.size(bytes: machine.total))
        return "the memory limit of \(limit) can't be reached: this machine has \(there)"
    }

    private var freezer: String? {
        guard plan.suspension == .freezer, !containment.hasFreezer else { return nil }
        return "--suspend freezer stops by SIGSTOP: there is no freezer here (see `curfew doctor`)"
    }

    private var pageOut: String? {
        guard plan.policy.pageOut != nil, pagingMethod == nil else { return nil }
        if SystemMemory.read()?.swapTotal == 0 { return "--page-out does nothing: this machine has no swap" }
        return
            "--page-out does nothing: it needs a cgroup v2 with memory.reclaim, or CAP_SYS_NICE (see `curfew doctor`)"
    }

    private var throttle: String? {
        guard plan.policy.backgroundCPU?.action == .throttle, !containment.controlsCPU else { return nil }
        return "--cpu-limit-action throttle only logs: there is no cgroup with the cpu controller (see `curfew doctor`)"
    }

    private var priority: String? {
        guard plan.policy.yieldsInBackground, !containment.controlsCPU, !SchedulingPriority.canRestoreNice() else {
            return nil
        }
        return "--background-priority low lowers disk access only: a lowered CPU priority couldn't be raised again"
            + " without CAP_SYS_NICE or a cgroup with the cpu controller (see `curfew doctor`)"
    }
}
