import CCurfew
import Glibc

/// The process that the caller waits for: it passes signals on, stops with its job, and ends as the app did.
///
/// It is split off before Swift's runtime starts, in Sources/curfew/main.c, and comes here only to keep: when its
/// child, the supervisor, was killed. The proxy's death in turn is told to the supervisor by a parent-death signal.
public enum Proxy {
    /// Dies of a signal the app died of, so that shells see it; with cores off, for the app has left one.
    static func raise(_ signal: Int32) -> Never {
        _ = curfew_disable_core_dumps()
        _ = curfew_signal_default(signal)
        _ = curfew_set_signal_mask(0, nil)
        _ = curfew_kill(getpid(), signal)
        curfew_exit(128 + signal)
    }
}
