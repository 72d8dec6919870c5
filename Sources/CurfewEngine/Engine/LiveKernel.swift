import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// The real machine, for the one app of a `curfew run`.
final class LiveKernel: Kernel {
    /// Set once the program runs.
    var tree: ProcessTree?
    /// CPU time of the app's processes that were reaped here, for where no cgroup counts it.
    var reapedCPUMicroseconds: Int64 = 0
    /// Of what was counted there the most so far.
    private var countedCPUMicroseconds: UInt64 = 0
    /// Called with true once every process is stopped, and with false before any is continued.
    var allStopped: ((Bool) -> Void)?
    /// Called with what to wait for, each time a memory mark was armed.
    var watchesMark: ((Int32) -> Void)?
    /// Called with each footprint that is measured, where the kernel itself kills for its limit.
    var seesGrowth: ((UInt64) -> Void)?
    /// Any path of the file system whose free space is watched.
    var watchedDisk = "/"
    var pagingMethod: PageOutMethod?
    var pageOutJob: PageOutJob?
    /// The limit that the kernel was last told.
    var enforcedLimit: UInt64??
    /// From when on a mark may be armed where that takes long.
    var nextSlowMark: Instant?
    var priority = SchedulingPriority()
    /// Whether the leader has been reaped, and its pid is free.
    var isLeaderGone = false
    /// The group that the front leads and the app is in, where all of that is to be signalled, as under timeout(1).
    var frontsGroup: Int32? {
        get { getppid() == ledByFront ? ledByFront : nil }
        set { ledByFront = newValue }
    }
    /// Its number is another's once the front is gone.
    private var ledByFront: Int32?
    /// Signals the leader, or the process that has been named in its place.
    var passToLeader: ((Int32) -> Void)?

    var now: Instant { Instant(nanoseconds: curfew_monotonic_nanoseconds()) }

    func suspend(_ app: AppID, includingStopped: Bool) -> Bool {
        told(tree?.suspend(includingStopped: includingStopped) ?? true)
    }

    func confirmSuspension(_ app: AppID) -> Bool { told(tree?.confirmSuspension() ?? true) }

    private func told(_ isStopped: Bool) -> Bool {
        if isStopped { allStopped?(true) }
        return isStopped
    }

    func pendingSuspension(_ app: AppID) -> [PendingProcess] { tree?.pendingSuspension() ?? [] }
    func resume(_ app: AppID) {
        allStopped?(false)
        endPageOut()
        if pagingMethod != nil { tree?.containment.barSwap() }
        tree?.resume()
    }

    func continueAfterTerminalStop(_ app: AppID) { tree?.continueAfterTerminalStop() }

    func signal(_ app: AppID, _ signal: Int32, leaderOnly: Bool) {
        if leaderOnly {
            passToLeader?(signal)
            return
        }
        // Listed before its leader is signalled: that can be gone at once, and what it leaves is between two parents then.
        let known = tree?.everyone() ?? []
        let sharedGroup = frontsGroup ?? tree?.onlyGroup
        if let sharedGroup {
            // The front takes nothing from us.
            _ = curfew_kill(-sharedGroup, signal)
            if signal != SIGCONT { _ = curfew_kill(-sharedGroup, SIGCONT) }
        } else if let leader = unreapedLeader {
            _ = curfew_kill(leader, signal)
        }
        tree?.terminate(by: signal, sparing: sharedGroup ?? 0, unreaped: unreapedLeader ?? 0, known: known)
    }

    /// Nothing of it is left stopped, or frozen.
    func release(_ app: AppID) {
        tree?.resume()
        tree?.containment.release()
    }

    /// The leader by its pid as well: it can have left its cgroup, and /proc can be closed to us.
    func kill(_ app: AppID) {
        isKilling = true
        // The app can have lowered it, by prlimit(2).
        _ = DescriptorLimit.raised()
        if let leader = unreapedLeader { _ = curfew_kill(leader, SIGKILL) }
        tree?.kill()
    }

    private var isKilling = false
    /// Whether the run lasts until all that the leader has left behind has ended by itself.
    var waitsForTree = false
    private var unreapedLeader: Int32? { isLeaderGone ? nil : tree?.leader }

    func isGone(_ app: AppID) -> Bool {
        guard let tree else { return true }
        // What can't be held isn't waited for, unless all is to be.
        if isKilling || !waitsForTree, isLeaderGone, !Procfs.isOurs { return tree.isGoneUnseen() }
        return tree.isGone()
    }

    func survivors(_ app: AppID) -> [PendingProcess] {
        guard let tree else { return [] }
        return tree.processes().compactMap { pid in
            guard let stat = Procfs.stat(pid), !stat.isGone else { return nil }
            return PendingProcess(
                pid: pid, name: Procfs.commandName(pid) ?? "?", state: stat.state, waitChannel: Procfs.waitChannel(pid))
        }
    }

    func footprint(_ app: AppID, limit: UInt64?) -> UInt64 {
        let footprint = tree?.footprint(limit: limit) ?? 0
        seesGrowth?(footprint)
        return footprint
    }
    func isTraced(_ app: AppID) -> Bool { tree?.isTracedFromOutside() ?? false }
    func cpuMicroseconds(of app: AppID) -> UInt64 { cpuMicroseconds }

    var cpuMicroseconds: UInt64 {
        guard let tree else { return 0 }
        if tree.containment.unified != nil { return tree.cpuMicroseconds }
        // What ends while it is looked at is missing for a moment.
        countedCPUMicroseconds = max(
            countedCPUMicroseconds, tree.cpuMicroseconds + UInt64(max(0, reapedCPUMicroseconds)))
        return countedCPUMicroseconds
    }
}
