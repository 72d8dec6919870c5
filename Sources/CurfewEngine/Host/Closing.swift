import CurfewCore
import Glibc

/// Does the last things of a run: whoever holds the app. One in the tests writes them down.
protocol ClosingHost: AnyObject {
    /// Nil where the run isn't over by itself.
    var ending: Ending? { get }
    /// The proxy was killed, and the app is with it.
    var isAbandoned: Bool { get }
    /// The group that the proxy leads and the app is in, under `curfew timeout`.
    var proxyGroup: Int32? { get }
    /// Whether of what the app was sent not all has been sent yet.
    var isAtWork: Bool { get }
    /// Sends some more of that.
    func goOn()
    func removeSocket()
    func giveTerminalBack()
    /// To people, and in reports.
    func tell(_ ending: Ending)
    func tellWithoutProxy()
    func closeChannel()
    /// Waits for those that run.
    func finishHooks()
    /// What is left of sweeping away what dead supervisors have left.
    func finishSweep()
}

/// The last things of a run, in order.
struct Closing {
    let host: any ClosingHost

    /// How the supervisor ends.
    struct Exit: Hashable {
        var code: Int32
        /// What the proxy dies of; nil: it ends with the code.
        var proxySignal: Int32?
        /// This group is killed before.
        var killedGroup: Int32?
    }

    /// All but the exit itself.
    func finish() -> Exit {
        host.removeSocket()
        if host.isAbandoned {
            host.tellWithoutProxy()
            return Exit(code: 125)
        }
        host.giveTerminalBack()
        // What was sent to all goes to all, however short the run is.
        while host.isAtWork { host.goOn() }
        if let ending = host.ending { host.tell(ending) }
        // A hook may wait for the channel's end itself, as `curfew quit` does.
        host.closeChannel()
        host.finishHooks()
        // Not left to the next start: of runs that are all short none would come further than to the moment that a keeper is given.
        // All of it goes on while the app runs, so that most find nothing left here; it costs no run more than at its start.
        host.finishSweep()
        return exit
    }

    /// The proxy ends as this process does, or dies of the signal it finds.
    private var exit: Exit {
        switch host.ending?.status {
        case .exit(let code): return Exit(code: code)
        case .raise(let signal):
            // The proxy, and whoever else is in its group, as timeout(1) does it.
            return Exit(code: 0, proxySignal: signal, killedGroup: signal == SIGKILL ? host.proxyGroup : nil)
        case nil: return Exit(code: 125)
        }
    }
}
