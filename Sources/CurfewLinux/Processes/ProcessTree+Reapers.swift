extension ProcessTree {
    /// Which children of `pid` are reapers that something living is below.
    ///
    /// By their name, which any process can take: whoever goes by this has to end it some time.
    static func neededReapers(of members: [Member], below pid: Int32) -> Set<Int32> {
        var reapers: Set<Int32> = []
        // Of each that is below a reaper, which; parents come first.
        var reaperOf: [Int32: Int32] = [:]
        var needed: Set<Int32> = []
        for member in members {
            guard let stat = Procfs.stat(member.pid) else { continue }
            if member.parent == pid {
                if stat.isReaper { reapers.insert(member.pid) }
                continue
            }
            let reaper = reapers.contains(member.parent) ? member.parent : reaperOf[member.parent]
            guard let reaper else { continue }
            reaperOf[member.pid] = reaper
            if !stat.isGone { needed.insert(reaper) }
        }
        return needed
    }
}
