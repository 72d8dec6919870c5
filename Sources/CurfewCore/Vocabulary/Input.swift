/// Everything the core can be told; inputs arrive in the order of time.
public enum Input: Sendable, Hashable {
    /// A new app, before its program runs.
    indirect case launch(AppID, Policy, LaunchOptions)
    /// The program has been executed: every limit that counts from its start counts from now.
    case started(AppID)
    /// Its leader has ended.
    case leaderExited(AppID, ExitOutcome)
    /// Some of its processes are still there after that.
    case leftBehind(AppID)
    /// No process of the app is left.
    case treeGone(AppID)
    /// It was sent SIGKILL, and some of it may still be there.
    case stillThere(AppID)
    /// What SIGKILL couldn't end in time is left to itself; the app is over all the same.
    case killIncomplete(AppID)

    /// The app leaves the foreground. `stopped`: a terminal has already stopped it.
    case home(AppID, stopped: Bool, request: RequestID?)
    case open(AppID, request: RequestID?)
    /// A terminal has stopped the leader of an app that isn't in front.
    case stoppedByTerminal(AppID)
    case quit(AppID, request: RequestID?)
    /// The supervisor was sent a signal that is for the app too. `isHeard`: a terminal has sent it to both.
    case signalled(AppID, Int32, isHeard: Bool)
    /// Whoever waited for its end was killed.
    case abandoned(AppID)
    case interrupt(AppID, request: RequestID?)
    case dismiss(AppID, request: RequestID?)
    /// An aspect of the app's world has changed.
    case post(AppID, PostedEvent, request: RequestID?)
    /// Something the app is resumed for, in background.
    case wake(AppID, PostedEvent, request: RequestID?)
    /// A memory warning by hand.
    case warn(AppID, MemoryWarningLevel, request: RequestID?)

    case hello(AppID, ConnectionID)
    case disconnected(AppID, ConnectionID)
    case acknowledge(AppID, sequence: Int)
    case beginTask(AppID, name: String, owner: OwnerID, connection: ConnectionID?, request: RequestID)
    case endTask(AppID, TaskID, request: RequestID)
    case ownerExited(AppID, OwnerID)
    /// A process of the app has spoken sd_notify.
    case notified(AppID, Notification)

    /// Every process of the app is known to be stopped.
    case suspensionConfirmed(AppID)
    /// Some process isn't seen stopped yet.
    case suspensionPending(AppID)
    /// Some process couldn't be seen stopped in time; the app counts as suspended all the same.
    case suspensionIncomplete(AppID)
    case footprintMeasured(AppID, bytes: UInt64)
    /// There is more of its memory to move to swap.
    case pageOutPending(AppID)
    /// The kernel refused memory over the limit, or killed for it. `bytes`: the peak it saw.
    case memoryLimitHit(AppID, bytes: UInt64)
    /// What `limitMemory` asked to be told of has come near.
    case memoryMarkReached(AppID, bytes: UInt64)
    /// Whether the kernel will tell of that.
    case memoryMarkArmed(AppID, Bool)
    /// What its stopped processes hold, of locks that count; empty for none.
    case locksChecked(AppID, [FileLock])
    case tracerChecked(AppID, isTraced: Bool)
    /// The CPU time its tree has used since its start.
    case cpuTimeMeasured(AppID, Span)

    /// The machine's memory is to be watched: short of it below `low` bytes; warned of for `sustained`, idle apps go.
    /// `isToldOfStalls`: somebody tells when processes wait for memory.
    indirect case watchMemory(low: UInt64, sustained: Span, isToldOfStalls: Bool)
    /// In bytes; `isStalling`: processes have just waited for memory.
    case availableMemoryMeasured(UInt64, isStalling: Bool)
    /// The disk is to be watched: too full with less than `low` bytes free.
    case watchDisk(low: UInt64)
    case freeDiskMeasured(UInt64)

    /// Time has passed; nothing else has happened.
    case tick
}
