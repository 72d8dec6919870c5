import CurfewCore
import CurfewLinux
import CurfewWire

/// What was asked for and can't be enforced here, each in words that say what to do.
struct Enforceability {
    let manifest: Manifest
    let containment: Containment
    let pagingMethod: PageOutMethod?
    /// Whether the command leads a process group of its own.
    var hasOwnGroup = true
    /// Whether it leads a session of its own.
    var leadsSession = false
    var canLowerSessions = SchedulingPriority.canLowerSessions
    var view = ProcfsView.current
    var areDescriptorsRefused = InputWatch.areDuplicatesRefused

    /// What is to be said at the start; nil where all can be enforced. `isStrict`: nothing is started then.
    func warning(isStrict: Bool) throws(LaunchError) -> String? {
        let problems = problems
        if problems.isEmpty { return nil }
        let text = problems.joined(separator: "; ")
        if isStrict { throw LaunchError(125, "--strict: \(text); nothing was started") }
        return text
    }

    var problems: [String] { [processes, memory, freezer, pageOut, throttle, priority, input].compactMap { $0 } }

    /// What needs a /proc that tells of the app's processes.
    private var processes: String? {
        guard view != .own else { return nil }
        var lost: [String] = []
        let most = hasOwnGroup ? "the command's process group" : "the command"
        if !containment.hasFreezer { lost.append("only \(most) is held") }
        if manifest.hasLifecycle { lost.append("nobody drives the app but by signals to its proxy") }
        var unseen = manifest.hasLifecycle ? ["file locks", "debuggers"] : []
        let countsCPU = manifest.hasLifecycle && manifest.policy.backgroundCPU != nil && containment.unified == nil
        if countsCPU { unseen.insert("CPU time", at: 0) }
        if manifest.limitsMemory, !containment.enforcesMemory { unseen.insert("memory", at: 0) }
        if manifest.policy.sleep?.wakesForInput == true { unseen.append("input that is to wake it") }
        if !unseen.isEmpty { lost.append(unseen.joined(separator: ", ") + " can't be seen") }
        guard !lost.isEmpty else { return nil }
        let why = view == .missing ? "there is no /proc" : "/proc shows another pid namespace"
        return "\(why), so \(lost.joined(separator: ", ")) (see `curfew doctor`)"
    }

    /// A limit that the machine's memory ends before.
    private var memory: String? {
        guard let largest = [manifest.memory.fatal, manifest.backgroundLimits.fatal].compactMap({ $0 }).max(),
            let machine = SystemMemory.read(), largest > machine.total + machine.swapTotal
        else { return nil }
        let (limit, there) = (HumanText.size(bytes: largest), HumanText.size(bytes: machine.total))
        return "the memory limit of \(limit) can't be reached: this machine has \(there)"
    }

    private var freezer: String? {
        guard manifest.suspension == .freezer, !containment.hasFreezer else { return nil }
        return "--suspend freezer stops by SIGSTOP: there is no freezer here (see `curfew doctor`)"
    }

    private var pageOut: String? {
        guard manifest.policy.pageOut != nil, pagingMethod == nil else { return nil }
        if SystemMemory.read()?.swapTotal == 0 {
            return "--page-out does nothing: this machine has no swap (see `curfew doctor`)"
        }
        return
            "--page-out does nothing: it needs a cgroup v2 with memory.reclaim, or CAP_SYS_NICE (see `curfew doctor`)"
    }

    private var throttle: String? {
        guard manifest.policy.backgroundCPU?.action == .throttle, !containment.controlsCPU else { return nil }
        return "--cpu-limit-action throttle only logs: there is no cgroup with the cpu controller (see `curfew doctor`)"
    }

    private var input: String? {
        guard let sleep = manifest.policy.sleep, sleep.wakesForInput, view == .own, areDescriptorsRefused else {
            return nil
        }
        let kinds = manifest.inputFilter.kinds
        let what = [(InputKinds.connections, "sockets"), (.timers, "timers")].filter { kinds.contains($0.0) }.map(\.1)
            .joined(separator: " and ")
        if what.isEmpty { return nil }
        let sleeps = sleep.isForced ? "" : " sleeps by `curfew sleep --stay` and --sleep-when-idle D,force only, and"
        return "--wake-on can't wait for \(what): other processes' descriptors are refused here. An app that has such"
            + "\(sleeps) isn't woken by them (see `curfew doctor`)"
    }

    private var priority: String? {
        guard manifest.policy.yieldsInBackground, !containment.controlsCPU else { return nil }
        if !SchedulingPriority.canRestoreNice() {
            return "--background-priority low lowers disk access only: a lowered CPU priority couldn't be raised again"
                + " without CAP_SYS_NICE or a cgroup with the cpu controller (see `curfew doctor`)"
        }
        guard leadsSession, !canLowerSessions() else { return nil }
        return "--background-priority low lowers disk access only: this machine shares its processors between"
            + " sessions, and a session's lowered share couldn't be raised again without CAP_SYS_ADMIN or a cgroup"
            + " with the cpu controller (see `curfew doctor`)"
    }
}
