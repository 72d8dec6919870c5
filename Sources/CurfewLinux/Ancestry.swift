import CCurfew

/// Where a process stands: in our app, in another supervisor's, or in none.
public struct Ancestry: Sendable, Hashable {
    public private(set) var isOurs = false
    /// In some app of some supervisor, ours or not.
    public private(set) var isInAnyApp = false
    /// Whether all of its line could be read; one that can't is trusted with nothing.
    public private(set) var isKnown = false

    /// Looks at the cgroup first, then at each ancestor: a supervisor among them holds it, for orphans go to theirs.
    ///
    /// `cgroup`: the directory of our app's v2 cgroup, if it has one.
    public init(of pid: Int32, supervisor: Int32, cgroup: String?) {
        guard pid > 0 else { return }
        noteCgroup(of: pid, ours: cgroup)
        // An ancestor that ends while its line is read breaks it; its children have another parent the next time.
        for _ in 0..<4 where !isKnown { walk(from: pid, supervisor: supervisor) }
    }

    private mutating func walk(from pid: Int32, supervisor: Int32) {
        var current = pid
        var startOfChild = UInt64.max
        for _ in 0..<4096 {
            // A parent is never younger; one that is has got the pid of the parent that was there a moment ago.
            guard let stat = Procfs.stat(current), stat.startTime <= startOfChild else { return }
            startOfChild = stat.startTime
            if current != pid, stat.isSupervisor || current == supervisor {
                isInAnyApp = true
                if current == supervisor { isOurs = true }
            }
            if stat.parent <= 0 || current == 1 {
                isKnown = true
                return
            }
            current = stat.parent
        }
    }

    private mutating func noteCgroup(of pid: Int32, ours: String?) {
        guard let path = Procfs.unifiedCgroup(of: pid) else { return }
        let components = path.split(separator: "/")
        guard components.contains(where: CgroupDirectory.isApps) else { return }
        isInAnyApp = true
        guard let ours, let slash = ours.lastIndex(of: "/") else { return }
        // An app of an app's is of both.
        if components.contains(ours[ours.index(after: slash)...]) { isOurs = true }
    }
}
