import CCurfew
import Glibc

/// Whose processes the mounted /proc shows.
public enum ProcfsView: Sendable, Hashable {
    /// Those of our own pid namespace, as far as they aren't hidden from this user (`hidepid`).
    case own
    /// Another pid namespace's: each number there is another process's than here.
    case anothers
    /// There is none.
    case missing

    /// Of this process; looked at when it is first asked for, by one system call.
    ///
    /// A /proc names who looks at it by its pid in the namespace that it was mounted in. Source: proc(5), /proc/self.
    public static let current: ProcfsView = withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { room in
        let length = curfew_read_link_at(AT_FDCWD, "/proc/self", room.baseAddress, room.count)
        guard length > 0 else { return .missing }
        return ProcfsView(link: UnsafeRawBufferPointer(rebasing: room[..<Int(length)]), pid: getpid())
    }

    /// `link`: what /proc/self leads to.
    init(link: UnsafeRawBufferPointer, pid: Int32) {
        var index = 0
        let number = link.number(at: &index)
        self = index == link.count && number == UInt64(pid) ? .own : .anothers
    }
}

extension Procfs {
    /// Whether what /proc says of a pid is said of the process that has it here. Where it isn't, nothing is read.
    public static var isOurs: Bool { ProcfsView.current == .own }
}
