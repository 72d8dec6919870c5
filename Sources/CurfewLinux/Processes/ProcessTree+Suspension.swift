import CCurfew
import Glibc

/// A process that was told to stop and isn't seen stopped.
public struct PendingProcess: Sendable, Hashable {
    public var pid: Int32
    public var name: String
    /// As /proc tells it: D (uninterruptible, or waiting in vfork), R, S.
    public var state: UInt8
    public var waitChannel: String?

    public init(pid: Int32, name: String, state: UInt8, waitChannel: String?) {
        self.pid = pid
        self.name = name
        self.state = state
        self.waitChannel = waitChannel
    }

    public var text: String {
        let why = state == UInt8(ascii: "D") ? "uninterruptible" : "state \(Character(UnicodeScalar(state)))"
        return "\(name) (pid \(pid), \(why)\(waitChannel.map { ", in \($0)" } ?? ""))"
    }

    /// How many are told of by name.
    public static let mostNamed = 16

    /// Those of `pids` of which `look` tells something: one more than are named, at most, and no more than one turn finds.
    ///
    /// Behind the one that is waited for a thousand can be that have long done as they were told.
    public static func first(
        of pids: [Int32], for turn: Turn = Turn(), _ look: (Int32) -> PendingProcess?
    ) -> [PendingProcess] {
        var turn = turn
        var found: [PendingProcess] = []
        for pid in pids {
            if let process = look(pid) { found.append(process) }
            if found.count > mostNamed || turn.isOver() { break }
        }
        return found
    }

    public static func text(of processes: [PendingProcess]) -> String {
        let more = processes.count > mostNamed ? ["and more"] : []
        return (processes.prefix(mostNamed).map(\.text) + more).joined(separator: "; ")
    }
}

/// Stopping the whole tree without a gap, and continuing it.
extension ProcessTree {
    /// How long a freeze is waited for here; spinners on few cores take 10 ms, on a busy machine some times that, a process in `D`
    /// for ever. What isn't frozen by then is stopped one after the other, and a shell can see its job stop before itself.
    static let freezeMicroseconds: Int64 = 100_000
    /// How long a stop is waited for here before the caller's timer takes over.
    private static let confirmMicroseconds: Int64 = 2_000

    /// How far a stop by a freezer has come, where that takes more turns than one.
    enum StopPhase {
        /// Waited for up to a moment on the clock of `curfew_monotonic_nanoseconds`.
        case freezing(until: Int64)
        /// Frozen meanwhile, if the freezer has reached each in time.
        case stopping(ArraySlice<Int32>, isFrozen: Bool)
        /// Each was told to stop, and not each was looked at.
        case confirming
    }

    /// Stops every process; true once each is known to be. `includingStopped`: what a terminal has stopped in the
    /// leader's group counts as stopped by us, and is continued with the rest.
    public func suspend(includingStopped: Bool, for turn: Turn = Turn()) -> Bool {
        var turn = turn
        // A SIGCONT that came later would undo the stop.
        finishSignalling()
        forgetStops()
        isSuspended = true
        containment.prepareSuspension()
        terminalGroup = includingStopped ? Procfs.stat(leader)?.processGroup : nil
        if !Procfs.isOurs {
            suspendUnseen()
        } else if containment.hasFreezer, method != .sigstop {
            suspendFrozen()
        } else {
            suspendByWalking(terminalGroup)
        }
        return goOnStopping(&turn)
    }

    /// Whether it takes more turns until each process was told to stop and looked at once; `confirmSuspension` has them.
    public var isStopping: Bool { stopPhase != nil }

    private func goOnStopping(_ turn: inout Turn) -> Bool {
        guard goOnTelling(&turn) else { return false }
        return confirm(microseconds: Self.confirmMicroseconds, &turn)
    }

    private func forgetStops() {
        stopped.removeAll(keepingCapacity: true)
        stoppedBefore.removeAll(keepingCapacity: true)
        known.removeAll(keepingCapacity: true)
        unconfirmed.removeAll(keepingCapacity: true)
        needsAnotherWalk = false
        hasSeenVanishing = false
        stopPhase = nil
    }

    /// Looks again at what wasn't stopped yet, or goes on with what takes more turns; true once nothing is left.
    public func confirmSuspension(for turn: Turn = Turn()) -> Bool {
        var turn = turn
        return isStopping ? goOnStopping(&turn) : confirm(microseconds: 0, &turn)
    }

    private func confirm(microseconds: Int64, _ turn: inout Turn) -> Bool {
        stopPhase = nil
        if isFrozenForGood { return containment.isFrozen() }
        let deadline = curfew_monotonic_nanoseconds() + microseconds * 1000
        while true {
            guard removeStopped(&turn) else {
                stopPhase = .confirming
                return false
            }
            if unconfirmed.isEmpty {
                if !needsAnotherWalk { return true }
                needsAnotherWalk = findsRunning()
            }
            if curfew_monotonic_nanoseconds() >= deadline { return unconfirmed.isEmpty && !needsAnotherWalk }
            sched_yield()
        }
    }

    /// Those that were told first stop first; behind one that hasn't yet nobody is asked. False once the turn is over.
    private func removeStopped(_ turn: inout Turn) -> Bool {
        var count = 0
        defer { unconfirmed.removeFirst(count) }
        while count < unconfirmed.count, hasStopped(unconfirmed[count]) {
            count += 1
            if count < unconfirmed.count, turn.isOver() { return false }
        }
        return true
    }

    /// What is still not stopped, by pid and why; of very many the first, and what one turn finds of them.
    public func pendingSuspension(for turn: Turn = Turn()) -> [PendingProcess] {
        if isFrozenForGood, containment.isFrozen() { return [] }
        return PendingProcess.first(of: isFrozenForGood ? processes() : unconfirmed, for: turn, pending)
    }

    private func pending(_ pid: Int32) -> PendingProcess? {
        guard let stat = Procfs.stat(pid), !stat.isGone, !Self.isStopped(pid) else { return nil }
        let waitChannel = Procfs.waitChannel(pid)
        if isFrozenForGood, let waitChannel, Self.frozenWaitChannels.contains(waitChannel) { return nil }
        return PendingProcess(
            pid: pid, name: Procfs.commandName(pid) ?? "?", state: stat.state, waitChannel: waitChannel)
    }

    /// Where the freezers of v2 and v1 hold a process. Source: kernel, kernel/signal.c and kernel/freezer.c.
    private static let frozenWaitChannels: Set = ["get_signal", "do_freezer_trap", "__refrigerator"]

    /// Continues what `suspend` stopped, children before their parents: a shell that wakes first takes its job for
    /// stopped. An app that isn't suspended is left alone, with what somebody else has stopped in it.
    public func resume() {
        guard isSuspended else { return }
        isSuspended = false
        if isFrozenForGood {
            isFrozenForGood = false
            try? containment.setFrozen(false)
            return
        }
        if !Procfs.isOurs, !isHalfway { return resumeUnseen() }
        continueStopped()
        // Halfway all that wasn't told to stop is as it was before.
        if isHalfway { try? containment.setFrozen(false) } else { resumeNewcomers() }
        forgetStops()
    }

    private var isHalfway: Bool {
        switch stopPhase {
        case .freezing, .stopping: true
        case .confirming, nil: false
        }
    }

    /// Whether `resume` continues it.
    func isHeld(_ pid: Int32) -> Bool { isSuspended && known.contains(pid) && !stoppedBefore.contains(pid) }

    /// Their parents are stopped, so nobody has reaped them and given their pids away; what we have reaped is forgotten.
    private func continueStopped() {
        for member in bottomUp(stopped) { _ = curfew_kill(member.pid, SIGCONT) }
    }

    /// A child of ours has been reaped: its number can be anybody's from now on, and gets nothing more.
    public func forgetReaped(_ pid: Int32) {
        if root == .line(of: pid) { isLineOver = true }
        guard isSuspended else { return }
        known.remove(pid)
        stoppedBefore.remove(pid)
        stopped.removeAll { $0.pid == pid }
        unconfirmed.removeAll { $0 == pid }
        if case .stopping(let pids, let isFrozen) = stopPhase {
            stopPhase = .stopping(pids.filter { $0 != pid }[...], isFrozen: isFrozen)
        }
    }

    /// A process in vfork can have let a child in since, and a stop of the whole group hits what no walk has seen.
    private func resumeNewcomers() {
        for pid in processes() where !known.contains(pid) && Procfs.stat(pid)?.isStopped == true {
            signal(pid, SIGCONT)
        }
    }

    // MARK: With a freezer

    private func suspendFrozen() {
        if method == .both, suspendLoneProcess(terminalGroup) { return }
        // At one go, up to the freeze: who is continued by his own shell in between would be taken for stopped.
        if containment.kind == .cgroup1 { for pid in processes() { noteStoppedBefore(pid) } }
        freeze()
    }

    private func freeze() {
        do { try containment.setFrozen(true) } catch {
            suspendByWalking(terminalGroup)
            return
        }
        stopPhase = .freezing(until: curfew_monotonic_nanoseconds() + Self.freezeMicroseconds * 1000)
    }

    /// True once each was told to stop, or can't run.
    private func goOnTelling(_ turn: inout Turn) -> Bool {
        if case .freezing(let until) = stopPhase {
            let isFrozen = containment.waitUntilFrozen(until: min(until, turn.end))
            if !isFrozen, curfew_monotonic_nanoseconds() < until { return false }
            if method == .freezer || !Procfs.isOurs {
                isFrozenForGood = true
                return true
            }
            stopPhase = .stopping(processes()[...], isFrozen: isFrozen)
        }
        if case .stopping(var pids, let isFrozen) = stopPhase {
            stopPhase = nil
            while let pid = pids.popFirst() {
                stop(pid, terminalGroup)
                if turn.isOver(), !pids.isEmpty {
                    stopPhase = .stopping(pids, isFrozen: isFrozen)
                    return false
                }
            }
            try? containment.setFrozen(false)
            // What the freezer hadn't reached in time could still fork before its stop.
            needsAnotherWalk = !isFrozen
        }
        return true
    }

    /// A tree of one process needs no freezer: if it is alone after its stop, nothing has slipped away.
    private func suspendLoneProcess(_ terminalGroup: Int32?) -> Bool {
        let before = processes()
        guard before.count == 1, before[0] == leader else { return false }
        stop(leader, terminalGroup)
        var turn = Turn()
        let isStopped = confirm(microseconds: 200, &turn)
        return isStopped && processes() == before
    }

    /// The v1 freezer hides it: whatever it holds shows as `D`, stopped or not.
    private func noteStoppedBefore(_ pid: Int32) {
        guard let stat = Procfs.stat(pid), stat.isStopped, stat.processGroup != terminalGroup else { return }
        if known.insert(pid).inserted { stoppedBefore.insert(pid) }
    }

    /// `isLate`: found after all others were stopped, so whatever has stopped it came from us.
    private func stop(_ pid: Int32, _ terminalGroup: Int32?, isLate: Bool = false) {
        if known.contains(pid) { return }
        guard let stat = Procfs.stat(pid), !stat.isGone else {
            if HiddenProcess.exists(pid) { stopHidden(pid) } else { hasSeenVanishing = true }
            return
        }
        known.insert(pid)
        if stat.isStopped, stat.processGroup != terminalGroup, !isLate {
            stoppedBefore.insert(pid)
            return
        }
        _ = curfew_kill(pid, SIGSTOP)
        stopped.append(Member(pid: pid, parent: stat.parent))
        unconfirmed.append(pid)
    }

    /// Whether it stops isn't seen.
    private func stopHidden(_ pid: Int32) {
        known.insert(pid)
        _ = curfew_kill(pid, SIGSTOP)
        stopped.append(Member(pid: pid, parent: 0))
    }

    // MARK: Without one

    /// Level by level, until a walk finds nothing running: a stopped parent's list of children stands still, and a
    /// shell that is stopped before its job never hears that the job was.
    private func suspendByWalking(_ terminalGroup: Int32?) {
        stopLevels(terminalGroup, isLate: false)
        stopGroup()
        var cleanWalks = 0
        for _ in 0..<100 {
            if cleanWalks >= wantedCleanWalks { break }
            let count = stopped.count
            stopLevels(terminalGroup, isLate: true)
            for pid in containment.processes() ?? [] { stop(pid, terminalGroup, isLate: true) }
            cleanWalks = stopped.count == count ? cleanWalks + 1 : 0
        }
        needsAnotherWalk = cleanWalks < wantedCleanWalks || !unconfirmed.isEmpty
    }

    /// Where something has ended under our eyes, something may just have been forked: a list of children that changes
    /// while it is read can be short of one. Source: proc_pid_task_tid_children(5).
    private var wantedCleanWalks: Int { hasSeenVanishing ? 8 : 1 }

    private var firstLevel: [Int32] {
        switch root {
        case .descendants(let pid): Procfs.children(of: pid)
        case .reaper(let pid): Procfs.children(of: pid)
        case .cgroup: processes()
        case .line, .strays: heads
        }
    }

    private func stopLevels(_ terminalGroup: Int32?, isLate: Bool) {
        // Of a cgroup there is one level: a child can have left it, and is nobody's then.
        var level = firstLevel
        while !level.isEmpty {
            let count = unconfirmed.count
            for pid in level { stop(pid, terminalGroup, isLate: isLate) }
            awaitStops(from: count)
            level = root == .cgroup ? [] : level.flatMap { Procfs.children(of: $0) }
        }
    }

    /// Of what was stopped last. A process in vfork or in uninterruptible sleep isn't waited for longer than this.
    private func awaitStops(from index: Int) {
        let deadline = curfew_monotonic_nanoseconds() + Self.confirmMicroseconds * 1000
        var pending = unconfirmed[index...]
        while let pid = pending.first, curfew_monotonic_nanoseconds() < deadline {
            if hasStopped(pid) { pending.removeFirst() } else { sched_yield() }
        }
        unconfirmed.removeSubrange(index..<pending.startIndex)
    }

    /// Something can fork and exit faster than it is walked; if it has kept the leader's group, it is stopped at one
    /// stroke. All the others of the group are stopped already.
    private func stopGroup() { signalOwnGroup(SIGSTOP) }

    /// Stops what last walks find running; true if there was something.
    private func findsRunning() -> Bool {
        let count = stopped.count
        for _ in 0..<wantedCleanWalks {
            for pid in processes() { stop(pid, nil, isLate: true) }
            if stopped.count > count { return true }
        }
        return false
    }

    // MARK: Both

    /// One that has ended after it was seen can have left a child that no walk has seen: it was listed too late below its
    /// parent, and too early below whoever has it now.
    private func hasStopped(_ pid: Int32) -> Bool {
        guard let stat = Procfs.stat(pid), !stat.isGone else {
            hasSeenVanishing = true
            needsAnotherWalk = true
            return true
        }
        return Self.isStopped(pid)
    }

    /// Stopped with every thread, or gone.
    static func isStopped(_ pid: Int32) -> Bool {
        guard let stat = Procfs.stat(pid) else { return true }
        if stat.isGone { return true }
        guard stat.isStopped || stat.state == UInt8(ascii: "t") else { return false }
        return stat.threads <= 1 || allThreadsStopped(pid)
    }

    private static func allThreadsStopped(_ pid: Int32) -> Bool {
        var areStopped = true
        Procfs.forEachThread(of: pid) { thread in
            guard areStopped, let stat = Procfs.stat(pid, thread: thread) else { return }
            areStopped = stat.isStopped || stat.isGone || stat.state == UInt8(ascii: "t")
        }
        return areStopped
    }

    private func bottomUp(_ members: [Member]) -> [Member] {
        guard members.count > 1 else { return members }
        var parents: [Int32: Int32] = [:]
        for member in members { parents[member.pid] = member.parent }
        var depths: [Int32: Int] = [:]
        func depth(_ pid: Int32) -> Int {
            if let known = depths[pid] { return known }
            depths[pid] = 0
            let depthHere = parents[pid].map { depth($0) + 1 } ?? 0
            depths[pid] = depthHere
            return depthHere
        }
        return members.map { (member: $0, depth: depth($0.pid)) }
            .sorted { $0.depth > $1.depth }.map(\.member)
    }
}
