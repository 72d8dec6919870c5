import CCurfew
import Glibc

/// What one process was doing, for a report.
///
/// Its parts are read one after the other, and so are of one moment only when the process is stopped.
public struct ProcessSnapshot: Sendable, Hashable {
    public var pid: Int32
    public var parent: Int32
    /// The kernel's name for it, at most 15 bytes.
    public var name: String
    /// The first 4,096 bytes of it; empty for one that has none, or that may not be looked at.
    public var commandLine: [String]
    /// R, S, D, T (stopped), t (held by a tracer).
    public var state: UInt8
    /// The kernel's function that it waits in; nil if that isn't told.
    public var waitChannel: String?
    /// In bytes: anonymous, shared and swapped, pages shared with others in full; nil where it isn't told.
    ///
    /// From /proc/PID/status: the proportional figures take 11 ms at 1 GiB.
    public var footprint: UInt64?
    /// In steps of the kernel's clock tick, 10 ms as a rule.
    public var cpuMicroseconds: UInt64
    /// How many it has open; nil where it isn't told.
    public var descriptors: Int?
    /// All of them, at most 64; who waits for them isn't looked for, which takes too long. Filled by `take`.
    public var locks: [HeldLock] = []

    /// Nil once the process is gone; a zombie is. About 30 µs. Its locks aren't looked at.
    ///
    /// `includingKilled`: a zombie that SIGKILL has ended isn't; of it little more than its name is left.
    public init?(of pid: Int32, includingKilled: Bool = false) {
        guard let stat = Procfs.stat(pid), !stat.isGone || includingKilled && Procfs.wasKilled(pid),
            let name = Procfs.commandName(pid)
        else { return nil }
        self.pid = pid
        self.name = name
        parent = stat.parent
        state = stat.state
        cpuMicroseconds = stat.cpuTicks &* 1_000_000 / UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
        commandLine = Procfs.commandLine(pid) ?? []
        waitChannel = Procfs.waitChannel(pid)
        footprint = Procfs.footprint(pid)
        descriptors = Procfs.descriptorCount(pid)
    }

    /// The first so many are put in order; a measure takes 1 µs.
    private static let mostOrdered = 100

    /// Those with the most anonymous memory resident first, the rest as they were; beyond 100 as they were too.
    public static func largestFirst(_ pids: [Int32]) -> [Int32] {
        let measured = pids.prefix(mostOrdered).enumerated().map { index, pid in
            (pid: pid, size: Procfs.anonymousResident(pid)?.anonymous ?? 0, index: index)
        }
        return measured.sorted { ($1.size, $0.index) < ($0.size, $1.index) }.map(\.pid) + pids.dropFirst(mostOrdered)
    }

    /// As many as can be looked at in `microseconds`, in the order given, but one; the rest is counted.
    ///
    /// Their locks come last: once time is over, those looked for are the ones found so far.
    public static func take(
        of pids: [Int32], within microseconds: Int64, includingKilled: Bool = false
    ) -> (processes: [ProcessSnapshot], omitted: Int) {
        take(
            of: pids, within: microseconds, includingKilled: includingKilled, clock: curfew_monotonic_nanoseconds)
    }

    /// `clock`: the kernel's, but in tests.
    static func take(
        of pids: [Int32], within microseconds: Int64, includingKilled: Bool = false, clock: () -> Int64
    ) -> (processes: [ProcessSnapshot], omitted: Int) {
        let now = clock()
        let (length, overflows) = max(0, microseconds).multipliedReportingOverflow(by: 1_000)
        let deadline = overflows || length > .max - now ? Int64.max : now + length
        var processes: [ProcessSnapshot] = []
        for (index, pid) in pids.enumerated() {
            // One at least, however long we weren't let run.
            if index > 0, clock() >= deadline { return (processes, pids.count - index) }
            if let process = ProcessSnapshot(of: pid, includingKilled: includingKilled) { processes.append(process) }
        }
        for index in processes.indices where clock() < deadline {
            processes[index].locks = FileLocks.all(of: processes[index].pid, until: deadline)
        }
        return (processes, 0)
    }
}
