import CCurfew
import Glibc

/// What shows that something of an app has run since it was last looked at: it has changed then.
public struct Activity: Sendable, Hashable {
    /// What its threads have run, in nanoseconds; where the kernel doesn't count that, in ticks.
    public private(set) var used: UInt64 = 0
    public private(set) var threads = 0
    /// Whether one was seen running, or waiting for a disk.
    public private(set) var isRunning = false

    public init(used: UInt64 = 0, threads: Int = 0, isRunning: Bool = false) {
        self.used = used
        self.threads = threads
        self.isRunning = isRunning
    }

    fileprivate mutating func add(_ thread: Int32, of pid: Int32) {
        guard let stat = Procfs.stat(pid, thread: thread), !stat.isGone else { return }
        threads += 1
        used &+= Procfs.runNanoseconds(of: pid, thread: thread) ?? stat.cpuTicks
        isRunning = isRunning || stat.state == UInt8(ascii: "R") || stat.state == UInt8(ascii: "D")
    }
}

extension ProcessTree {
    public var activity: Activity {
        var activity = Activity()
        for pid in processes() { Procfs.forEachThread(of: pid) { activity.add($0, of: pid) } }
        return activity
    }
}

extension Procfs {
    /// The time a thread has run; nil where nobody counts it. Source: kernel, Documentation/scheduler/sched-stats.rst,
    /// /proc/PID/schedstat.
    static func runNanoseconds(of pid: Int32, thread: Int32) -> UInt64? {
        withPath(pid, "/task/") { path -> UInt64? in
            appendNumber(thread, to: path)
            strcat(path, "/schedstat")
            return SmallFile.withContents(of: String(cString: path)) { (bytes) -> UInt64? in
                var index = 0
                return bytes.number(at: &index)
            } ?? nil
        }
    }
}
