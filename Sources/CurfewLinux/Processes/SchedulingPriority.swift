import CCurfew
import Glibc

/// Puts an app's threads last in the queues for CPU and disk, and back to where each was.
///
/// A raised nice value can't be lowered again without CAP_SYS_NICE or RLIMIT_NICE, so nice is only touched where it can be
/// undone; the I/O class "idle" always can. With autogroup, which desktops have on, nice counts only among the processes
/// of one session: of an app that has one of its own the session's is lowered too, where that can be undone.
/// Source: setpriority(2), ioprio_set(2), sched(7).
public struct SchedulingPriority: Sendable {
    /// The thread that had these values; a thread id is used again, with its start it isn't.
    private struct Thread: Hashable {
        var id: Int32
        var start: UInt64
    }

    private struct Values {
        /// Nil where it wasn't touched.
        var nice: Int32?
        var io: Int32?
    }

    private static let lowestNice: Int32 = 19
    /// Class 3 is idle, in the upper bits. Source: ioprio_set(2).
    private static let idle: Int32 = 3 << ioClassShift
    private static let ioClassShift: Int32 = 13
    private static let realTimeClass: Int32 = 1

    /// What each thread had before it was lowered.
    private var former: [Thread: Values] = [:]
    /// What the first of them had: the app's leader, whose other processes got theirs from it.
    private var first = Values()
    /// The nice value that its session had; nil where that wasn't touched.
    private var formerOfSession: Int32?

    public init() {}

    /// As if all had been lowered from what this process itself has: for one who wasn't there then.
    public static func loweredFromOwn() -> SchedulingPriority {
        var priority = SchedulingPriority()
        priority.first = Values(nice: nice(0), io: io(0))
        priority.former[Thread(id: 0, start: 0)] = priority.first
        return priority
    }

    // MARK: Lowering

    /// Lowers each thread of these processes, and those that are born meanwhile. Threads that are lowered already stay so.
    ///
    /// `session`: the one that is theirs alone, if there is one.
    public mutating func lower(_ pids: [Int32], session: Int32? = nil) {
        if let session { lowerSession(session, of: pids) }
        let ceiling = Self.restorableNice()
        // A thread can be born by one that isn't lowered yet; one born later inherits.
        for _ in 0..<4 {
            let count = former.count
            for pid in pids { lower(pid, ceiling: ceiling) }
            if former.count == count { return }
        }
    }

    private mutating func lowerSession(_ session: Int32, of pids: [Int32]) {
        guard formerOfSession == nil, let pid = pids.first(where: { getsid($0) == session }),
            let nice = Autogroup.nice(ofSessionOf: pid), Autogroup.canBeSetAtAnyTime
        else { return }
        if Autogroup.setNice(Self.lowestNice, ofSessionOf: pid) { formerOfSession = nice }
    }

    private mutating func lower(_ pid: Int32, ceiling: Int32) {
        Procfs.forEachThread(of: pid) { id in
            guard let stat = Procfs.stat(pid, thread: id), !stat.isGone else { return }
            let thread = Thread(id: id, start: stat.startTime)
            guard former[thread] == nil else { return }
            var values = Values(nice: Self.nice(id), io: Self.io(id))
            if Self.isLowered(values, ceiling: ceiling), let inherited = inherited(pid, parent: stat.parent) {
                former[thread] = inherited
                return
            }
            if let nice = values.nice, nice < ceiling || curfew_set_nice(id, Self.lowestNice) < 0 { values.nice = nil }
            // A real-time class was asked for, and can't be given back without a privilege.
            if let io = values.io, Self.isRealTime(io) || curfew_set_io_priority(id, Self.idle) < 0 { values.io = nil }
            if former.isEmpty { first = values }
            former[thread] = values
        }
    }

    // MARK: Restoring

    /// Gives each thread of these processes back what it had. One that was born lowered gets what its process had, or that
    /// one's parent, or else the app's first thread. What the app has changed meanwhile stays as it is.
    public mutating func restore(_ pids: [Int32], session: Int32? = nil) {
        if let session { restoreSession(session, of: pids) }
        guard !former.isEmpty else { return }
        // As with lowering: what one born meanwhile has inherited is undone in the next round.
        var restored: Set<Thread> = []
        for _ in 0..<4 {
            let count = restored.count
            for pid in pids { restore(pid, &restored) }
            if restored.count == count { break }
        }
        former.removeAll()
        first = Values()
    }

    private mutating func restoreSession(_ session: Int32, of pids: [Int32]) {
        guard let former = formerOfSession, let pid = pids.first(where: { getsid($0) == session }) else { return }
        let isOurs = Autogroup.nice(ofSessionOf: pid) == Self.lowestNice
        if !isOurs || Autogroup.setNice(former, ofSessionOf: pid) { formerOfSession = nil }
    }

    private func restore(_ pid: Int32, _ restored: inout Set<Thread>) {
        Procfs.forEachThread(of: pid) { id in
            guard let stat = Procfs.stat(pid, thread: id), !stat.isGone else { return }
            let thread = Thread(id: id, start: stat.startTime)
            guard restored.insert(thread).inserted else { return }
            let values = former[thread] ?? inherited(pid, parent: stat.parent) ?? first
            if let nice = values.nice, Self.nice(id) == Self.lowestNice { _ = curfew_set_nice(id, nice) }
            if let io = values.io, Self.io(id).map({ $0 >> Self.ioClassShift }) == Self.idle >> Self.ioClassShift {
                _ = curfew_set_io_priority(id, io)
            }
        }
    }

    /// What a process's first thread had, or its parent's; nil if neither was lowered.
    private func inherited(_ pid: Int32, parent: Int32) -> Values? {
        for process in [pid, parent] {
            guard let stat = Procfs.stat(process, thread: process) else { continue }
            if let values = former[Thread(id: process, start: stat.startTime)] { return values }
        }
        return nil
    }

    // MARK: One thread

    private static func nice(_ thread: Int32) -> Int32? {
        var nice: Int32 = 0
        return curfew_get_nice(thread, &nice) == 0 ? nice : nil
    }

    /// As it is to be set again. Before Linux 5.18 a thread without a class was told to have one of level 4, which isn't
    /// taken back. Source: kernel, block/ioprio.c.
    private static func io(_ thread: Int32) -> Int32? {
        let priority = curfew_get_io_priority(thread)
        if priority < 0 { return nil }
        return priority >> ioClassShift == 0 ? 0 : priority
    }

    private static func isRealTime(_ io: Int32) -> Bool { io >> ioClassShift == realTimeClass }

    /// Whether it is as far down as it would be put here, as one is that was born by a lowered one.
    private static func isLowered(_ values: Values, ceiling: Int32) -> Bool {
        guard let nice = values.nice, let io = values.io else { return false }
        return io >> ioClassShift == idle >> ioClassShift && (nice == lowestNice || nice < ceiling)
    }

    // MARK: Whether it can be undone

    /// Whether a nice value like this process's own can be given back once it was raised.
    public static func canRestoreNice() -> Bool { nice(0).map { $0 >= restorableNice() } ?? false }

    /// Whether a session of the app's own, where sessions count, can be lowered and given back what it had.
    public static func canLowerSessions() -> Bool { !Autogroup.counts || Autogroup.canBeSetAtAnyTime }

    /// The nice values from here on can be given back; 20: none.
    ///
    /// CAP_SYS_NICE is tried, as it may be there and not count (in a user namespace): this thread's own nice value goes up
    /// by one step and down again, which everybody may. Source: kernel, kernel/sched/syscalls.c, can_nice().
    private static func restorableNice() -> Int32 {
        var ceiling: Int32 = 20
        guard let own = nice(0), curfew_nice_ceiling(&ceiling) == 0 else { return 20 }
        let better = own - 1
        if better < -20 || better >= ceiling { return ceiling }
        guard curfew_set_nice(0, better) == 0 else { return ceiling }
        _ = curfew_set_nice(0, own)
        return -20
    }
}
