import CCurfew
import Glibc

/// Stopping by SIGTSTP, as the shell expects it of a program that has something to do first.
enum StopSignal {
    /// Returns once this process is continued; at once where nobody could continue it, for then the kernel stops nobody.
    /// Source: setpgid(2), "orphaned process group".
    ///
    /// `mask`: what is blocked, SIGTSTP among it, before and afterwards; all but that meanwhile.
    static func stop(blocking mask: UInt64) {
        _ = Glibc.signal(SIGTSTP, SIG_DFL)
        _ = curfew_kill(getpid(), SIGTSTP)
        _ = curfew_set_signal_mask(mask & ~SignalSet.mask([SIGTSTP]), nil)
        _ = curfew_set_signal_mask(mask, nil)
    }

    /// Stops while this process is in the background of its terminal, as what writes there should; begun by `&`, or continued by
    /// `bg`. Source: tcdrain(3p): SIGTTOU; it changes nothing, as others do that the kernel stops so.
    ///
    /// `mask`: what is blocked, SIGTTOU among it, before and afterwards.
    static func awaitForeground(blocking mask: UInt64) {
        _ = Glibc.signal(SIGTTOU, SIG_DFL)
        _ = curfew_set_signal_mask(mask & ~SignalSet.mask([SIGTTOU]), nil)
        _ = tcdrain(0)
        _ = curfew_set_signal_mask(mask, nil)
    }
}
