/// A list of processes in the making, some at a time, parents first.
///
/// What starts meanwhile below one that was looked at already is missing, as it is after any look at what runs.
struct TreeWalk: Sendable {
    private let held: [Int32]
    private var found: [Int32] = []
    private var next = 0
    /// Whose children are looked at next.
    private var parent: Int32?

    /// `held`: what is known without a walk; it comes first.
    init(_ held: [Int32] = [], below ancestor: Int32?) {
        self.held = held
        parent = ancestor
    }

    /// True once it is whole.
    mutating func goOn(_ turn: inout Turn) -> Bool {
        while let current = parent {
            found += Procfs.children(of: current)
            parent = next < found.count ? found[next] : nil
            next += 1
            if parent != nil, turn.isOver() { return false }
        }
        return true
    }

    /// Each once.
    var pids: [Int32] {
        guard !held.isEmpty, !found.isEmpty else { return held + found }
        let known = Set(held)
        return held + found.filter { !known.contains($0) }
    }
}

extension ProcessTree {
    /// As `processes`, to be listed in turns.
    func walk() -> TreeWalk {
        containment.processes().map { TreeWalk($0, below: nil) } ?? TreeWalk(rest, below: root.ancestor)
    }

    /// As `everyone`, to be listed in turns.
    func walkOfEveryone() -> TreeWalk { TreeWalk(containment.processes() ?? rest, below: root.ancestor) }

    /// Of whom nobody is below one process: all, at once.
    private var rest: [Int32] { root.ancestor == nil ? processes() : [] }
}
