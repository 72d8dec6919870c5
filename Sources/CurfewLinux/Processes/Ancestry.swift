import CCurfew
import Glibc

/// Where a process stands: in our app, in another supervisor's, or in none.
public struct Ancestry: Sendable, Hashable {
    public private(set) var isOurs = false
    /// In some app of some supervisor, ours or not.
    public private(set) var isInAnyApp = false
    /// Below the supervisor that is asked for, in whichever app of it, or in none.
    public private(set) var isBelowSupervisor = false
    /// Whether so much of its line is known that the answer can be trusted; else it is trusted with nothing.
    public private(set) var isKnown = false

    /// As it was found out.
    public init(isOurs: Bool, isInAnyApp: Bool, isKnown: Bool, isBelowSupervisor: Bool = false) {
        self.isOurs = isOurs
        self.isBelowSupervisor = isBelowSupervisor
        self.isInAnyApp = isInAnyApp
        self.isKnown = isKnown
    }

    /// Looks at the cgroup first, then at each ancestor: a supervisor among them holds it, for orphans go to theirs.
    ///
    /// `root`: of our app. Below a supervisor of several a process is only of the app whose cgroup it is in.
    ///
    /// `cgroup`: the directory of our app's v2 cgroup, if it has one. `deadline`: as below.
    public init(of pid: Int32, root: TreeRoot, cgroup: String?, until deadline: Int64 = .max) {
        let slash = cgroup.flatMap { $0.lastIndex(of: "/") }
        let name = slash.flatMap { slash in cgroup.map { $0[$0.index(after: slash)...] } }
        self.init(
            of: pid, supervisor: root.ancestor ?? getpid(), until: deadline, ownsCgroup: { $0 == name },
            ownsTreeOf: { root == .line(of: $0) || $0 != pid && $0 == root.ancestor })
    }

    /// Of several apps below `supervisor`; what is ours is asked for.
    ///
    /// `ownsCgroup`: whether a v2 cgroup of that name is one of them. `ownsTreeOf`: whether that process, and what is below
    /// it, is of one of them. `deadline`: when to give up on a line of more than 64 processes, on the clock of
    /// `curfew_monotonic_nanoseconds`; it can be as long as there are processes.
    public init(
        of pid: Int32, supervisor: Int32, until deadline: Int64 = .max, ownsCgroup: (Substring) -> Bool,
        ownsTreeOf: (Int32) -> Bool
    ) {
        guard pid > 0 else { return }
        noteCgroup(of: pid, ownsCgroup)
        // An ancestor that ends while its line is read breaks it; its children have another parent the next time.
        for _ in 0..<4 {
            if isOurs || isKnown { break }
            walk(from: pid, supervisor, until: deadline, ownsTreeOf)
        }
        isKnown = isKnown || isOurs
    }

    private mutating func walk(
        from pid: Int32, _ supervisor: Int32, until deadline: Int64, _ ownsTreeOf: (Int32) -> Bool
    ) {
        var current = pid
        var child: Int32 = 0
        var startOfChild = UInt64.max
        for generation in 0..<4096 {
            if current == supervisor, current != pid { isBelowSupervisor = true }
            if ownsTreeOf(current) {
                isInAnyApp = true
                isOurs = true
                return
            }
            if generation > 64, deadline != .max, curfew_monotonic_nanoseconds() >= deadline { return }
            let parent: Int32
            if let stat = Procfs.stat(current) {
                // A parent is never younger; one that is has got the pid of the parent that was there a moment ago.
                guard stat.startTime <= startOfChild else { return }
                startOfChild = stat.startTime
                if current != pid, stat.isSupervisor { isInAnyApp = true }
                parent = stat.parent
            } else {
                switch HiddenProcess.parent(of: current, child: child) {
                case .known(let pid): parent = pid
                case .gone: return
                case .untold:
                    noteUntold(current, supervisor, ownsTreeOf)
                    return
                }
            }
            if parent <= 0 || current == 1 {
                // Without a /proc no supervisor but ourselves would have been recognised.
                isKnown = Procfs.isOurs
                return
            }
            child = current
            current = parent
        }
    }

    /// The line breaks at `pid`, whose parent nothing tells.
    ///
    /// Its parent's list of children does, where that one is visible. Else: other users' are above every process, and
    /// what could hide one of the app's is another of it, but not one that the supervisor has above itself.
    private mutating func noteUntold(_ pid: Int32, _ supervisor: Int32, _ ownsTreeOf: (Int32) -> Bool) {
        guard Procfs.isOurs else { return }
        let below = ProcessTree.descendants(of: supervisor)
        if below.contains(pid) {
            isInAnyApp = true
            isBelowSupervisor = true
            isOurs = ownsTreeOf(supervisor)
            return
        }
        isKnown =
            HiddenProcess.isAbove(supervisor, pid)
            || !below.contains(where: HiddenProcess.exists) && Procfs.stat(getpid()) != nil
    }

    private mutating func noteCgroup(of pid: Int32, _ ownsCgroup: (Substring) -> Bool) {
        guard let path = Procfs.unifiedCgroup(of: pid) else { return }
        let components = path.split(separator: "/")
        guard components.contains(where: CgroupDirectory.isApps) else { return }
        isInAnyApp = true
        // An app of an app's is of both.
        if components.contains(where: ownsCgroup) { isOurs = true }
    }
}

/// A process that is there, and that /proc doesn't show to us: another user's, or one that may not be traced, where it is
/// mounted with `hidepid`; any, where /proc isn't ours.
///
/// Source: proc(5), hidepid; kernel, fs/proc/base.c, has_pid_permissions().
enum HiddenProcess {
    enum Parent { case known(Int32), gone, untold }

    /// `child`: one that was seen to have it as its parent; 0 when none was.
    static func parent(of pid: Int32, child: Int32) -> Parent {
        var pidfd = Descriptor(curfew_pidfd_open(pid))
        // Refused by a sandbox, or by an old kernel, it tells nothing; nor does it where there is no descriptor to spare.
        guard pidfd.isOpen else {
            return KernelError.isRefusal(pidfd.number) && curfew_kill(pid, 0) != -ESRCH ? .untold : .gone
        }
        defer { pidfd.close() }
        let parent = curfew_pidfd_parent(pidfd.number)
        // While a process is the parent of another its pid is nobody else's.
        guard child == 0 || self.child(child, hasParent: pid) else { return .gone }
        if parent >= 0 { return .known(parent) }
        return parent == -ESRCH ? .gone : .untold
    }

    private static func child(_ child: Int32, hasParent parent: Int32) -> Bool {
        if let stat = Procfs.stat(child) { return stat.parent == parent }
        var pidfd = Descriptor(curfew_pidfd_open(child))
        defer { pidfd.close() }
        return pidfd.isOpen && curfew_pidfd_parent(pidfd.number) == parent
    }

    /// Whether `pid` is seen to be an ancestor of `descendant`.
    static func isAbove(_ descendant: Int32, _ pid: Int32) -> Bool {
        Procfs.climb(from: descendant) { _, stat in stat.parent == pid ? true : nil } ?? false
    }

    /// Whether it is there and hidden.
    static func exists(_ pid: Int32) -> Bool {
        guard Procfs.stat(pid) == nil else { return false }
        // One that has just ended, and was visible, is not there any more when it can't be read.
        return curfew_kill(pid, 0) != -ESRCH
    }
}
