/// What the engine has to do, in this order.
public enum Effect: Sendable, Hashable {
    case deliver(AppID, Delivery)
    case reply(RequestID, Reply)
    /// Stop the whole tree; answered by `suspensionConfirmed` or `suspensionPending`. `includingStopped`: what a terminal
    /// has stopped counts as stopped by us.
    case suspend(AppID, includingStopped: Bool)
    /// Look again whether it is stopped: answered as `suspend`, but the last time by `suspensionIncomplete` and
    /// `suspensionPending` if it isn't, and told what hangs.
    case confirmSuspension(AppID, isLast: Bool)
    /// Continue the whole tree; takes effect at once, and voids a suspension not yet confirmed. `includingStopped`: what a
    /// terminal has stopped too. Answered by `connectionTaken` where that was seen until then.
    case resume(AppID, includingStopped: Bool)
    /// The signal that asks for an end, to the whole tree, which runs.
    case terminate(AppID, signal: Int32)
    /// This signal to the whole tree, and SIGCONT; or, without that, to its main process only.
    case signal(AppID, Int32, mainProcessOnly: Bool)
    /// Its time is over: the signal that asks for an end comes next.
    indirect case expire(AppID, KillReport)
    /// SIGKILL to its main process alone; what that has started is spared.
    indirect case killLeader(AppID, KillReport)
    /// SIGKILL to the whole tree; answered by `stillThere`.
    indirect case kill(AppID, KillReport)
    /// Look whether anything is left, and if so SIGKILL again: answered by `treeGone` or `stillThere`. The last time what
    /// is left is only told of, and the answer is `killIncomplete`.
    case killAgain(AppID, isLast: Bool)
    /// The main process is gone: kill what it left behind, or wait for it; answered by `treeGone`, or where something is there
    /// by `stillThere` or `leftBehind`.
    case sweep(AppID, kills: Bool)
    /// The main process is gone: let what it left behind go; answered by `treeGone`.
    case release(AppID)
    indirect case ended(AppID, Ending)
    case stateChanged(AppID, from: LifecycleState, to: LifecycleState)
    /// Answered by `footprintMeasured`.
    case measureFootprint(AppID)
    /// Answered by `cpuTimeMeasured`.
    case measureCPUTime(AppID)
    /// From now on the kernel enforces this; answered by `memoryMarkArmed`, where there is a mark.
    case limitMemory(AppID, MemoryEnforcement)
    /// Answered by `availableMemoryMeasured`.
    case measureAvailableMemory
    /// Answered by `freeDiskMeasured`.
    case measureFreeDisk
    case pressureChanged(PressureLevel, available: UInt64?)
    /// Answered by `locksChecked`.
    case checkLocks(AppID)
    /// Moves the stopped tree's memory to swap, if its footprint is at least so many bytes.
    /// Answered by `pageOutPending` where there is something to move.
    case pageOut(AppID, from: UInt64)
    /// Another piece; answered by `pageOutPending` while there is more.
    case continuePageOut(AppID)
    /// Holds the tree to its share of CPU time; nil: no more.
    case throttle(AppID, CPUPolicy?)
    /// Lets others go first, or no more.
    case setPriority(AppID, isLowered: Bool)
    /// Answered by `tracerChecked`, and by `cpuTimeMeasured` before it where the app `isWatched`.
    case checkTracer(AppID)
    /// Wait for what its stopped processes could read; answered by `inputWatched`, `inputCame` or `ranOn`. Over with `resume` and
    /// its end. `afresh`: what it left unread when it was stopped last counts, too, for it has hardly run since.
    case watchInput(AppID, afresh: Bool)
    case unwatchInput(AppID)
    /// Whether a connection waits there; answered by `inputCame` or `connectionTaken`.
    indirect case lookForConnection(AppID, ListeningSocket)
    /// Answered by `idlenessMeasured`.
    case measureIdleness(AppID)
    case note(AppID, Note)
    /// Another supervisor's app has to leave the front, and counts as home from now on.
    case sendJoinedHome(AppID)
}

/// One event on its way to an app.
public struct Delivery: Sendable, Hashable {
    public var event: Event
    public var sequence: Int
    public var connections: [ConnectionID]
    public var info: [Info]
    public var audience: Audience
    /// The time the app has for it; nil when it has none to keep to.
    public var limit: Span?
    /// The task it is about; only with `backgroundTaskWillExpire`.
    public var task: TaskID?
    /// Only with `didFinishLaunching`.
    public var launch: LaunchDescription?
    /// Only with `didReceiveMemoryWarning`.
    public var level: MemoryWarningLevel?

    /// Who hears of it, besides those who follow the app's history.
    public enum Audience: Sendable, Hashable {
        /// Its connections, the signals of `--on` and the hooks of `--exec-on`.
        case everybody
        case connections
        case hooks
    }

    public init(
        event: Event, sequence: Int, connections: [ConnectionID] = [], info: [Info] = [],
        audience: Audience = .everybody
    ) {
        self.event = event
        self.sequence = sequence
        self.connections = connections
        self.info = info
        self.audience = audience
    }
}

/// How an app was launched, as `didFinishLaunching` tells it.
public struct LaunchDescription: Sendable, Hashable {
    public var inBackground: Bool
    public var wakingEvent: String?
}

/// The answer to a request.
public enum Reply: Sendable, Hashable {
    case state(LifecycleState)
    case taskBegun(TaskID, remaining: Span)
    /// `known` is false when no such task was open: ignored, as UIKit does.
    case taskEnded(TaskID, known: Bool)
    /// Done, and there is nothing more to say.
    case accepted
    case rejected(Rejection)
}

/// Something worth telling whoever follows the app's events.
public enum Note: Sendable, Hashable {
    case taskBegun(TaskID, name: String)
    case taskEnded(TaskID, name: String)
    case taskReleased(TaskID, name: String)
    case unknownTaskEnded(TaskID)
    case unknownAcknowledgement(sequence: Int)
    case acknowledged(Event, sequence: Int)
    case becameAware
    case becamePlain
    case expirationWarning([TaskID])
    case traced(Bool)
    case suspensionIncomplete
    /// A change was posted while it is suspended.
    case changeKept(String)
    case ready
    case stopping
    case timeoutExtended(Span)
    /// It asked for more time with no transition running.
    case nothingToExtend
    case memoryWarning(MemoryWarningLevel)
    /// The background CPU limit was passed, and it isn't killed for it.
    case cpuLimitPassed(used: Span, elapsed: Span)
    /// It was suspended with these.
    case lockedFiles([FileLock])
    /// It was stopped in front, and its input, if any is to wake it, is waited for.
    /// `by`: ends the sentence "put to sleep by …".
    case didSleep(by: String)
    /// `by`: ends the sentence "woken by …". `from`, `to`: of input, where it is known.
    indirect case didWake(by: String, from: String? = nil, to: String? = nil)
    /// How often it wants to be woken; nil: no more.
    case keepAliveChanged(Span?)
    /// It can't sleep, or not be woken by all that should, because of this.
    case keptAwake(String)
}

/// Why an app is killed, and what made it so.
public struct KillReport: Sendable, Hashable {
    public var reason: KillReason
    /// The limit that was passed, when it is a time.
    public var limit: Span?
    /// The time that had passed.
    public var elapsed: Span?
    /// The CPU time used meanwhile, by the whole tree.
    public var cpuTime: Span?
    /// The event that wasn't acknowledged.
    public var event: Event?
    /// The tasks open at that moment, oldest first.
    public var tasks: [TaskAge]
    public var memoryLimit: UInt64?
    public var footprint: UInt64?
    /// What the machine had left of memory, or of disk, in bytes, and how much it should have.
    public var available: UInt64?
    public var availableLimit: UInt64?
    /// The CPU time allowed in `limit`.
    public var cpuLimit: Span?
    /// The locked files it was suspended with.
    public var locks: [FileLock] = []
    /// How often it was resumed.
    public var count: Int?
    /// Somebody has asked for just this one, with no regard to how much memory there is.
    public var isReclaimedByHand = false
    public var state: LifecycleState
    public var isInForeground = false
    public var band = Band.foreground

    init(_ reason: KillReason, state: LifecycleState, tasks: [TaskAge] = []) {
        self.reason = reason
        self.state = state
        self.tasks = tasks
    }
}

/// An open task and how long it has been open.
public struct TaskAge: Sendable, Hashable {
    public var id: TaskID
    public var name: String
    public var age: Span
}

/// How an app's run was over.
public struct Ending: Sendable, Hashable {
    /// Why it was killed; nil when it ended by itself, or in time after `quit`.
    public var kill: KillReport?
    /// How its main process ended; nil when nobody saw it.
    public var leader: ExitOutcome?
    /// The signal we asked it to end with; nil when we didn't.
    public var terminateSignal: Int32?
    public var state: LifecycleState
    /// Only where the time limit is kept as timeout(1) keeps it.
    public var timeout: TimeoutOutcome?
    /// What its main process had left behind was killed, so long after it was asked to end; nil when that wasn't needed.
    public var restKilledAfter: Span?
    /// Whether its main process had left something behind that was asked to end after it, and not with it.
    public var restWasAsked = false
    /// Whether nothing of it is left; false where SIGKILL couldn't end it in time.
    public var isComplete = true

    public enum Status: Sendable, Hashable {
        case exit(Int32)
        /// Die by the same signal: nobody here sent it.
        case raise(signal: Int32)
    }

    /// What `curfew run` or `curfew timeout` ends with. Source: docs/exit-status.md.
    public var status: Status {
        if let timeout { return status(timeout) }
        if let kill { return .exit(kill.reason.exitStatus) }
        switch leader {
        case .exited(let code): return .exit(Int32(code))
        case .signaled(let signal, _) where signal == terminateSignal: return .exit(128 + signal)
        case .signaled(let signal, _): return .raise(signal: signal)
        case nil: return .exit(KillReason.supervisorExit.exitStatus)
        }
    }

    /// As a shell tells it. Source: bash(1), EXIT STATUS.
    public var shellStatus: Int32 {
        switch status {
        case .exit(let code): code
        case .raise(let signal): 128 + signal
        }
    }

    /// As timeout(1) has it, but for what it never kills for. Source: coreutils manual, "timeout invocation".
    private func status(_ timeout: TimeoutOutcome) -> Status {
        if let kill, kill.reason != .timeLimit { return .exit(kill.reason.exitStatus) }
        if timeout.diesOfKill { return .raise(signal: 9) }
        switch leader {
        case .signaled(let signal, _) where !timeout.isExpired: return .raise(signal: signal)
        case .signaled(let signal, _) where signal == 9 || timeout.preservesStatus: return .exit(128 + signal)
        case .exited(let code) where !timeout.isExpired || timeout.preservesStatus: return .exit(Int32(code))
        case .exited, .signaled: return .exit(KillReason.timeLimit.exitStatus)
        case nil: return .exit(KillReason.supervisorExit.exitStatus)
        }
    }
}
