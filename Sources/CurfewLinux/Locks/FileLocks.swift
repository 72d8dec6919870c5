import CCurfew
import Glibc

/// A file lock of a process.
public struct HeldLock: Sendable, Hashable {
    /// fcntl's for a process, flock's, fcntl's for an open file description, a lease. Source: proc_locks(5).
    public enum Kind: String, Sendable {
        case posix = "POSIX"
        case flock = "FLOCK"
        case ofd = "OFD"
        case lease = "LEASE"
    }

    public enum Access: String, Sendable { case read, write }

    /// As /proc/PID/fd names it, with " (deleted)" if it is; "fe:00:1234", device and inode, where that can't be read.
    public var path: String
    public var kind: Kind
    public var access: Access
    /// The first of the processes asked about that has it open.
    public var pid: Int32
    /// A process that wasn't asked about is blocked on it.
    public var isWaitedFor: Bool
    /// The first byte locked.
    public var start: UInt64
    /// The last byte locked; nil to the file's end.
    public var end: UInt64?

    public init(
        path: String, kind: Kind, access: Access, pid: Int32, isWaitedFor: Bool = false, start: UInt64 = 0,
        end: UInt64? = nil
    ) {
        self.path = path
        self.kind = kind
        self.access = access
        self.pid = pid
        self.isWaitedFor = isWaitedFor
        self.start = start
        self.end = end
    }
}

/// The locks that an app keeps others from, when it is stopped with them.
///
/// iOS kills an app that is suspended with a locked file, or in the middle of an SQLite transaction. Source: Apple,
/// "Understanding the exception types in a crash report", 0xdead10cc. Read locks don't count by themselves: every
/// idle connection to an SQLite database in WAL mode has some. Source: SQLite, "WAL-mode File Format".
///
/// Not seen: what a thread with descriptors of its own holds (unshare(2), CLONE_FILES), what is held by a mapping or a
/// message on its way after the last descriptor was closed, and what a network file system's server keeps by itself.
public enum FileLocks {
    /// How many are told of, at most.
    public static let maximum = 64

    /// The locks that count: those to write, and any that a process outside `pids` waits for; a lease only so.
    ///
    /// `pids`: every process of the app, stopped so that what is found stays true. A waiter for an OFD lock has no
    /// pid: it is taken for one outside, as one of the app's own that was stopped waits no more. Processes that are
    /// gone or may not be looked at are passed over. At most 64 locks are told of, and 4,096 descriptors looked at of
    /// each process, 32,768 of all: 2 to 5 µs each.
    ///
    /// `seeksWaiters`: whether to look for those who wait. Only done when there is any lock, for reading /proc/locks
    /// sleeps 5 to 15 ms when nobody has read it just before. Without it only those to write count.
    public static func held(by pids: [Int32], seeksWaiters: Bool = true) -> [HeldLock] {
        var scan = LockScan()
        for pid in pids { scan.look(at: pid) }
        return held(scan, by: pids, seeksWaiters: seeksWaiters)
    }

    /// Of what a scan of all these has found.
    static func held(_ scan: LockScan, by pids: [Int32], seeksWaiters: Bool = true) -> [HeldLock] {
        guard !scan.isEmpty else { return [] }
        let pids = Set(pids)
        let waiters = seeksWaiters ? waiters(for: scan, outside: pids) : []
        var held: [HeldLock] = []
        for found in scan.writes + scan.others where held.count < maximum && !isHeldOutside(found, pids) {
            let isWaitedFor = waiters.contains { $0.conflicts(with: found.lock) }
            if found.lock.countsByItself || isWaitedFor { held.append(HeldLock(found, isWaitedFor: isWaitedFor)) }
        }
        return held.sorted()
    }

    /// An flock that whoever started the app has taken and holds as well, as flock(1) does: it stays locked whatever
    /// becomes of the app.
    private static func isHeldOutside(_ found: LockScan.Found, _ pids: Set<Int32>) -> Bool {
        guard found.lock.kind == .flock, found.taker > 0, !pids.contains(found.taker) else { return false }
        return Procfs.stat(found.taker).map { !$0.isGone } ?? false
    }

    /// Every lock of one process, whether it counts or not; waiters aren't looked for.
    static func all(of pid: Int32, until deadline: Int64 = .max) -> [HeldLock] {
        var scan = LockScan(until: deadline)
        scan.look(at: pid)
        return (scan.writes + scan.others).prefix(maximum).map { HeldLock($0, isWaitedFor: false) }.sorted()
    }

    private static func waiters(for scan: LockScan, outside pids: Set<Int32>) -> [LockRange] {
        var file = Descriptor(curfew_open_at(AT_FDCWD, "/proc/locks", O_RDONLY, 0))
        guard file.isOpen else { return [] }
        defer { file.close() }
        return waiters(in: file, for: scan, outside: pids)
    }

    /// Those who wait for the files that `scan` found locked; the text is that of /proc/locks.
    static func waiters(in locks: Descriptor, for scan: LockScan, outside pids: Set<Int32>) -> [LockRange] {
        var waiters: [LockRange] = []
        var file = LockRange.File()
        SmallFile.forEachLine(of: locks) { line in
            guard let row = LockLine(line) else { return true }
            if !row.isWaiter {
                file = row.lock.file
            } else if !pids.contains(row.taker), scan.holds(file) {
                // Who waits for a lease names no file; it is that of the row above.
                var lock = row.lock
                lock.file = file
                waiters.append(lock)
            }
            return waiters.count < maximum * 4
        }
        return waiters
    }
}

extension HeldLock {
    fileprivate init(_ found: LockScan.Found, isWaitedFor: Bool) {
        let path = Procfs.path(of: found.descriptor, in: found.pid) ?? found.lock.file.text
        self.init(
            path: path, kind: found.lock.kind, access: found.lock.access, pid: found.pid, isWaitedFor: isWaitedFor,
            start: found.lock.start, end: found.lock.end)
    }
}

extension [HeldLock] {
    /// By path, then by place in the file, so that two looks at the same are the same.
    fileprivate func sorted() -> [HeldLock] {
        sorted { one, other in
            if one.path != other.path { return one.path < other.path }
            if one.start != other.start { return one.start < other.start }
            if one.kind != other.kind { return one.kind.rawValue < other.kind.rawValue }
            if one.pid != other.pid { return one.pid < other.pid }
            if one.access != other.access { return one.access == .write }
            return one.end ?? .max < other.end ?? .max
        }
    }
}
