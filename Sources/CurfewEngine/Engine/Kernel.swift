import CurfewCore
import CurfewLinux

/// What the engine asks of the machine for its apps; a fake one in the tests fails on demand.
///
/// Nothing here throws: what fails shows in what is asked next, and the core decides what it means.
public protocol Kernel: AnyObject {
    var now: Instant { get }
    /// Stops the tree; true once every process is known to be stopped.
    func suspend(_ app: AppID, includingStopped: Bool) -> Bool
    func confirmSuspension(_ app: AppID) -> Bool
    /// Whether not every process was told to stop and looked at yet: of very many, `confirmSuspension` has more in turns.
    func isStopping(_ app: AppID) -> Bool
    /// What isn't stopped yet, and why.
    func pendingSuspension(_ app: AppID) -> [PendingProcess]
    /// Continues what `suspend` has stopped. Returns the listening sockets at which somebody else has accepted meanwhile, as
    /// far as was seen.
    ///
    /// `sending`: a signal that every process has by then, but for some of very many; what a terminal has stopped is continued
    /// for it too, as by `signal`.
    func resume(_ app: AppID, sending signal: Int32?) -> [ListeningSocket]
    /// Continues what a terminal has stopped, when the app isn't suspended.
    func continueAfterTerminalStop(_ app: AppID)
    /// This signal, and SIGCONT, to every process; or, alone, to the main process.
    func signal(_ app: AppID, _ signal: Int32, mainProcessOnly: Bool)
    /// Lets every process of it go, back to where we are ourselves.
    func release(_ app: AppID)
    /// One round of SIGKILL; asked again until `isGone`.
    func kill(_ app: AppID)
    /// Whether no process of the app is left.
    func isGone(_ app: AppID) -> Bool
    /// What SIGKILL hasn't ended.
    func survivors(_ app: AppID) -> [PendingProcess]
    /// In bytes; exact where it comes near `limit`.
    func footprint(_ app: AppID, limit: UInt64?) -> UInt64
    /// Has the kernel enforce this from now on; true when it will tell of the mark, if there is one.
    func limitMemory(of app: AppID, _ enforcement: MemoryEnforcement) -> Bool
    /// What is left of the machine's memory, in bytes.
    func availableMemory() -> UInt64
    /// What is free on the file system that is watched, in bytes.
    func freeDisk() -> UInt64
    /// What its processes hold, of locks that count; nil: there are more to look at, to be asked for again.
    ///
    /// `anew`: what was seen so far doesn't count any more.
    func locks(of app: AppID, anew: Bool) -> [FileLock]?
    /// Begins to move a stopped app's memory to swap; false where its footprint isn't that large, or nothing can be done.
    func beginPageOut(_ app: AppID, from threshold: UInt64) -> Bool
    /// Moves some more of it; nil while there is more. Resumed, it is over.
    func continuePageOut(_ app: AppID) -> PageOutResult?
    /// Holds it to its share of CPU time; nil: no more.
    func throttle(_ app: AppID, _ limits: CPUPolicy?)
    func setPriority(of app: AppID, isLowered: Bool)
    func isTraced(_ app: AppID) -> Bool
    /// Begins to wait for what its stopped processes could read, or goes on to.
    /// `afresh`: what it left unread when it was stopped last counts, too.
    func watchInput(_ app: AppID, afresh: Bool) -> InputWatching
    func unwatchInput(_ app: AppID)
    /// What waits there of what came to a stopped app; nil for nothing.
    func connection(to app: AppID, at socket: ListeningSocket) -> InputNews?
    /// `sinceLast`: `named` compares it with the last sample; else with what that one was compared with.
    func idleSample(of app: AppID, sinceLast: Bool) -> IdleSample
    /// The last sample with who has done the most of it.
    func named(_ sample: IdleSample, of app: AppID) -> IdleSample
    /// Whether something of it, which is stopped, has run since that look and hadn't come to rest: it can have read what came,
    /// and not have answered.
    func hasRunSinceLook(_ app: AppID) -> Bool
    /// Of all that has run in it, as far as that can be known.
    func cpuMicroseconds(of app: AppID) -> UInt64
    /// Whether of what it was told it hasn't done all yet: a signal to very many takes more turns than one, and so does closing
    /// very many descriptors.
    var isAtWork: Bool { get }
    /// One turn more of that.
    func goOn()
}

/// Whoever passes on what the engine has to say: to clients, the terminal, the report.
public protocol EngineHost: AnyObject {
    func deliver(_ delivery: Delivery, to app: AppID)
    func reply(_ reply: Reply, to request: RequestID)
    func record(_ record: EventRecord, of app: AppID)
    /// It is about to be killed, or signalled to end: the last moment to look at its processes.
    func willEnd(_ app: AppID, _ report: KillReport)
    /// SIGKILL, the time limit's signal or one that the supervisor was sent is about to be sent to it.
    func willSignal(_ app: AppID, _ signal: Int32)
    func pressureChanged(to level: PressureLevel, available: UInt64?)
    func stateChanged(_ app: AppID, from: LifecycleState, to: LifecycleState)
    func ended(_ app: AppID, _ ending: Ending)
    /// An app that another supervisor holds has left the front here; that one is to send it home.
    func sendJoinedHome(_ app: AppID)
}

extension EngineHost {
    /// Where no app takes part but those that are held.
    public func sendJoinedHome(_ app: AppID) {}
}
