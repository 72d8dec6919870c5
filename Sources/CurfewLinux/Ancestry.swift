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
        var current = pid
        for _ in 0..<4096 {
            guard let stat = Procfs.stat(current) else { return }
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
        guard let marker = path.range(ofComponentStarting: Cgroup2.prefix) else { return }
        isInAnyApp = true
        guard let ours, let slash = ours.lastIndex(of: "/") else { return }
        if path[marker].hasPrefix(ours[ours.index(after: slash)...] + "/") || path[marker] == ours[ours.index(after: slash)...] {
            isOurs = true
        }
    }
}

extension String {
    /// From the first path component that starts with `prefix` to the end.
    fileprivate func range(ofComponentStarting prefix: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(prefix) { return start..<endIndex }
            guard let slash = self[start...].firstIndex(of: "/") else { return nil }
            start = index(after: slash)
        }
        return nil
    }
}
