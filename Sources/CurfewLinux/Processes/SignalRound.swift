import Glibc

/// Who has had a signal before it goes to each of a tree.
public struct SignalledFirst: Sendable, Hashable {
    /// A process group; 0: none.
    public var group: Int32
    /// A child of ours that isn't reaped; 0: none. In no group that has had it, it gets SIGCONT alone.
    public var leader: Int32

    public init(group: Int32 = 0, leader: Int32 = 0) {
        self.group = group
        self.leader = leader
    }
}

/// A signal on its way to every process of a tree, in turns.
final class SignalRound {
    private let number: Int32
    private let continuing: Bool
    private let first: () -> SignalledFirst
    private var signalled: SignalledFirst?
    /// Who was there before the first had it: those can be gone at once, and what they leave is between two parents then.
    private var known: [Int32] = []
    private var walk: TreeWalk
    /// Nil until it is known who they are.
    private var pids: [Int32]?
    private var next = 0

    init(_ number: Int32, continuing: Bool, to tree: ProcessTree, first: @escaping () -> SignalledFirst) {
        self.number = number
        self.continuing = continuing
        self.first = first
        walk = tree.walkOfEveryone()
    }

    /// True once each has had it.
    func goOn(_ tree: ProcessTree, _ turn: inout Turn) -> Bool {
        guard let signalled = signalFirst(tree, &turn), let pids = list(&turn) else { return false }
        while next < pids.count {
            tree.signal(pids[next], number, continuing: continuing, after: signalled)
            next += 1
            if next < pids.count, turn.isOver() { return false }
        }
        return true
    }

    private func signalFirst(_ tree: ProcessTree, _ turn: inout Turn) -> SignalledFirst? {
        if let signalled { return signalled }
        guard walk.goOn(&turn) else { return nil }
        known = walk.pids
        signalled = first()
        walk = tree.walkOfEveryone()
        return signalled
    }

    private func list(_ turn: inout Turn) -> [Int32]? {
        if let pids { return pids }
        guard walk.goOn(&turn) else { return nil }
        let before = Set(known)
        pids = known + walk.pids.filter { !before.contains($0) }
        return pids
    }
}

extension ProcessTree {
    /// The signal to each, and SIGCONT, for what a terminal has stopped would only let it pend.
    ///
    /// What a supervisor further inside holds isn't signalled: its proxy is, and passes it on.
    ///
    /// Of very many only some have had it on return; `goOnSignalling` has the others have it.
    ///
    /// `continuing`: false where `resume` follows: what is held has no SIGCONT, and the signal pends with it until then, unless a
    /// freezer of v2 has it, and it no handler: that ends at once.
    /// `first`: signals those that others are to come after, once it is known who is there; each is made sure of.
    public func signalAll(
        _ number: Int32, continuing: Bool = true, for turn: Turn = Turn(),
        first: @escaping () -> SignalledFirst = { SignalledFirst() }
    ) {
        signalRounds.append(SignalRound(number, continuing: continuing, to: self, first: first))
        goOnSignalling(for: turn)
    }

    /// Whether some haven't had theirs yet.
    public var isSignalling: Bool { !signalRounds.isEmpty }

    /// One turn more of `signalAll`.
    public func goOnSignalling(for turn: Turn = Turn()) {
        var turn = turn
        while let round = signalRounds.first, round.goOn(self, &turn) { signalRounds.removeFirst() }
    }

    /// All that is left of it: what follows must not be overtaken by a signal.
    public func finishSignalling() {
        while isSignalling { goOnSignalling() }
    }

    fileprivate func signal(_ pid: Int32, _ number: Int32, continuing: Bool, after first: SignalledFirst) {
        let isInGroup = first.group > 0 && getpgid(pid) == first.group
        // The group has had both.
        if isInGroup, continuing { return }
        let isContinued = continuing || !isHeld(pid)
        let hasIt = isInGroup || first.group == 0 && pid == first.leader || number == SIGCONT
        switch (hasIt, isContinued) {
        case (false, true): signal(pid, number, SIGCONT, sparesFurtherInside: true)
        case (false, false): signal(pid, number, sparesFurtherInside: true)
        case (true, true): signal(pid, SIGCONT, sparesFurtherInside: true)
        case (true, false): break
        }
    }
}
