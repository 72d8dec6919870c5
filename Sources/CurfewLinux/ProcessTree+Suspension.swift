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
}

/// Stopping the whole tree without a gap, and continuing it.
extension ProcessTree {
    /// How long a freeze is waited for here; spinners on few cores take 10 ms, a process in `D` for ever.
    private static let freezeMicroseconds: Int64 = 25_000
    /// How long a stop is waited for here before the caller's timer takes over.
    private static let confirmMicroseconds: Int64 = 2_000

    /// Stops every process; true once each is known to be. `includingStopped`: what a terminal has stopped in the
    /// leader's group counts as stopped by us, and is continued with the rest.
    public func suspend(includingStopped: Bool) -> Bool {
        stopped.removeAll(keepingCapacity: true)
        stoppedBefore.removeAll(keepingCapacity: true)
        unconfirmed.removeAll(keepingCapacity: true)
        let terminalGroup = includingStopped ? Procfs.stat(leader)?.processGroup : nil
        if containment.hasFreezer, method != .sigstop {
            suspendFrozen(terminalGroup)
        } else {
            suspendByWalking(terminalGroup)
        }
        return confirmSuspension(microseconds: Self.confirmMicroseconds)
    }

    /// Looks again at what wasn't stopped yet; true once nothing is left.
    public func confirmSuspension(microseconds: Int64 = 0) -> Bool {
        if isFrozenForGood { return containment.isFrozen() }
        let deadline = curfew_monotonic_nanoseconds() + microseconds * 1000
        while true {
            unconfirmed.removeAll { Self.isStopped($0) }
            if unconfirmed.isEmpty { return method == .sigstop || !containment.hasFreezer ? !findsRunning() : true }
            if curfew_monotonic_nanoseconds() >= deadline { return false }
            sched_yield()
        }
    }

    /// What is still not stopped, by pid and why.
    public func pendingSuspension() -> [PendingProcess] {
        let pids = isFrozenForGood ? processes() : unconfirmed
        return pids.compactMap { pid in
            guard let stat = Procfs.stat(pid), !stat.isGone, !Self.isStopped(pid) else { return nil }
            return PendingProcess(
                pid: pid, name: Procfs.commandName(pid) ?? "?", state: stat.state, waitChannel: Procfs.waitChannel(pid))
        }
    }

    /// Continues what `suspend` stopped, children before their parents: a shell that wakes first takes its job for
    /// stopped.
    public func resume() {
        if isFrozenForGood {
            isFrozenForGood = false
            try? containment.setFrozen(false)
            return
        }
        for member in bottomUp(stopped) { _ = curfew_kill(member.pid, SIGCONT) }
        resumeNewcomers()
        stopped.removeAll(keepingCapacity: true)
        unconfirmed.removeAll(keepingCapacity: true)
    }

    /// A process in vfork can have let a child in since.
    private func resumeNewcomers() {
        let known = Set(stopped.map(\.pid))
        for pid in processes() where !known.contains(pid) && !stoppedBefore.contains(pid) {
            _ = curfew_kill(pid, SIGCONT)
        }
    }

    // MARK: With a freezer

    private func suspendFrozen(_ terminalGroup: Int32?) {
        if method == .both, suspendLoneProcess(terminalGroup) { return }
        do { try containment.setFrozen(true) } catch {
            suspendByWalking(terminalGroup)
            return
        }
        waitUntilFrozen()
        if method == .freezer {
            isFrozenForGood = true
            return
        }
        for pid in processes() { stop(pid, terminalGroup) }
        try? containment.setFrozen(false)
    }

    /// A tree of one process needs no freezer: if it is alone after its stop, nothing has slipped away.
    private func suspendLoneProcess(_ terminalGroup: Int32?) -> Bool {
        let before = processes()
        guard before.count == 1, before[0] == leader else { return false }
        stop(leader, terminalGroup)
        let isStopped = confirmSuspension(microseconds: 200)
        return isStopped && processes() == before
    }

    /// Reading cgroup.events again is quick; its notifications are held back by up to 20 ms.
    private func waitUntilFrozen() {
        let deadline = curfew_monotonic_nanoseconds() + Self.freezeMicroseconds * 1000
        while !containment.isFrozen(), curfew_monotonic_nanoseconds() < deadline { sched_yield() }
    }

    private func stop(_ pid: Int32, _ terminalGroup: Int32?) {
        if stopped.contains(where: { $0.pid == pid }) { return }
        guard let stat = Procfs.stat(pid), !stat.isGone else { return }
        if stat.isStopped, stat.processGroup != terminalGroup {
            stoppedBefore.insert(pid)
            return
        }
        _ = curfew_kill(pid, SIGSTOP)
        stopped.append(Member(pid: pid, parent: stat.parent))
        unconfirmed.append(pid)
    }

    // MARK: Without one

    /// Top down, until a walk finds nothing running: a stopped parent's list of children stands still.
    private func suspendByWalking(_ terminalGroup: Int32?) {
        for _ in 0..<200 {
            let count = stopped.count
            for pid in processes() { stop(pid, terminalGroup) }
            if stopped.count == count { return }
        }
        // Something forks faster than it is walked; its group, if it has kept it, is stopped at one stroke.
        if ownGroup > 0 { _ = curfew_kill(-ownGroup, SIGSTOP) }
    }

    /// Stops what a last walk finds running; true if there was something.
    private func findsRunning() -> Bool {
        let count = stopped.count
        for pid in processes() { stop(pid, nil) }
        return stopped.count > count
    }

    // MARK: Both

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
