import CCurfew
import Glibc

/// Takes away what supervisors that are gone have left, and what of our own couldn't be at once, in turns: one cgroup after the
/// other, what still runs in it killed.
///
/// Between two turns the one that is under way stays locked, so that a second sweep passes it over. What a sweep comes to no
/// more, or can't end, is the next start's.
public struct StaleSweep {
    /// The first is under way. A class's array: no type is made for it at run time, and most starts find nothing.
    private var left: [StaleCgroup] = []
    /// When its next turn may come, on the clock of `curfew_monotonic_nanoseconds`; nil where nothing is left to do.
    public private(set) var nextTurn: Int64?
    /// False where descriptors aren't ample: between two turns none is held, and another sweep may go on with the same cgroup.
    public var holdsLock = true

    public init() {}

    /// Looks through `parent` for cgroups whose supervisors are gone; `own` isn't one of them.
    ///
    /// At most `limit` of them: a start must not pay for a thousand.
    public mutating func add(parent: String, keeping own: String, limit: Int = 16) {
        var listing = Descriptor(curfew_open_at(AT_FDCWD, parent, O_RDONLY | O_DIRECTORY, 0))
        guard listing.isOpen else { return }
        defer { listing.close() }
        var room = limit
        Directory.forEachName(in: listing.number) { entry in
            // Most entries are the parent's own files; those cost a launch nothing more than this.
            guard room > 0, strncmp(entry, "curfew.", 7) == 0 else { return }
            let name = String(cString: entry)
            guard name != own, let supervisor = CgroupDirectory.supervisor(of: name[...]),
                StaleCgroup.isLeft(by: supervisor)
            else { return }
            room -= 1
            left.append(StaleCgroup(parent + "/" + name, supervisor: supervisor))
            nextTurn = nextTurn ?? 0
        }
    }

    /// One of our own that couldn't be removed, and has to go: what is left in it is killed.
    public mutating func add(own path: String) {
        left.append(StaleCgroup(path, supervisor: nil))
        nextTurn = nextTurn ?? 0
    }

    /// One turn: until what is under way has to be waited for, or it is others' turn. Never sleeps.
    ///
    /// The removal of a cgroup can take milliseconds, so that no number of them is done at one go.
    public mutating func goOn(for turn: Turn = Turn(fewest: 1)) {
        var turn = turn
        while let first = left.first {
            if let pause = first.goOn(staysLocked: holdsLock) {
                nextTurn = curfew_monotonic_nanoseconds() + pause
                return
            }
            left.removeFirst()
            if !left.isEmpty, turn.isOver() {
                nextTurn = curfew_monotonic_nanoseconds()
                return
            }
        }
        nextTurn = nil
    }

    /// All that is left, sleeping in between: for whoever has nothing else to do.
    public mutating func finish() {
        while let nextTurn {
            let pause = nextTurn - curfew_monotonic_nanoseconds()
            if pause > 0 { usleep(UInt32(clamping: (pause + 999) / 1000)) }
            goOn()
        }
    }
}
