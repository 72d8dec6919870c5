import CCurfew
import Glibc

/// What waitid(2) tells of a child.
public struct ChildReport: Sendable, Hashable {
    public enum Change: Sendable, Hashable {
        case exited(code: UInt8)
        case killed(signal: Int32, dumpedCore: Bool)
        case stopped(signal: Int32)
        case continued
    }
    public var pid: Int32
    public var change: Change
    public var cpuMicroseconds: Int64

    public init(pid: Int32, change: Change, cpuMicroseconds: Int64) {
        self.pid = pid
        self.change = change
        self.cpuMicroseconds = cpuMicroseconds
    }
}

/// Waiting for children without blocking.
public enum Reaping {
    public enum Result: Sendable, Hashable {
        case report(ChildReport)
        /// Children there are, with nothing to tell.
        case nothing
        case noChildren
    }

    /// For which child, and whether it is gone then.
    public enum Way: Sendable, Hashable {
        /// Reaps one that has ended. As a subreaper we get orphans we never heard of, so all are waited for.
        case reapAny
        /// Tells of one that has ended, and leaves it there.
        case look
        case reap(Int32)
    }

    /// A child that has ended.
    public static func wait(_ way: Way) -> Result {
        switch way {
        case .reapAny: wait(P_ALL, 0, WEXITED | WNOHANG)
        case .look: wait(P_ALL, 0, WEXITED | WNOHANG | WNOWAIT)
        case .reap(let pid): wait(P_PID, pid, WEXITED | WNOHANG)
        }
    }

    /// Whether any child is left, without reaping.
    public static func hasChildren() -> Bool { wait(P_ALL, 0, WEXITED | WNOHANG | WNOWAIT) != .noChildren }

    /// Whether that is a child of ours that isn't reaped, so that its pid is nobody else's.
    public static func isChild(_ pid: Int32) -> Bool { wait(P_PID, pid, WEXITED | WNOHANG | WNOWAIT) != .noChildren }

    /// Whether a child of ours, ended or not, is in that process group, so that its number is no stranger's.
    public static func hasChild(inGroup group: Int32) -> Bool {
        wait(P_PGID, group, WEXITED | WNOHANG | WNOWAIT) != .noChildren
    }

    /// A stop of that child since the last time.
    public static func stopReport(of pid: Int32) -> ChildReport? {
        if case .report(let report) = wait(P_PID, pid, WSTOPPED | WNOHANG) { return report }
        return nil
    }

    /// A stop of a child in that process group since the last time.
    public static func stopReport(inGroup group: Int32) -> ChildReport? {
        if case .report(let report) = wait(P_PGID, group, WSTOPPED | WNOHANG) { return report }
        return nil
    }

    private static func wait(_ type: idtype_t, _ id: Int32, _ options: Int32) -> Result {
        var info = curfew_wait_info()
        let status = curfew_waitid(Int32(type.rawValue), id, options, &info)
        if status < 0 { return .noChildren }
        if info.pid == 0 { return .nothing }
        return .report(
            ChildReport(pid: info.pid, change: change(info), cpuMicroseconds: info.cpu_microseconds))
    }

    /// A child that was stopped since the last time, whichever; nil: none was.
    public static func nextStopped() -> Int32? {
        if case .report(let report) = wait(P_ALL, 0, WSTOPPED | WNOHANG) { return report.pid }
        return nil
    }

    private static func change(_ info: curfew_wait_info) -> ChildReport.Change {
        switch Int(info.code) {
        case Int(CLD_KILLED): .killed(signal: info.status, dumpedCore: false)
        case Int(CLD_DUMPED): .killed(signal: info.status, dumpedCore: true)
        case Int(CLD_STOPPED), Int(CLD_TRAPPED): .stopped(signal: info.status)
        case Int(CLD_CONTINUED): .continued
        default: .exited(code: UInt8(truncatingIfNeeded: info.status))
        }
    }
}

extension ChildReport.Change {
    /// Of an end, as waitid(2) has it; nil for what is none.
    init?(endCode code: Int32, status: Int32) {
        switch Int(code) {
        case Int(CLD_EXITED): self = .exited(code: UInt8(truncatingIfNeeded: status))
        case Int(CLD_KILLED): self = .killed(signal: status, dumpedCore: false)
        case Int(CLD_DUMPED): self = .killed(signal: status, dumpedCore: true)
        default: return nil
        }
    }
}
