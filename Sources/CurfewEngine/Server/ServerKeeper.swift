import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// What the proxy of a server does when the server was killed: no process of any app, no name and no cgroup stays.
///
/// Every app's processes have become the proxy's children, or are below its children, for it is a subreaper too.
struct ServerKeeper {
    let page: SharedPage
    let plan: ServerPlan

    func takeOver() -> Never {
        // Whoever finds and kills opens files.
        _ = DescriptorLimit.raised()
        KeptChildren.reapSupervisor()
        var pacing = KillPacing.ofKeeper(at: now)
        pacing.killAll(now: { now }) { pacing in
            // Round by round harder; what is frozen would stay so if we were killed as well.
            killOnce(pacing)
            if pacing.isInsisting {
                ProcessTree.thaw(ProcessTree.descendants(of: getpid(), sparing: curfew_is_kept_child))
            }
            KeptChildren.reapAll()
            return isGone
        }
        keepOutput()
        AppLink.removeAll(of: plan.name, in: .ofThisUser())
        // Killed while it took its name, it has left the socket under another.
        RuntimeDirectory.ofThisUser().serverFolder.sweep()
        StandardError.print(
            "\(plan.options.caller): supervisor-exit: the server \(plan.name) was killed, so its apps were ended")
        curfew_exit(125)
    }

    /// What they had written, and the server hadn't read any more.
    private func keepOutput() {
        guard let folder = LogFolder.ofThisUser() else { return }
        if let problem = LeftOutput(folder: folder, limit: plan.logSize).keepAll() {
            StandardError.print(
                "\(plan.options.caller): what the apps wrote last can't be kept: \(problem.text)")
        }
    }

    private var cgroups: NotedCgroups { NotedCgroups(page: page) }

    private var now: Instant { Instant(nanoseconds: curfew_monotonic_nanoseconds()) }

    private func killOnce(_ pacing: KillPacing) {
        for cgroup in cgroups.holding { CgroupDirectory.kill(cgroup, freezing: pacing.isInsisting) }
        ProcessTree.killDescendants(
            of: getpid(), reapersLast: pacing.sparesReapers, sparing: curfew_is_kept_child)
    }

    private var isGone: Bool {
        let isEmpty =
            curfew_has_kept_children()
            ? ProcessTree.descendants(of: getpid(), sparing: curfew_is_kept_child).isEmpty : !Reaping.hasChildren()
        return isEmpty && cgroups.remove(endsDelegation: true)
    }
}
