import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// What the proxy does when the supervisor was killed: no process, no stopped process, no socket, no cgroup stays.
///
/// The app's processes have become the proxy's children, for it is a subreaper too. Children that the proxy had before are
/// none of the app's, as those of a script that became it by `exec`.
struct Keeper {
    let page: SharedPage
    let manifest: Manifest
    let options: SupervisorOptions

    init(_ page: SharedPage, plan: RunPlan) {
        self.page = page
        manifest = plan.manifest
        options = plan.options
    }

    func takeOver() -> Never {
        // Whoever finds and kills opens files.
        _ = DescriptorLimit.raised()
        switch options.onSupervisorExit {
        case .kill:
            KeptChildren.reapSupervisor()
            if let timeout = manifest.policy.timeout { askToEnd(timeout) }
            killAll()
        case .resume: resumeAndWait()
        }
    }

    /// Somebody else may have the name already; a socket that is listened on is left alone.
    private func removeSocket() {
        guard manifest.hasLifecycle else { return }
        let noted = page.path(.socket)
        // Killed before it could note it, the supervisor may have made the one of the name it wanted.
        let socket = noted.isEmpty ? RuntimeDirectory.ofThisUser().socketPath(name) : noted
        guard let slash = socket.lastIndex(of: "/") else { return }
        NamedSocket.removeDead(socket, in: RuntimeDirectory(path: String(socket[..<slash])))
    }

    /// As the supervisor had it: the name wanted may have been taken.
    var name: String {
        let file = page.path(.socket).split(separator: "/").last ?? ""
        if file.hasSuffix(RuntimeDirectory.socketSuffix) {
            return String(file.dropLast(RuntimeDirectory.socketSuffix.utf8.count))
        }
        return manifest.name ?? AppName.fromCommand(manifest.command)
    }

    private func killAll() -> Never {
        var pacing = KillPacing.ofKeeper(at: now)
        pacing.killAll(now: { now }) { pacing in
            // Round by round harder; what is frozen would stay so if we were killed as well.
            killOnce(freezing: pacing.isInsisting)
            if pacing.isInsisting { ProcessTree.thaw(processes) }
            KeptChildren.reapAll()
            return isGone()
        }
        removeSocket()
        let ended = page.mainPid > 0 ? "so its app was ended" : "before its app was started"
        StandardError.print("curfew: \(name): killed: supervisor-exit: the supervisor was killed, \(ended)")
        keepReport()
        ReportFile.reopen(options.reportPath, noted: page.report)?.write(report)
        curfew_exit(125)
    }

    private func keepReport() {
        guard page.mainPid > 0, let problem = ReportStore.keep(report, app: name, pid: page.mainPid) else { return }
        if manifest.tellsOfReports { StandardError.print("curfew: \(name): \(problem)") }
    }

    /// What the keeper can tell: the measures have gone with the supervisor.
    private var report: JSON {
        RunReport.ofSupervisorExit(
            name: name, command: manifest.commandLine, pid: page.mainPid, problem: "the supervisor was killed")
    }

    private var now: Instant { Instant(nanoseconds: curfew_monotonic_nanoseconds()) }

    private func killOnce(freezing: Bool) {
        if sparesRest { return signalHeld(SIGKILL) }
        for cgroup in cgroups.holding { CgroupDirectory.kill(cgroup, freezing: freezing) }
        ProcessTree.killDescendants(of: getpid(), group: page.group, sparing: curfew_is_kept_child)
        if !Procfs.isOurs { signalHeld(SIGKILL) }
    }

    /// `timeout --foreground`: the command alone is ended, what it has started lives on.
    var sparesRest: Bool { manifest.policy.timeout?.sparesDescendants == true && page.mainPid > 0 }

    /// For what can be held without looking: the main process, and its own group but where that is spared.
    func signalHeld(_ signal: Int32) {
        let group = page.group
        let hasGroup =
            !sparesRest && group > 0
            && ProcessTree.holdsGroup(group, ancestor: getpid(), sparing: curfew_is_kept_child)
        if hasGroup { _ = curfew_kill(-group, signal) }
        if isMainProcessOurs, !hasGroup || getpgid(page.mainPid) != group { _ = curfew_kill(page.mainPid, signal) }
    }

    private var isMainProcessOurs: Bool {
        page.mainPid > 0 && !curfew_is_kept_child(page.mainPid) && Reaping.isChild(page.mainPid)
    }

    private func isGone() -> Bool {
        if hasChildren { return false }
        if sparesRest { releaseRest() }
        return removeCgroups() || sparesRest
    }

    /// The app's, and who ran hooks for it.
    private var processes: [Int32] { ProcessTree.descendants(of: getpid(), sparing: curfew_is_kept_child) }

    var hasChildren: Bool {
        if sparesRest { return isMainProcessOurs }
        guard curfew_has_kept_children() else { return Reaping.hasChildren() }
        if Procfs.isOurs { return !processes.isEmpty }
        return page.group > 0 ? Reaping.hasChild(inGroup: page.group) : Reaping.isChild(page.mainPid)
    }

    /// Nothing that lives on is left stopped, or in a cgroup of ours.
    private func releaseRest() {
        let mounts = CgroupMounts.read(legacy: true)
        let ways: [(SharedPage.Path, String?)] = [
            (.unified, mounts.unified), (.freezer, mounts.freezer), (.memory, mounts.memory), (.cpu, mounts.cpu),
        ]
        for (path, own) in ways {
            guard let own, !page.path(path).isEmpty else { continue }
            CgroupDirectory.empty(page.path(path), to: own)
        }
        for pid in processes.reversed() { _ = curfew_kill(pid, SIGCONT) }
    }

    var cgroups: NotedCgroups { NotedCgroups(page: page) }

    private func removeCgroups() -> Bool { cgroups.remove(endsDelegation: manifest.needsControllers) }

    /// Continues everything and ends as the app does.
    private func resumeAndWait() -> Never {
        // A start elsewhere would sweep what nobody holds.
        for cgroup in cgroups.holding + cgroups.measuring {
            let lock = curfew_open_at(AT_FDCWD, cgroup, O_RDONLY | O_DIRECTORY, 0)
            if lock >= 0 { _ = curfew_flock(lock, false) }
        }
        KeptChildren.reapSupervisor()
        let mainPid = page.mainPid > 0 ? page.mainPid : oldestChild()
        for cgroup in cgroups.holding { CgroupDirectory.resume(cgroup) }
        for cgroup in cgroups.holding + cgroups.measuring { CgroupDirectory.stopHoldingBack(cgroup) }
        if manifest.policy.yieldsInBackground {
            var priority = SchedulingPriority.loweredFromOwn()
            priority.restore(processes)
        }
        for pid in processes.reversed() { _ = curfew_kill(pid, SIGCONT) }
        if !Procfs.isOurs { signalHeld(SIGCONT) }
        removeSocket()
        _ = curfew_set_signal_mask(0, nil)
        var status = ExitStatus.unknown
        while hasChildren {
            var info = curfew_wait_info()
            guard curfew_waitid(Int32(P_ALL.rawValue), 0, WEXITED, &info) == 0 else { continue }
            curfew_forget_kept_child(info.pid)
            if info.pid == mainPid { status = ExitStatus(info) }
        }
        _ = removeCgroups()
        status.end()
    }

    /// The main process, when the supervisor was killed before it could say which it is: it has just been started.
    private func oldestChild() -> Int32 {
        let children = Procfs.children(of: getpid()).filter { !curfew_is_kept_child($0) }
        return children.min { Procfs.stat($0)?.startTime ?? .max < Procfs.stat($1)?.startTime ?? .max } ?? 0
    }

    private enum ExitStatus {
        case unknown
        case exited(Int32)
        case signaled(Int32)

        init(_ info: curfew_wait_info) {
            self = info.code == Int32(CLD_EXITED) ? .exited(info.status) : .signaled(info.status)
        }

        func end() -> Never {
            switch self {
            case .unknown: curfew_exit(125)
            case .exited(let code): curfew_exit(code)
            case .signaled(let signal): Proxy.raise(signal)
            }
        }
    }
}
