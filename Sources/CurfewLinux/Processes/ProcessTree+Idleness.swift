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
}

extension ProcessTree {
    /// Sums over processes: 30 µs each.
    public var work: TreeWork {
        var work = TreeWork()
        for pid in processes() {
            guard let stat = Procfs.stat(pid), !stat.isGone else { continue }
            work.written &+= Procfs.bytesWritten(by: pid) ?? 0
            // Order doesn't matter, and a pid that came back is another process.
            work.processes &+= (UInt64(pid) &* 0x9E37_79B9_7F4A_7C15) ^ (stat.startTime &* 0xC2B2_AE3D_27D4_EB4F)
            if work.waiting == nil { work.waiting = Self.waiting(pid, stat) }
        }
        return work
    }

    /// For a file lock by where in the kernel it sleeps: reading /proc/locks takes 5 to 15 ms.
    ///
    /// Source: kernel, fs/locks.c, posix_lock_inode_wait(), flock_lock_inode_wait(), do_lock_file_wait().
    private static func waiting(_ pid: Int32, _ stat: Procfs.Stat) -> String? {
        if stat.state == UInt8(ascii: "R") { return "\(Procfs.commandName(pid) ?? "?") (\(pid)) runs" }
        let isAtDisk = stat.state == UInt8(ascii: "D")
        guard isAtDisk || waitsForLock(pid) else { return nil }
        return "\(Procfs.commandName(pid) ?? "?") (\(pid)) waits for a \(isAtDisk ? "disk" : "file lock")"
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
