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
        /// How many turns more than one a signal to all takes.
        var turns = 0
        /// How many rounds of SIGKILL it takes.
        var dies = Rounds.atOnce
        /// Once dead, how often it is still said to be there.
        var leaves = Rounds.atOnce
        /// Measured one after the other; the last stays.
        var footprints: [UInt64] = [0]
        /// What it is at a moment, where that is said in their place.
        var growth: ((Instant) -> UInt64)?
        var isTraced = false
        /// In how many pieces it is paged out.
        var pieces = Rounds.atOnce
        /// What it holds when it is looked at.
        var locks: [FileLock] = []
        /// In how many turns more than one all are told to stop.
        var tells = Rounds.atOnce
        /// What is left of these.
        var telling = Rounds.atOnce
        /// In how many turns they are found.
        var looks = Rounds.atOnce
        fileprivate var looking = Rounds.atOnce
        /// Whether the kernel can tell of a memory mark.
        var armsMarks = true
        var cpuMicroseconds: UInt64 = 0
        /// What is found of its input, one answer after the other; the last stays.
        var input: [InputWatching] = [.watched(obstacle: nil)]
        /// What it has done, measured one after the other; the last stays.
        var work = [IdleSample(cpuTime: .zero, written: 0, processes: 1)]
        /// So often it runs on between a look and its stop.
        var runsOn = 0
        /// At which of its listening sockets a connection waits.
        var backlog: Set<ListeningSocket> = []
        /// Where one was taken, as is told the next time that it is continued.
        var taken: [ListeningSocket] = []
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
        self[app].telling = self[app].tells
        if !self[app].telling.pass() { return false }
        self[app].telling = .atOnce
        self[app].stopping = self[app].stops
        self[app].isConfirmed = self[app].stopping.pass()
        return self[app].isConfirmed
    }

    func isStopping(_ app: AppID) -> Bool { self[app].telling != .atOnce }

    func confirmSuspension(_ app: AppID) -> Bool {
        if isStopping(app) {
            guard self[app].telling.pass() else {
                journal.note("go on stopping \(app.letter)")
                return false
            }
            self[app].telling = .atOnce
            self[app].stopping = self[app].stops
        }
        self[app].isConfirmed = self[app].stopping.pass()
        journal.note("stopped? \(app.letter): \(self[app].isConfirmed ? "yes" : "no")")
        return self[app].isConfirmed
    }

    func pendingSuspension(_ app: AppID) -> [PendingProcess] { [Self.survivor(app)] }

    func resume(_ app: AppID, sending signal: Int32?) -> [ListeningSocket] {
        journal.note("resume \(app.letter)" + (signal.map { ", sending \($0)" } ?? ""))
        if signal != nil { turns = self[app].turns }
        self[app].telling = .atOnce
        self[app].isStopped = false
        self[app].isConfirmed = false
        defer { self[app].taken = [] }
        return self[app].taken
    }

    func continueAfterTerminalStop(_ app: AppID) { journal.note("continue \(app.letter) after terminal stop") }

    func signal(_ app: AppID, _ signal: Int32, mainProcessOnly: Bool) {
        journal.note("signal \(signal) \(app.letter)" + (mainProcessOnly ? ", its main process" : ""))
        if !mainProcessOnly { turns = self[app].turns }
    }

    /// How many turns more a signal takes.
    private var turns = 0
    var isAtWork: Bool { turns > 0 }

    func goOn() {
        turns -= 1
        journal.note("go on")
    }

    func release(_ app: AppID) {
        journal.note("release \(app.letter)")
        self[app].isAlive = false
    }

    func kill(_ app: AppID) {
        journal.note("SIGKILL \(app.letter)")
        self[app].telling = .atOnce
        if self[app].dies.pass() { self[app].isAlive = false }
    }

    func isGone(_ app: AppID) -> Bool {
        let isGone = !self[app].isAlive && self[app].leaves.pass()
        journal.note("gone? \(app.letter): \(isGone ? "yes" : "no")")
        return isGone
    }

    func survivors(_ app: AppID) -> [PendingProcess] { [Self.survivor(app)] }

    func footprint(_ app: AppID, limit: UInt64?) -> UInt64 {
        let measured = self[app].growth?(clock) ?? self[app].footprints[0]
        if self[app].footprints.count > 1 { self[app].footprints.removeFirst() }
        journal.note("footprint \(app.letter) limit \(limit.map { String($0) } ?? "none"): \(measured)")
        return measured
    }

    /// Of the machine.
    var available: UInt64 = .max
    var free: UInt64 = .max

    func limitMemory(of app: AppID, _ enforcement: MemoryEnforcement) -> Bool {
        func text(_ bytes: UInt64?) -> String { bytes.map { String($0) } ?? "none" }
        journal.note("limit memory \(app.letter) fatal \(text(enforcement.fatal)) mark \(text(enforcement.mark))")
        return self[app].armsMarks
    }

    func availableMemory() -> UInt64 {
        journal.note("available memory")
        return available
    }

    func freeDisk() -> UInt64 {
        journal.note("free disk")
        return free
    }

    /// Not written down where there are none: it is asked at each suspension.
    func locks(of app: AppID, anew: Bool) -> [FileLock]? {
        if anew { self[app].looking = self[app].looks }
        guard self[app].looking.pass() else {
            journal.note("locks \(app.letter): more")
            return nil
        }
        let locks = self[app].locks
        if !locks.isEmpty { journal.note("locks \(app.letter): \(locks.count)") }
        return locks
    }

    func beginPageOut(_ app: AppID, from threshold: UInt64) -> Bool {
        journal.note("page out \(app.letter) from \(threshold)")
        return self[app].footprints[0] >= threshold
    }

    func continuePageOut(_ app: AppID) -> PageOutResult? {
        let isOver = self[app].pieces.pass()
        journal.note("page out \(app.letter): \(isOver ? "done" : "more")")
        return isOver ? PageOutResult(resident: 0, swapped: self[app].footprints[0]) : nil
    }

    func throttle(_ app: AppID, _ limits: CPUPolicy?) {
        journal.note(limits == nil ? "stop throttling \(app.letter)" : "throttle \(app.letter)")
    }

    func setPriority(of app: AppID, isLowered: Bool) {
        journal.note("\(isLowered ? "lower" : "restore") priority \(app.letter)")
    }

    func isTraced(_ app: AppID) -> Bool {
        journal.note("traced? \(app.letter): \(self[app].isTraced ? "yes" : "no")")
        return self[app].isTraced
    }

    func watchInput(_ app: AppID, afresh: Bool) -> InputWatching {
        journal.note("watch input \(app.letter)" + (afresh ? " afresh" : ""))
        return self[app].input.count > 1 ? self[app].input.removeFirst() : self[app].input[0]
    }

    func unwatchInput(_ app: AppID) { journal.note("unwatch input \(app.letter)") }

    func connection(to app: AppID, at socket: ListeningSocket) -> InputNews? {
        journal.note("connection? \(app.letter): \(self[app].backlog.contains(socket) ? "yes" : "no")")
        guard self[app].backlog.contains(socket) else { return nil }
        return InputNews(kind: "connection", text: "a connection", listener: socket)
    }

    func idleSample(of app: AppID, sinceLast: Bool) -> IdleSample {
        journal.note("idle? \(app.letter)" + (sinceLast ? " since the last time" : ""))
        return self[app].work.count > 1 ? self[app].work.removeFirst() : self[app].work[0]
    }

    func named(_ sample: IdleSample, of app: AppID) -> IdleSample {
        journal.note("who? \(app.letter)")
        var sample = sample
        sample.busiest = ProcessShare("sh (7)", sample.cpuTime)
        return sample
    }

    /// Not written down where it hasn't.
    func hasRunSinceLook(_ app: AppID) -> Bool {
        let hasRun = self[app].runsOn > 0
        if hasRun {
            journal.note("ran on \(app.letter)")
            self[app].runsOn -= 1
        }
        return hasRun
    }

    /// Not written down: it is asked with every watchdog that starts.
    func cpuMicroseconds(of app: AppID) -> UInt64 { self[app].cpuMicroseconds }
}
