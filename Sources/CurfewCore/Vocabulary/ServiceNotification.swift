/// What a program that speaks sd_notify says of itself. Source: sd_notify(3).
public enum ServiceNotification: Sendable, Hashable {
    /// `READY=1`: its launch is over.
    case ready
    /// `STOPPING=1`: it is ending by itself.
    case stopping
    /// `EXTEND_TIMEOUT_USEC`: the running transition may last at least this much longer.
    case extendTimeout(Span)
    /// `WATCHDOG=1`: a sign of life.
    case alive
    /// `WATCHDOG=trigger`: it has found itself broken.
    case broken
    /// `WATCHDOG_USEC`: how often a sign of life is owed from now on; nil ends it.
    case watchdogInterval(Span?)
}
