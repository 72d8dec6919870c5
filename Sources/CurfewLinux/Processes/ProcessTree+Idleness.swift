import CCurfew
import Glibc

/// What a tree has done since its start, besides its CPU time, and what its processes wait for now.
public struct TreeWork: Sendable, Hashable {
    /// Bytes written, to whatever it was.
    public fileprivate(set) var written: UInt64 = 0
    /// Another number, as good as surely, when a process was born or has gone.
    public fileprivate(set) var processes: UInt64 = 0
    /// One that runs, or waits for a processor, a disk or a file lock, in words; nil for none.
    public fileprivate(set) var waiting: String?
    fileprivate var each: [ProcessWork] = []
}

/// What one process has done since its start.
private struct ProcessWork: Sendable, Hashable {
    let pid: Int32
    /// With the pid it names one process for ever.
    let startTime: UInt64
    let cpuTicks: UInt64
    let written: UInt64
}

/// Who has done the most between two looks, each as `python3 (4711)`; nil where nobody was seen to.
public struct MostWork: Sendable {
    public fileprivate(set) var busiest: (process: String, nanoseconds: UInt64)?
    public fileprivate(set) var writer: (process: String, bytes: UInt64)?
    /// One that was born meanwhile.
    public fileprivate(set) var newcomer: String?
}

extension TreeWork {
    /// By names that are looked up now: 10 µs for each that is told.
    public func most(since earlier: TreeWork) -> MostWork {
        let before = Dictionary(earlier.each.map { ($0.pid, $0) }, uniquingKeysWith: { first, _ in first })
        var most = MostWork()
        var busiest: (pid: Int32, ticks: UInt64) = (0, 0)
        var writer: (pid: Int32, bytes: UInt64) = (0, 0)
        for process in each {
            guard let past = before[process.pid], past.startTime == process.startTime else {
                if most.newcomer == nil { most.newcomer = Procfs.label(process.pid) }
                continue
            }
            let ticks = process.cpuTicks - min(process.cpuTicks, past.cpuTicks)
            let bytes = process.written - min(process.written, past.written)
            if ticks > busiest.ticks { busiest = (process.pid, ticks) }
            if bytes > writer.bytes { writer = (process.pid, bytes) }
        }
        if busiest.ticks > 0 {
            let tick = 1_000_000_000 / UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
            most.busiest = (Procfs.label(busiest.pid), busiest.ticks * tick)
        }
        if writer.bytes > 0 { most.writer = (Procfs.label(writer.pid), writer.bytes) }
        return most
    }
}

extension ProcessTree {
    /// Sums over processes: 30 µs each.
    public var work: TreeWork { Self.work(of: processes()) }

    static func work(of pids: [Int32]) -> TreeWork {
        var work = TreeWork()
        for pid in pids {
            guard let stat = Procfs.stat(pid), !stat.isGone else { continue }
            let written = Procfs.bytesWritten(by: pid) ?? 0
            work.written &+= written
            work.each.append(
                ProcessWork(pid: pid, startTime: stat.startTime, cpuTicks: stat.cpuTicks, written: written))
            // Order doesn't matter, and a pid that came back is another process.
            work.processes &+= (UInt64(pid) &* 0x9E37_79B9_7F4A_7C15) ^ (stat.startTime &* 0xC2B2_AE3D_27D4_EB4F)
            if work.waiting == nil { work.waiting = waiting(pid, stat) }
        }
        return work
    }

    /// For a file lock by where in the kernel it sleeps: reading /proc/locks takes 5 to 15 ms.
    ///
    /// Source: kernel, fs/locks.c, posix_lock_inode_wait(), flock_lock_inode_wait(), do_lock_file_wait().
    private static func waiting(_ pid: Int32, _ stat: Procfs.Stat) -> String? {
        if stat.state == UInt8(ascii: "R") { return Procfs.label(pid) + " runs" }
        let isAtDisk = stat.state == UInt8(ascii: "D")
        guard isAtDisk || waitsForLock(pid) else { return nil }
        return Procfs.label(pid) + " waits for a " + (isAtDisk ? "disk" : "file lock")
    }

    private static func waitsForLock(_ pid: Int32) -> Bool {
        ["locks_lock_inode_wait", "posix_lock_inode_wait", "flock_lock_inode_wait", "do_lock_file_wait", "fcntl_setlk"]
            .contains(Procfs.waitChannel(pid) ?? "")
    }

    /// Whether a thread of one runs, or would if it had a processor or a disk.
    public var hasRunnable: Bool {
        var isAtWork = false
        for pid in processes() where !isAtWork {
            Procfs.forEachThread(of: pid) { thread in
                guard !isAtWork, let state = Procfs.stat(pid, thread: thread)?.state else { return }
                isAtWork = state == UInt8(ascii: "R") || state == UInt8(ascii: "D")
            }
        }
        return isAtWork
    }

    /// One that has such a signal pending, and may be stopped, so that it can't have heeded it. `signals`: bit n-1 is signal n.
    ///
    /// Source: proc_pid_status(5), SigPnd and ShdPnd.
    public func hasPending(_ signals: UInt64) -> Bool {
        processes().contains { Procfs.pendingSignals(of: $0) & signals != 0 }
    }
}

extension Procfs {
    /// Nil where it may not be looked at. Source: proc_pid_io(5), wchar.
    static func bytesWritten(by pid: Int32) -> UInt64? {
        withPath(pid, "/io") { path in
            SmallFile.withContents(of: String(cString: path)) { $0.number(after: "wchar:") } ?? nil
        }
    }

    /// Of the process and of its first thread, without what they have blocked: bit n-1 is signal n; none where it can't be
    /// read.
    static func pendingSignals(of pid: Int32) -> UInt64 {
        let pending = withPath(pid, "/status") { path in
            SmallFile.withContents(of: String(cString: path)) { text -> UInt64 in
                let pending = (text.hexadecimal(after: "SigPnd:") ?? 0) | (text.hexadecimal(after: "ShdPnd:") ?? 0)
                return pending & ~(text.hexadecimal(after: "SigBlk:") ?? 0)
            }
        }
        return pending ?? 0
    }
}
