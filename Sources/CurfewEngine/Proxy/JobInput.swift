import CurfewCore

/// What has happened that job control may have something to do about.
enum JobInput: Hashable {
    /// The leader was stopped by this signal, or, once it is gone, what it has left in its group.
    case appStopped(by: Int32)
    /// The proxy got a signal, and passed it on. `stops`: how many wishes to stop it had met by then.
    case proxyGot(Int32, from: SignalSender, stops: UInt32)
    /// The proxy has passed on all that it was sent before this question.
    case proxyAnswered(UInt32)
    /// The proxy has continued the supervisor, which somebody had stopped.
    case supervisorContinued
    /// The supervisor itself was sent a signal that asks for an end.
    case supervisorGot(Int32, from: SignalSender)
    /// The proxy was killed.
    case proxyGone
    case stateChanged(from: LifecycleState, to: LifecycleState)
    /// A client has sent the app home.
    case sentHome
    /// Every process of the app is stopped.
    case allStopped
    /// From now on its processes may run.
    case continues

    // What is decided anew, once what stood before it was done.

    /// The app was sent home for a stop by this signal.
    case wentHome(by: Int32)
    /// A key of the terminal has sent this signal.
    case keyPressed(Int32)
}

/// What was so when an input came. Only what that input's decision can depend on has been looked at.
struct JobFacts {
    /// Nil where there is no app any more.
    var state: LifecycleState?
    /// It sleeps where it was, until there is something for it: the proxy stands in for it.
    var isAsleep = false
    /// The proxy has the terminal for it.
    var isTerminalLent = false
    /// It was asked to end, and has some time for that.
    var isTerminating = false
    /// The run is over.
    var hasEnded = false
    /// Curfew's caller had the signal ignored.
    var isIgnored = false
    /// Where the process that has sent the signal stands.
    var side = SignalSender.Side.unknown
    /// The shell has put the proxy in front, and the app is there to be given the terminal.
    var canTakeTerminal = false
    /// Somebody is there to continue a stopped proxy.
    var hasShell = false
    /// It alone hears of the terminal's end.
    var proxyLeadsSession = false
    /// /proc shows the proxy stopped.
    var isProxySeenStopped = false
    /// How much the proxy has passed on that isn't read yet.
    var newsCount = 0
}
