/// A search for the locks of an app's processes, in turns.
struct LockSearch: Sendable {
    private var walk: TreeWalk
    private var scan = LockScan()
    /// Nil until it is known who they are.
    private var pids: [Int32]?
    private var next = 0

    init(_ walk: TreeWalk) { self.walk = walk }

    /// As `FileLocks.held`; nil while there is more to look at.
    mutating func goOn(_ turn: inout Turn) -> [HeldLock]? {
        guard walk.goOn(&turn) else { return nil }
        let pids = pids ?? walk.pids
        self.pids = pids
        while next < pids.count {
            scan.look(at: pids[next])
            next += 1
            if next < pids.count, turn.isOver() { return nil }
        }
        return FileLocks.held(scan, by: pids)
    }
}

extension ProcessTree {
    /// What its processes hold, as `FileLocks.held` tells it; nil: there is more to look at, to be asked for again.
    ///
    /// `anew`: what was seen so far doesn't count any more. A process can have thousands of descriptors: one is looked at
    /// whatever time it takes.
    public func locks(anew: Bool, for turn: Turn = Turn(fewest: 1)) -> [HeldLock]? {
        var turn = turn
        if anew || lockSearch == nil { lockSearch = LockSearch(walk()) }
        guard let held = lockSearch?.goOn(&turn) else { return nil }
        lockSearch = nil
        return held
    }
}
