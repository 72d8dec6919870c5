import CurfewCore
import CurfewEngine
import CurfewLinux

/// After how many rounds the machine does as it is told.
enum Rounds: Equatable {
    case atOnce
    case after(Int)
    case never

    /// One round; true when it takes.
    mutating func pass() -> Bool {
        switch self {
        case .atOnce: return true
        case .never: return false
        case .after(let left):
            if left > 0 { self = .after(left - 1) }
            return left <= 0
        }
    }
}

/// A machine that fails on demand, with a clock that stands until it is moved.
final class FakeKernel: Kernel {
    /// The processes of one app.
    struct Tree {
        /// How the next suspension goes: `.after(2)` is confirmed when asked for the second time.
        var stops = Rounds.atOnce
        /// How many rounds of SIGKILL it takes.
        var dies = Rounds.atOnce
        /// Once dead, how often it is still said to be there.
        var leaves = Rounds.atOnce
        /// Measured one after the other; the last stays.
        var footprints: [UInt64] = [0]
        var isTraced = false
        var cpuMicroseconds: UInt64 = 0
        var isAlive = true
        fileprivate(set) var isStopped = false
        fileprivate(set) var isConfirmed = false
        fileprivate(set) var stopping = Rounds.atOnce
    }

    /// The clock; set it to let time pass.
    var clock = Instant(nanoseconds: 1_000_000_000_000)
    /// Added to the clock each time it is read: work takes time.
    var drift = Span.zero
    var now: Instant {
        clock = clock + drift
        return clock
    }
    private var trees: [AppID: Tree] = [:]
    private let journal: Journal

    init(_ journal: Journal) { self.journal = journal }

    subscript(app: AppID) -> Tree {
        get { trees[app] ?? Tree() }
        set { trees[app] = newValue }
    }

    /// What is told of an app whose processes don't stop or die.
    static func survivor(_ app: AppID) -> PendingProcess {
        PendingProcess(pid: Int32(app.rawValue), name: app.letter, state: UInt8(ascii: "D"), waitChannel: "nfs_wait")
    }

    func suspend(_ app: AppID, includingStopped: Bool) -> Bool {
        journal.note("suspend \(app.letter)" + (includingStopped ? " including stopped" : ""))
        self[app].isStopped = true
        self[app].stopping = self[app].stops
        self[app].isConfirmed = self[app].stopping.pass()
        return self[app].isConfirmed
    }

    func confirmSuspension(_ app: AppID) -> Bool {
        self[app].isConfirmed = self[app].stopping.pass()
        journal.note("stopped? \(app.letter): \(self[app].isConfirmed ? "yes" : "no")")
        return self[app].isConfirmed
    }

    func pendingSuspension(_ app: AppID) -> [PendingProcess] { [Self.survivor(app)] }

    func resume(_ app: AppID) {
        journal.note("resume \(app.letter)")
        self[app].isStopped = false
        self[app].isConfirmed = false
    }

    func continueAfterTerminalStop(_ app: AppID) { journal.note("continue \(app.letter) after terminal stop") }

    func terminate(_ app: AppID, signal: Int32) {
        journal.note("\(signal == 15 ? "SIGTERM" : "signal \(signal)") \(app.letter)")
    }

    func kill(_ app: AppID) {
        journal.note("SIGKILL \(app.letter)")
        if self[app].dies.pass() { self[app].isAlive = false }
    }

    func isGone(_ app: AppID) -> Bool {
        let isGone = !self[app].isAlive && self[app].leaves.pass()
        journal.note("gone? \(app.letter): \(isGone ? "yes" : "no")")
        return isGone
    }

    func survivors(_ app: AppID) -> [PendingProcess] { [Self.survivor(app)] }

    func footprint(_ app: AppID, limit: UInt64?) -> UInt64 {
        let measured = self[app].footprints[0]
        if self[app].footprints.count > 1 { self[app].footprints.removeFirst() }
        journal.note("footprint \(app.letter) limit \(limit.map { String($0) } ?? "none"): \(measured)")
        return measured
    }

    func isTraced(_ app: AppID) -> Bool {
        journal.note("traced? \(app.letter): \(self[app].isTraced ? "yes" : "no")")
        return self[app].isTraced
    }

    /// Not written down: it is asked with every watchdog that starts.
    func cpuMicroseconds(of app: AppID) -> UInt64 { self[app].cpuMicroseconds }
}
