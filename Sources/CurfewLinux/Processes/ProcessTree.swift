import CCurfew
import Glibc

/// Every process of one app: its leader, its children, and whatever of them called setsid or daemonised.
///
/// Held by a cgroup where there is one, and by being below its root where that is a process: orphans come to it.
/// A pid read from a stopped parent's list, or from a frozen cgroup, can't be reused before it is signalled: only its
/// parent could reap it.
public final class ProcessTree {
    public var containment: Containment
    public let leader: Int32
    /// The leader's own process group; 0 when it shares its caller's.
    public let ownGroup: Int32
    let method: SuspensionMethod
    public private(set) var root: TreeRoot
    /// Whether the app's processes are this process's descendants.
    private let isRootOurs: Bool

    /// What we have stopped, with its parent, in the order found.
    var stopped: [Member] = []
    /// The pids of `stopped`, and of what was stopped before we came and is to stay so.
    var known: Set<Int32> = []
    var stoppedBefore: Set<Int32> = []
    /// What we stopped and haven't yet seen as `T`.
    var unconfirmed: [Int32] = []
    /// Nil where no stop is under way.
    var stopPhase: StopPhase?
    /// The group whose stopped processes count as stopped by us.
    var terminalGroup: Int32?
    var isFrozenForGood = false
    private var killRounds = 0
    /// From `suspend` to `resume`.
    var isSuspended = false
    /// Whether something can have forked after it was looked at, so that one more walk has to find nothing.
    var needsAnotherWalk = false
    /// Whether a process was found, and had ended when it was looked at.
    var hasSeenVanishing = false
    var sampled = SampledMemory()
    /// Signals that not everybody has had yet, in order.
    var signalRounds: [SignalRound] = []
    var lockSearch: LockSearch?
    /// Whether the first of its line was reaped: its number can be another's.
    var isLineOver = false
    /// Whether its reaper has said that it has no child any more.
    public var isToldEmpty = false
    /// Which of our children are no strays; nil while the app has none.
    private var isSpared: ((Int32) -> Bool)?

    struct Member {
        var pid: Int32
        var parent: Int32
    }

    /// `root`: this process's descendants, where it isn't said; `.cgroup` needs one of version 2, `.line` is the leader's, and
    /// `.strays` comes by `reaperEnded` alone.
    public init(
        containment: Containment, leader: Int32, ownGroup: Int32, method: SuspensionMethod, root: TreeRoot? = nil
    ) {
        precondition(root != .cgroup || containment.unified != nil, "an app with no root")
        let own = getpid()
        self.containment = containment
        self.leader = leader
        self.ownGroup = ownGroup
        self.method = method
        self.root = root ?? .descendants(of: own)
        isRootOurs = self.root.ancestor == own
    }

    /// Every process of the app that lives, parents first where only the tree tells.
    public func processes() -> [Int32] {
        containment.processes() ?? below
    }

    /// All that is below its root; nothing where that is its cgroup.
    private var below: [Int32] {
        switch root {
        case .descendants(let pid): Self.descendants(of: pid)
        case .reaper(let pid): Self.descendants(of: pid)
        case .cgroup: []
        case .line, .strays: heads.flatMap { [$0] + Self.descendants(of: $0) }
        }
    }

    /// Its reaper was killed and is reaped: what was below that has come to us, and can be killed, and no more. `isSpared`: of
    /// our children, those that are other reapers.
    public func reaperEnded(sparing isSpared: @escaping (Int32) -> Bool) {
        root = .strays
        self.isSpared = isSpared
    }

    /// Of a line its first process, and the orphans that are of its group; of strays all: parents of all the rest.
    var heads: [Int32] {
        if let isSpared { return Procfs.children(of: getpid()).filter { !isSpared($0) } }
        guard case .line(let pid) = root else { return [] }
        let first = isLineOver ? [] : [pid]
        guard ownGroup > 0 else { return first }
        return first + Procfs.children(of: getpid()).filter { $0 != pid && Procfs.stat($0)?.processGroup == ownGroup }
    }

    /// All descendants, top down; without those children, and what is below them, for which `isSpared` is true.
    public static func descendants(of pid: Int32, sparing isSpared: (Int32) -> Bool = { _ in false }) -> [Int32] {
        members(below: pid, sparing: isSpared).map(\.pid)
    }

    /// `isSpared`: of the children of `pid`; `sparesFurtherInside`: without supervisors, and what they hold.
    static func members(
        below pid: Int32, sparing isSpared: (Int32) -> Bool = { _ in false }, sparesFurtherInside: Bool = false
    ) -> [Member] {
        var found: [Member] = []
        var parent = pid
        var index = 0
        while true {
            for child in Procfs.children(of: parent) {
                if parent == pid, isSpared(child) { continue }
                if sparesFurtherInside, Procfs.stat(child)?.holdsOthers == true { continue }
                found.append(Member(pid: child, parent: parent))
            }
            guard index < found.count else { return found }
            parent = found[index].pid
            index += 1
        }
    }

    /// Whether `pid` is of this tree: in its cgroup, or below its root. `deadline`: as `Ancestry` has it.
    public func contains(_ pid: Int32, until deadline: Int64 = .max) -> Bool {
        let ancestry = ancestry(of: pid, until: deadline)
        if ancestry.isOurs { return true }
        switch root {
        case .line, .strays: return ancestry.isInAnyApp && processes().contains(pid)
        case .descendants, .cgroup, .reaper: break
        }
        // The cgroup of one that /proc doesn't show is told by its list alone.
        guard !Procfs.isOurs || root == .cgroup && !ancestry.isKnown else { return false }
        return containment.processes()?.contains(pid) == true
    }

    /// Where `pid` stands with regard to this app. `deadline`: as `Ancestry` has it.
    public func ancestry(of pid: Int32, until deadline: Int64 = .max) -> Ancestry {
        Ancestry(of: pid, root: root, cgroup: containment.unified?.path, until: deadline)
    }

    // MARK: Signals

    /// As `signalAll`, to all that is below `pid`, for whoever knows no more of the tree; `isSpared`: of its children.
    public static func terminateDescendants(of pid: Int32, by number: Int32, sparing isSpared: (Int32) -> Bool) {
        for member in members(below: pid, sparing: isSpared, sparesFurtherInside: true) {
            send([number, SIGCONT], to: member, ancestor: pid)
        }
    }

    /// As `processes`, with what has left its cgroup and is still below its root.
    public func everyone() -> [Int32] {
        guard let held = containment.processes() else { return processes() }
        let known = Set(held)
        return held + below.filter { !known.contains($0) }
    }

    /// Continues what a terminal has stopped: the leader's process group, as a shell does.
    public func continueAfterTerminalStop() {
        if ownGroup > 0 {
            signalOwnGroup(SIGCONT)
            return
        }
        let group = getpgid(leader)
        for pid in processes() where group > 0 && getpgid(pid) == group { signal(pid, SIGCONT) }
    }

    /// The signal to the leader's own group, if it has one that is the app's still; true if it has.
    @discardableResult
    public func signalOwnGroup(_ signal: Int32) -> Bool {
        guard holdsOwnGroup else { return false }
        _ = curfew_kill(-ownGroup, signal)
        return true
    }

    /// Whether the leader's own group is still the app's.
    var holdsOwnGroup: Bool {
        guard ownGroup > 0 else { return false }
        if let ancestor = root.ancestor { return Self.holdsGroup(ownGroup, ancestor: ancestor) }
        if case .line = root, !isLineOver { return true }
        return processes().contains { getpgid($0) == ownGroup }
    }

    /// For a process whose parent runs and could have reaped it since it was listed: held by a pidfd and looked at
    /// again, so that no stranger that got its pid is hit.
    func signal(_ pid: Int32, _ signals: Int32..., sparesFurtherInside: Bool = false) {
        var pidfd = Descriptor(curfew_pidfd_open(pid))
        defer { pidfd.close() }
        if !contains(pid) {
            // Perhaps it is our only descriptor, and nothing can be looked at meanwhile.
            guard pidfd.isOpen else { return }
            pidfd.close()
            guard contains(pid) else { return }
        }
        if sparesFurtherInside, Self.isHeldFurtherInside(pid, supervisor: root.ancestor ?? getpid()) { return }
        for signal in signals {
            // Without a descriptor to spare the pid must do; it was of the tree a moment ago.
            Self.send(signal, to: pid, heldBy: pidfd)
        }
    }

    /// Whether a supervisor further inside than `supervisor` holds it, or it is one itself.
    static func isHeldFurtherInside(_ pid: Int32, supervisor: Int32) -> Bool {
        var isHeld = false
        return Procfs.climb(from: pid) { current, stat in
            if current == supervisor { return isHeld }
            isHeld = isHeld || stat.holdsOthers
            return nil
        } ?? false
    }

    /// Whether nothing of it is left; its cgroups are removed then, for that is what tells in one call.
    ///
    /// All descendants come to their subreaper when their parents end, so no child left means no process left, unless one
    /// was moved into the cgroup from outside. Of one whose root is its cgroup its children, ended, can be left to reap.
    public func isGone() -> Bool { !isPopulated && containment.remove() }

    private var isPopulated: Bool {
        switch root {
        case .descendants(let pid): return isRootOurs ? Reaping.hasChildren() : !Procfs.children(of: pid).isEmpty
        case .cgroup: return containment.isPopulated()
        case .line: return containment.hasFreezer ? containment.isPopulated() : !below.isEmpty
        case .strays: return !below.isEmpty || containment.hasFreezer && containment.isPopulated()
        case .reaper(let pid):
            // It tells when there can be something to see.
            guard isToldEmpty else { return true }
            // What it had isn't gone with it, but has come to us.
            guard let stat = Procfs.stat(pid), !stat.isGone else { return true }
            return !Procfs.children(of: pid).isEmpty
        }
    }

    /// One round of SIGKILL to everything; what is left is found by looking again.
    ///
    /// From the second round on also to what has left its cgroup, once that is empty, and is below its root.
    ///
    /// The freezer comes last: were we killed ourselves while all is frozen, it would stay so.
    public func kill() {
        killRounds += 1
        signalRounds.removeAll()
        stopPhase = nil
        if let unified = containment.unified, (try? unified.kill()) != nil {
            if killRounds > 1, let ancestor = root.ancestor, !containment.isPopulated() {
                Self.killDescendants(of: ancestor)
            }
            if killRounds > 3 { Self.thaw(processes()) }
            return
        }
        if let ancestor = root.ancestor {
            Self.killDescendants(of: ancestor, group: ownGroup)
        } else if let isSpared {
            Self.killDescendants(of: getpid(), group: ownGroup, sparing: isSpared)
        } else {
            for pid in processes() { signal(pid, SIGKILL) }
        }
        if killRounds > 2 { containment.killFrozen() }
        if killRounds > 3 { Self.thaw(processes()) }
        // What was suspended by the v1 freezer dies only now.
        try? containment.setFrozen(false)
    }

    /// For what SIGKILL can't end because a supervisor inside the app has frozen it and is gone.
    public static func thaw(_ pids: [Int32]) { CgroupDirectory.thawFreezers(holding: pids) }

    /// For what no cgroup holds, or what has left it: SIGKILL to all that is below `pid`, looked for again as long as
    /// there is something new, for some milliseconds: whatever forks and exits for ever is hit between two forks.
    ///
    /// `group`: the leader's own, which is killed at one stroke; 0 when it has none. `isSpared`: which children of `pid`
    /// aren't the app's, with all below them. `reapersLast`: a reaper lives as long as something below it does, which it would
    /// end if we were killed amid this; so a call can leave some.
    public static func killDescendants(
        of pid: Int32, group: Int32 = 0, reapersLast: Bool = false,
        sparing isSpared: (Int32) -> Bool = { _ in false }
    ) {
        let deadline = curfew_monotonic_nanoseconds() + 5_000_000
        var seen: Set<Int32> = []
        var isNew = true
        while isNew {
            isNew = false
            if group > 0, holdsGroup(group, ancestor: pid, sparing: isSpared) { _ = curfew_kill(-group, SIGKILL) }
            let members = members(below: pid, sparing: isSpared)
            let needed = reapersLast ? neededReapers(of: members, below: pid) : []
            for member in members {
                if seen.insert(member.pid).inserted { isNew = true }
                if !needed.contains(member.pid) { kill(member, ancestor: pid) }
            }
            if curfew_monotonic_nanoseconds() > deadline { return }
        }
    }

    /// Our own children nobody else can reap, so their pids are theirs; others are made sure of.
    private static func kill(_ member: Member, ancestor: Int32) { send([SIGKILL], to: member, ancestor: ancestor) }

    private static func send(_ signals: [Int32], to member: Member, ancestor: Int32) {
        if member.parent == ancestor {
            for signal in signals { _ = curfew_kill(member.pid, signal) }
            return
        }
        var pidfd = Descriptor(curfew_pidfd_open(member.pid))
        defer { pidfd.close() }
        var parent = Procfs.stat(member.pid)?.parent ?? curfew_pidfd_parent(pidfd.number)
        if parent <= 0 {
            // As in `signal`.
            pidfd.close()
            parent = Procfs.stat(member.pid)?.parent ?? -1
        }
        // Hidden, and nothing tells its parent: that one's list of children, looked at again, does.
        if parent <= 0, Procfs.children(of: member.parent).contains(member.pid) { parent = member.parent }
        guard parent == member.parent || parent == ancestor else { return }
        for signal in signals { send(signal, to: member.pid, heldBy: pidfd) }
    }

    /// By the pid where there is no descriptor to spare, or where a sandbox refuses to send by one.
    public static func send(_ signal: Int32, to pid: Int32, heldBy pidfd: Descriptor) {
        if pidfd.isOpen {
            if !KernelError.isRefusal(curfew_pidfd_send_signal(pidfd.number, signal)) { return }
        }
        _ = curfew_kill(pid, signal)
    }

    /// Whether a sandbox refuses a descriptor of any process, be it our own.
    public static var arePidfdsRefused: Bool {
        var own = Descriptor(curfew_pidfd_open(getpid()))
        defer { own.close() }
        return KernelError.isRefusal(own.number)
    }

    /// Whether the group is still the app's: the one that leads it, whose pid is its number, isn't reaped, or one below us
    /// is in it. Once nobody is, its number is free for a stranger's. Every signal to a group asks this first.
    ///
    /// While a group lives no process gets its number. Source: kernel, kernel/pid.c, __change_pid.
    public static func holdsGroup(
        _ group: Int32, ancestor: Int32, sparing isSpared: (Int32) -> Bool = { _ in false }
    ) -> Bool {
        guard Procfs.isOurs else { return Reaping.isChild(group) || Reaping.hasChild(inGroup: group) }
        if !isSpared(group) {
            if ancestor == getpid() {
                if Reaping.isChild(group) { return true }
            } else if Procfs.stat(group)?.parent == ancestor {
                return true
            }
        }
        return members(below: ancestor, sparing: isSpared).contains { Procfs.stat($0.pid)?.processGroup == group }
    }

    // MARK: Measures

    /// CPU time in microseconds of all that runs in it; where no cgroup counts, of what was waited for in it too, but not
    /// of what this process has reaped.
    ///
    /// Parents are read before their children: who is reaped meanwhile is missed, till the next time, and never counted
    /// twice.
    public var cpuMicroseconds: UInt64 {
        if let microseconds = containment.unified?.cpuMicroseconds { return microseconds }
        let ticks = below.reduce(UInt64(0)) { sum, pid in
            guard let stat = Procfs.stat(pid) else { return sum }
            return sum &+ stat.cpuTicks &+ stat.waitedCPUTicks
        }
        return ticks * 1_000_000 / UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
    }

    /// Whether a process outside the tree traces one of it. Looks at the first 32: a debugger sits on the leader.
    public func isTracedFromOutside() -> Bool {
        let pids = processes()
        return pids.prefix(32).contains { pid in
            let tracer = Procfs.tracer(of: pid)
            return tracer != 0 && !pids.contains(tracer)
        }
    }
}
