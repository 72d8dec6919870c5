import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// What the front of a server does when the server was killed: no process of any app, no name and no cgroup stays.
///
/// Every app's processes have become the front's children, or are below its children, for it is a subreaper too.
struct ServerKeeper {
    let page: SharedPage
    let plan: ServerPlan

    func takeOver() -> Never {
        // Whoever finds and kills opens files.
        _ = DescriptorLimit.raised()
        reapServer()
        var pacing = KillPacing.ofKeeper(at: now)
        repeat {
            // Round by round harder; what is frozen would stay so if we were killed as well.
            killOnce(pacing)
            if pacing.isInsisting {
                ProcessTree.thaw(ProcessTree.descendants(of: getpid(), sparing: curfew_is_kept_child))
            }
            reapAll()
            if isGone { break }
            usleep(pacing.nextPause())
        } while !pacing.isOver(at: now)
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

    private var now: Instant { Instant(nanoseconds: curfew_monotonic_nanoseconds()) }

    private func killOnce(_ pacing: KillPacing) {
        for cgroup in holding { CgroupDirectory.kill(cgroup, freezing: pacing.isInsisting) }
        ProcessTree.killDescendants(
            of: getpid(), reapersLast: pacing.sparesReapers, sparing: curfew_is_kept_child)
    }

    private var isGone: Bool {
        let isEmpty =
            curfew_has_kept_children()
            ? ProcessTree.descendants(of: getpid(), sparing: curfew_is_kept_child).isEmpty : !Reaping.hasChildren()
        return isEmpty && removeCgroups()
    }

    private func removeCgroups() -> Bool {
        var areRemoved = true
        for cgroup in holding + measuring where !CgroupDirectory.remove(cgroup) { areRemoved = false }
        if areRemoved, !page.path(.unified).isEmpty { ControllerDelegation.end(afterApp: page.path(.unified)) }
        return areRemoved
    }

    /// The cgroups that all of the apps' processes are in.
    private var holding: [String] { [page.path(.unified), page.path(.freezer)].filter { !$0.isEmpty } }
    private var measuring: [String] { [page.path(.memory), page.path(.cpu)].filter { !$0.isEmpty } }

    /// Until then it shows that somebody goes on for it; from then on its number can be one of an app's.
    private func reapServer() {
        guard let server = curfew_front()?.pointee.killed_supervisor else { return }
        var info = curfew_wait_info()
        // It ends with SIGCONT and not with SIGCHLD, which counts as a clone(2)'s end. Source: waitid(2), __WALL.
        let allKinds: Int32 = 0x4000_0000
        _ = curfew_waitid(Int32(P_PID.rawValue), server, WEXITED | allKinds, &info)
        curfew_forget_kept_child(server)
    }

    private func reapAll() {
        while case .report(let report) = Reaping.wait(.reapAny) { curfew_forget_kept_child(report.pid) }
    }
}
