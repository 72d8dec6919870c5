import CCurfew
import Glibc

/// Every process of one app: its leader, its children, and whatever of them called setsid or daemonised.
///
/// Held by a cgroup where there is one, and always by being our descendants: orphans come to us, their subreaper.
/// A pid read from a stopped parent's list, or from a frozen cgroup, can't be reused before it is signalled: only its
/// parent could reap it.
public final class ProcessTree {
    public var containment: Containment
    public let leader: Int32
    /// The leader's own process group; 0 when it shares its caller's.
    public let ownGroup: Int32
    let method: SuspensionMethod
    /// This process, whose descendants the app's are.
    public let supervisor: Int32 = getpid()

    /// What we have stopped, with its parent, in the order found.
    var stopped: [Member] = []
    /// What was stopped before we came, and is to stay so.
    var stoppedBefore: Set<Int32> = []
    /// What we stopped and haven't yet seen as `T`.
    var unconfirmed: [Int32] = []
    var isFrozenForGood = false

    struct Member {
        var pid: Int32
        var parent: Int32
    }

    public init(containment: Containment, leader: Int32, ownGroup: Int32, method: SuspensionMethod) {
        self.containment = containment
        self.leader = leader
        self.ownGroup = ownGroup
        self.method = method
    }

    /// Every process of the app that lives, parents first where only the tree tells.
    public func processes() -> [Int32] {
        containment.processes() ?? Self.descendants(of: supervisor)
    }

    /// All descendants, top down.
    public static func descendants(of pid: Int32) -> [Int32] {
        var found = Procfs.children(of: pid)
        var index = 0
        while index < found.count {
            found.append(contentsOf: Procfs.children(of: found[index]))
            index += 1
        }
        return found
    }

    /// Whether `pid` is of this tree: in its cgroup, or below us.
    public func contains(_ pid: Int32) -> Bool {
        Ancestry(of: pid, supervisor: supervisor, cgroup: containment.unified?.path).isOurs
    }

    // MARK: Signals

    /// SIGTERM to each, and SIGCONT, for what a terminal has stopped would only let it pend.
    public func terminate() {
        for pid in processes() {
            _ = curfew_kill(pid, SIGTERM)
            _ = curfew_kill(pid, SIGCONT)
        }
    }

    /// Continues what a terminal has stopped: the leader's process group, as a shell does.
    public func continueAfterTerminalStop() {
        if ownGroup > 0 {
            _ = curfew_kill(-ownGroup, SIGCONT)
            return
        }
        let group = Procfs.stat(leader)?.processGroup
        for pid in processes() where Procfs.stat(pid)?.processGroup == group { _ = curfew_kill(pid, SIGCONT) }
    }

    /// One round of SIGKILL to everything; what is left is found by looking again.
    public func kill() {
        if let unified = containment.unified { try? unified.kill() }
        if let freezer = containment.freezer {
            for pid in freezer.processes() { _ = curfew_kill(pid, SIGKILL) }
            // In the v1 freezer SIGKILL acts only once thawed.
            try? containment.setFrozen(false)
        }
        if ownGroup > 0 { _ = curfew_kill(-ownGroup, SIGKILL) }
        if containment.unified == nil { Self.killDescendants(of: supervisor) }
    }

    /// For what has left the cgroup but is still below us.
    public static func killDescendants(of pid: Int32) {
        for descendant in descendants(of: pid) { _ = curfew_kill(descendant, SIGKILL) }
    }

    // MARK: Measures

    /// CPU time in microseconds of all that runs in it; nil where only the tree tells, and some of it is gone.
    public var cpuMicroseconds: UInt64 {
        if let microseconds = containment.unified?.cpuMicroseconds { return microseconds }
        let ticks = processes().reduce(UInt64(0)) { $0 + (Procfs.stat($1)?.cpuTicks ?? 0) }
        return ticks * 1_000_000 / UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
    }

    /// Memory the kernel can't drop, exactly where that is cheap or `isExact`, else by what is resident and anonymous.
    ///
    /// `limit`: what the caller compares with. Shared pages count several times in the cheap figure, so a figure over
    /// the limit is made sure of before it is believed.
    public func footprint(limit: UInt64? = nil) -> UInt64 {
        if let footprint = containment.footprint { return footprint }
        let pids = processes()
        if let limit {
            var anonymous: UInt64 = 0
            var resident: UInt64 = 0
            for pid in pids {
                guard let memory = Procfs.anonymousResident(pid) else { continue }
                anonymous += memory.anonymous
                resident += memory.resident
            }
            if resident <= limit { return anonymous }
        }
        return pids.reduce(0) { $0 + (Procfs.proportionalFootprint($1) ?? 0) }
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
