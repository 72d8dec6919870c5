/// What the core can be told of one app.
public enum AppInput: Sendable, Hashable {
    /// A new app, before its program runs.
    indirect case launch(Policy, LaunchOptions)
    /// The program has been executed: every limit that counts from its start counts from now.
    case started
    /// Its main process has ended: the one that it has named, or else its leader.
    case leaderExited(ExitOutcome)
    /// Some of its processes are still there after that.
    case leftBehind
    /// Its reaper was killed, and its processes can't be told from other apps' any more.
    case reaperLost
    /// No process of the app is left.
    case treeGone
    /// It was sent SIGKILL, and some of it may still be there.
    case stillThere
    /// What SIGKILL couldn't end in time is left to itself; the app is over all the same.
    case killIncomplete

    /// The app leaves the foreground. `stopped`: a terminal has already stopped it.
    case home(stopped: Bool, request: RequestID?)
    case open(request: RequestID?)
    /// A terminal has stopped the leader of an app that isn't in front.
    case stoppedByTerminal
    case quit(request: RequestID?)
    /// It is to be stopped where it is, until it is needed. `stays`: until it is opened.
    case sleep(stays: Bool, request: RequestID?)
    /// While it is suspended, ended as if memory were short.
    case reclaim(request: RequestID?)
    /// The supervisor was sent a signal that is for the app too. `isHeard`: a terminal has sent it to both.
    case signalled(Int32, isHeard: Bool)
    /// Whoever waited for its end was killed.
    case abandoned
    case interrupt(request: RequestID?)
    case dismiss(request: RequestID?)
    /// An aspect of the app's world has changed.
    case post(PostedEvent, request: RequestID?)
    /// Something the app is resumed for, in background.
    case wake(PostedEvent, request: RequestID?)
    /// What it was woken for by a request of its own has to end: the machine is needed, or somebody tries what it does then.
    case expire
    /// A memory warning by hand.
    case warn(MemoryWarningLevel, request: RequestID?)

    case hello(ConnectionID)
    case disconnected(ConnectionID)
    case acknowledge(sequence: Int)
    case beginTask(name: String, owner: OwnerID, connection: ConnectionID?, request: RequestID)
    case endTask(TaskID, request: RequestID)
    case ownerExited(OwnerID)
    /// It asks to be woken whenever so much time has passed; nil: no more.
    case keepAlive(Span?, request: RequestID)
    /// A process of the app has spoken sd_notify.
    case notified(ServiceNotification)

    /// Every process of the app is known to be stopped.
    case suspensionConfirmed
    /// Some process isn't seen stopped yet. After `suspensionIncomplete`: it is to be looked at again, now and then.
    case suspensionPending
    /// Some process couldn't be seen stopped in time; the app counts as suspended all the same.
    case suspensionIncomplete
    case footprintMeasured(bytes: UInt64)
    /// There is more of its memory to move to swap.
    case pageOutPending
    /// The kernel refused memory over the limit, or killed for it. `bytes`: the peak it saw.
    case memoryLimitHit(bytes: UInt64)
    /// What `limitMemory` asked to be told of has come near.
    case memoryMarkReached(bytes: UInt64)
    /// Whether the kernel will tell of that.
    case memoryMarkArmed(Bool)
    /// Its input is waited for; `obstacle`: what of it can't be, or keeps it awake.
    case inputWatched(obstacle: String?)
    /// Found idle and stopped for it, it had done something in between; told in place of `inputWatched`.
    case ranOn
    /// There is something for it to read, or to accept.
    indirect case inputCame(InputNews)
    /// A connection has come to a listening socket by which it isn't woken at once.
    indirect case connectionWaits(ListeningSocket)
    /// Somebody else has accepted one there, while all of it was stopped.
    indirect case connectionTaken(ListeningSocket)
    indirect case idlenessMeasured(IdleSample)
    /// What its stopped processes hold, of locks that count; empty for none.
    case locksChecked([FileLock])
    case tracerChecked(isTraced: Bool)
    /// The CPU time its tree has used since its start.
    case cpuTimeMeasured(Span)
}
