import CCurfew
import Glibc

/// Who has sent a signal, as far as the kernel vouches for it.
///
/// With a negative code, as sigqueue(3) has, the sender writes the pid itself; kill(2) and tgkill(2) can't.
/// Source: rt_sigqueueinfo(2); kernel, kernel/signal.c, do_rt_sigqueueinfo.
enum SignalSender: Hashable {
    /// A key, the end of a terminal, an orphaned process group.
    case kernel
    case process(Int32)
    case unknown

    /// On which side of an app a sender is; of one that has ended since that can't be told.
    enum Side {
        case outside, inside, unknown
    }

    init(code: Int32, pid: Int32) {
        switch code {
        case Int32(SI_KERNEL): self = .kernel
        // 0: of another pid namespace, or one whose siginfo found no room.
        case Int32(SI_USER), Int32(SI_TKILL): self = pid > 0 ? .process(pid) : .unknown
        default: self = .unknown
        }
    }

    /// The process's, where it is one that is known.
    var pid: Int32? {
        if case .process(let pid) = self { pid } else { nil }
    }
}
