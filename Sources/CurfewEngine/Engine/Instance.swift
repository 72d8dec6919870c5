import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// One app on this machine: its processes, what was done to them, and what is kept of it for those who ask.
///
/// Made once its program runs.
final class Instance {
    let id: AppID
    let name: String
    let manifest: Manifest
    let tree: ProcessTree
    let startedAt: Instant
    /// How the leader has ended; nil until it is reaped, and its pid is free.
    private(set) var leaderOutcome: ExitOutcome?
    /// Nil while the leader is it.
    var mainProcess: MainProcess?
    /// What the program last said of itself by `STATUS=`.
    var statusText = ""
    /// What has happened to it.
    var log = EventLog()
    /// Its control pipe; nil where it has none.
    var pipe: ConnectionID?
    /// The file of `--settings`; nil where there is none.
    var settings: FileWatch?
    /// Runs the commands of `--exec-on`; nil where there are none.
    var hooks: HookRunner?
    lazy var reporter = Reporter(self)

    /// Its leader's parent, and its orphans'; nil where we are that ourselves.
    var subreaper: Subreaper?
    /// Stops of that one, which are told of.
    var subreaperStops = OnceASecond()

    private var isKilling = false
    /// The group that the proxy leads and the app is in, where all of that is to be signalled, as under timeout(1).
    var ledByProxy: Int32?
    /// The same while the proxy is there; then its number is another's.
    var proxyGroup: Int32? { getppid() == ledByProxy ? ledByProxy : nil }

    /// CPU time of its processes that were reaped here, for where no cgroup counts it.
    private var reapedCPUMicroseconds: Int64 = 0
    /// Of what was counted there the most so far.
    private var countedCPUMicroseconds: UInt64 = 0
    var pagingMethod: PageOutMethod?
    var pageOutJob: PageOutJob?
    /// From when on a memory mark may be armed where that takes long.
    var nextSlowMark: Instant?
    var priority = SchedulingPriority()
    /// Whether it was told that it has left its cgroup.
    var hasLeft = false
    /// Whether its first process leads a session of its own.
    var leadsSession = false
    /// While it is stopped, where input wakes it.
    var inputWatch: InputWatch?
    /// Those that are over, and have descriptors to close yet.
    var closingWatches: [InputWatch] = []
    /// The inode of its own end of the control pipe, by which nothing comes while it is stopped; nil where there is none.
    var channelSocket: UInt64?
    /// When it was last continued; nil before.
    var wokenAt: Instant?
    /// What it had left unread when it was last stopped.
    var leftUnread: [UnreadInput] = []
    /// How often it has been woken, and by what last.
    var wakings = Wakings()
    private var timedWaits = TimedWaits()
    /// What would have ended first by itself, of all that it waited in when it was last put to sleep.
    private(set) var shortestWait: TimedWait?
    /// What it had done by the last look at its idleness, and by the one from which that counts.
    var lastWork: TreeWork?
    var workBefore: TreeWork?
    /// What it is being woken by, until it goes on.
    var waking: Waking?
    /// Where it rested when it was last looked at for idleness.
    var restingPlaces: RestingPlaces?
    /// When what has come to it was seen; nil where nothing has since it was stopped.
    var inputSeenAt: Instant?

    init(_ id: AppID, name: String, _ manifest: Manifest, _ tree: ProcessTree, startedAt: Instant) {
        self.id = id
        self.name = name
        self.manifest = manifest
        self.tree = tree
        self.startedAt = startedAt
    }

    /// What it is held to: as was asked for, with who enforces its memory limits.
    var policy: Policy {
        var policy = manifest.policy
        if manifest.limitsMemory {
            policy.memory = MemoryPolicy(
                foreground: manifest.memory, background: manifest.backgroundLimits,
                isEnforcedByKernel: tree.containment.enforcesMemory)
        }
        return policy
    }

    // MARK: Who is who

    /// Nil once it is gone, and its number is anybody's.
    var livingLeader: Int32? { leaderOutcome == nil ? tree.leader : nil }

    /// The process whose end is the run's.
    var mainPid: Int32 { mainProcess?.pid ?? tree.leader }

    func forgetMainProcess() {
        mainProcess?.pidfd.close()
        mainProcess = nil
    }

    /// Before it is put to sleep.
    func lookAtWaits() { shortestWait = timedWaits.shortest(of: tree.processes()) }

    // MARK: Ends

    /// What the end of two processes means to the run; each is nil where it wasn't that one's.
    struct Ends: Hashable {
        var leader: ExitOutcome?
        var main: ExitOutcome?
        /// Its reaper was killed: nobody tells its processes from other apps' any more.
        var hasLostReaper = false
    }

    /// Of those that were reaped since they were last taken; nil where none was.
    private var ends: Ends?

    /// Whether any was reaped whose end hasn't been taken.
    var hasEnds: Bool { ends != nil }

    func takeEnds() -> Ends {
        defer { ends = nil }
        return ends ?? Ends()
    }

    /// One of its processes was reaped.
    func reaped(_ report: ChildReport) {
        var ends = takeEnds()
        defer { self.ends = ends }
        reapedCPUMicroseconds += report.cpuMicroseconds
        tree.forgetReaped(report.pid)
        if report.pid == livingLeader {
            leaderOutcome = ExitOutcome(report.change)
            ends.leader = leaderOutcome
        }
        if report.pid == mainProcess?.pid { ends.main = ExitOutcome(report.change) }
    }

    /// Its reaper was reaped. `isSpared`: which of our children aren't what that has left.
    func subreaperEnded(sparing isSpared: @escaping (Int32) -> Bool) {
        var ends = takeEnds()
        ends.hasLostReaper = true
        self.ends = ends
        subreaper?.closeChannel()
        subreaper = nil
        tree.reaperEnded(sparing: isSpared)
    }

    /// What can't be relied on is no reaper; its end comes next.
    func dropSubreaper() {
        guard let subreaper else { return }
        _ = curfew_kill(subreaper.pid, SIGKILL)
        self.subreaper?.closeChannel()
    }

    /// Whether that process, which has ended, is its reaper's child, so that its status comes from there.
    func isToldByReaper(_ pid: Int32) -> Bool {
        guard let subreaper else { return false }
        return Procfs.stat(pid)?.parent == subreaper.pid
    }

    /// The signal that has stopped the leader, or, once that is gone, what it has left in this group; nil where none has
    /// since the last time.
    func stopSignal(orLeftIn group: @autoclosure () -> Int32) -> Int32? {
        let report =
            if let livingLeader { Reaping.stopReport(of: livingLeader) } else { Reaping.stopReport(inGroup: group()) }
        guard case .stopped(let signal)? = report?.change else { return nil }
        return signal
    }

    /// Whether its processes are looked at before a kill that time brings about. What a command of `curfew timeout` left
    /// behind isn't: what there was at the limit is what is told.
    var isLookedAtBeforeKill: Bool { manifest.policy.timeout == nil || livingLeader != nil }

    // MARK: Signals

    /// To the main process, where one was named; held by a pidfd, for its parent may reap it.
    func signalMainProcess(_ signal: Int32) {
        if let mainProcess {
            ProcessTree.send(signal, to: mainProcess.pid, heldBy: mainProcess.pidfd)
        } else if let livingLeader {
            _ = curfew_kill(livingLeader, signal)
        }
    }

    func signalAll(_ signal: Int32) { signalAll(signal, continuing: true) }

    /// What is resumed has the signal by then; so has what somebody else has stopped, which goes on for it. Of more processes than
    /// one turn allows some have it after, as if they ran.
    func resume(sending signal: Int32?) {
        if let signal { signalAll(signal, continuing: false) }
        tree.resume()
    }

    private func signalAll(_ signal: Int32, continuing: Bool) {
        tree.signalAll(signal, continuing: continuing) { [unowned self] in signalFirst(signal, continuing: continuing) }
    }

    private func signalFirst(_ signal: Int32, continuing: Bool) -> SignalledFirst {
        let sharedGroup = proxyGroup ?? tree.onlyGroup
        if let sharedGroup {
            // The proxy takes nothing from us.
            _ = curfew_kill(-sharedGroup, signal)
            // Nobody is found one by one where /proc isn't ours.
            if continuing || !Procfs.isOurs, signal != SIGCONT { _ = curfew_kill(-sharedGroup, SIGCONT) }
        } else if let livingLeader {
            _ = curfew_kill(livingLeader, signal)
        }
        return SignalledFirst(group: sharedGroup ?? 0, leader: livingLeader ?? 0)
    }

    /// The leader by its pid as well: it can have left its cgroup, and /proc can be closed to us.
    func kill() {
        isKilling = true
        // The app can have lowered it, by prlimit(2).
        _ = DescriptorLimit.raised()
        if let livingLeader { _ = curfew_kill(livingLeader, SIGKILL) }
        tree.kill()
    }

    /// Nothing of it is left stopped, or frozen.
    func release() {
        tree.finishSignalling()
        tree.resume()
        tree.containment.release()
    }

    /// Nothing is waited for any more that came with it.
    func close() {
        forgetMainProcess()
        settings?.close()
        settings = nil
        endInputWatch()
        while !closingWatches.isEmpty { goOnClosing() }
        dropSubreaper()
        tree.containment.close()
    }

    func isGone() -> Bool {
        // What can't be held isn't waited for, unless all is to be.
        if isKilling || !manifest.endsWithTree, livingLeader == nil, !Procfs.isOurs { return tree.isGoneUnseen() }
        return tree.isGone()
    }

    /// Of very many the first, and what one turn finds of them.
    var survivors: [PendingProcess] {
        PendingProcess.first(of: tree.processes()) { pid in
            guard let stat = Procfs.stat(pid), !stat.isGone else { return nil }
            return PendingProcess(
                pid: pid, name: Procfs.commandName(pid) ?? "?", state: stat.state, waitChannel: Procfs.waitChannel(pid))
        }
    }

    // MARK: In turns

    /// Whether of what it was told it hasn't done all yet: a signal to very many, or the closing of what waited for input.
    var isAtWork: Bool { tree.isSignalling || !closingWatches.isEmpty }

    /// One turn more of each.
    func goOn() {
        if tree.isSignalling { tree.goOnSignalling() }
        if !closingWatches.isEmpty { goOnClosing() }
    }

    // MARK: CPU time

    var cpuMicroseconds: UInt64 {
        if tree.containment.unified != nil { return tree.cpuMicroseconds }
        // What ends while it is looked at is missing for a moment.
        countedCPUMicroseconds = max(
            countedCPUMicroseconds, tree.cpuMicroseconds + UInt64(max(0, reapedCPUMicroseconds)))
        return countedCPUMicroseconds
    }
}

extension Manifest {
    /// Whether the run lasts until all that the leader has left behind has ended by itself. A timeout's command is in the
    /// proxy's group, which is held besides.
    var endsWithTree: Bool { policy.waitsForTree || policy.timeout != nil }
}

extension ExitOutcome {
    /// Nil for what isn't an end.
    init?(_ change: ChildReport.Change) {
        switch change {
        case .exited(let code): self = .exited(code: code)
        case .killed(let signal, let dumpedCore): self = .signaled(signal: signal, dumpedCore: dumpedCore)
        case .stopped, .continued: return nil
        }
    }

    var isSignal: Bool {
        if case .signaled = self { true } else { false }
    }
}
