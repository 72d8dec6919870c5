/// The numbers an app is held to; durations already divided by `--time-scale`.
public struct Policy: Sendable, Hashable {
    /// Time in background while background tasks are open; one clock per app.
    public var backgroundBudget: Span
    /// How long before the budget's end `backgroundTaskWillExpire` is delivered.
    public var expirationLead: Span
    /// Time to acknowledge `didEnterBackground`.
    public var enterBackgroundLimit: Span
    /// Time to end after `willTerminate`, or SIGTERM for a plain app.
    public var terminateLimit: Span
    /// Time to say `hello` (if `aware`) and to acknowledge `didFinishLaunching`.
    public var launchLimit: Span
    /// Time for a waking event; also what a plain app launched into background gets without `grace`.
    public var wakeLimit: Span
    /// The same for what an app has asked to do while nobody needs the machine.
    public var processingLimit: Span
    /// The least an app may ask for of keep-alive; nil: it can't have any.
    public var keepAliveMinimum: Span?
    /// How long a plain app runs on after home before it is stopped; nil: not at all.
    public var grace: Span?
    /// The same for one whose handlers of home must get to run, where `grace` doesn't say otherwise.
    public var handlerGrace: Span?
    /// The whole run's limit, from the program's start; infinite when there is none.
    public var timeLimit: Span = .infinite
    /// How that limit is kept; nil: by SIGKILL at once.
    public var timeout: TimeoutPolicy?
    /// What its footprint may be, and who watches it; nil when there is no limit.
    public var memory: MemoryPolicy?
    /// The CPU time it may use in background; nil: any.
    public var backgroundCPU: CPUPolicy?
    /// What becomes of locked files at suspension.
    public var locks = LockPolicy.report
    /// How long a suspension waits for locks to be let go, with `LockPolicy.defer`.
    public var lockWait = Policy.defaultLockWait
    /// How soon, and from which footprint on, a suspended app is moved to swap; nil: not at all.
    public var pageOut: PageOutPolicy?
    /// How often within `resumeWindow` it may be resumed for a waking event; nil: any number.
    public var resumeLimit: Int? = Policy.defaultResumeLimit
    public var resumeWindow = Policy.defaultResumeWindow
    /// When it sleeps, and what wakes it; nil: when somebody asks, and nothing but being opened.
    public var sleep: SleepPolicy?
    /// Whether its processes yield to others while it is in background.
    public var yieldsInBackground = false
    /// Whether the app must say `hello` within `launchLimit`.
    public var requiresHello = false
    /// What `quit` does to a suspended app.
    public var terminateSuspended: TerminateSuspended = .kill
    /// The signal that asks a plain app to end. Source: signal(7): SIGTERM is 15.
    public var terminateSignal: Int32 = 15
    /// Whether the app ends where any other is suspended.
    public var exitsOnSuspend = false
    /// Whether somebody besides connections hears of events: signals to the program, or hooks.
    public var announcesEvents = false
    /// How often the program owes a sign of life, as sd_notify's `WATCHDOG=1`; nil: never.
    public var watchdogInterval: Span?
    /// What it may do in background; nil where nobody has said so, and it may all but run on for ever.
    public var backgroundModes: BackgroundModes?
    /// Whether the app is over only when its whole tree is, not when its leader is.
    public var waitsForTree = false

    /// The open tasks an app may have; one more kills it (`too-many-tasks`).
    ///
    /// Source: iOS 11 ended apps near 1,000 background assertions (0xbada5e47), later systems with 0xd00d2bad.
    public static let maximumOpenTasks = 1000

    /// As long as an app has for `didEnterBackground`.
    public static let defaultLockWait = Span.seconds(5)

    /// Source: console messages of iOS 4 to 9: "SBUnsuspendLimit … exceeded 15 wakes in 300 sec", code 0xbad22222.
    public static let defaultResumeLimit = 15
    public static let defaultResumeWindow = Span.seconds(300)

    public init(profile: Profile) {
        backgroundBudget = profile.backgroundBudget
        expirationLead = profile.expirationLead
        enterBackgroundLimit = profile.enterBackgroundLimit
        terminateLimit = profile.terminateLimit
        launchLimit = profile.launchLimit
        wakeLimit = profile.wakeLimit
        processingLimit = profile.processingLimit
        keepAliveMinimum = profile.keepAliveMinimum
    }

    /// How long after the limit's signal SIGKILL comes in any case, for what the command has left behind, or where nobody
    /// waits for it any more.
    public func restLimit(_ timeout: TimeoutPolicy) -> Span {
        guard let killAfter = timeout.killAfter, !killAfter.isInfinite else { return terminateLimit }
        return killAfter
    }

    /// The time to acknowledge an event; nil when none is owed for it.
    func limit(of event: LifecycleEvent) -> Span? {
        switch event {
        case .didFinishLaunching: launchLimit
        case .didEnterBackground: enterBackgroundLimit
        case .willTerminate: terminateLimit
        case .didBecomeActive, .willResignActive, .willEnterForeground, .backgroundTaskWillExpire: nil
        case .didReceiveMemoryWarning: nil
        }
    }

    /// The time for a waking event.
    func limit(ofWakingEvent name: String) -> Span {
        name == TaskRequest.Kind.processing.event ? processingLimit : wakeLimit
    }

    /// How long a plain app runs for one.
    func grace(forWakingEvent name: String?) -> Span {
        name == TaskRequest.Kind.processing.event ? processingLimit : grace ?? wakeLimit
    }

    /// Divides every duration by `scale`, so that CI sees ten minutes in ten seconds.
    public func scaled(by scale: Double) -> Policy {
        var policy = self
        policy.backgroundBudget = backgroundBudget.scaled(by: scale)
        policy.expirationLead = expirationLead.scaled(by: scale)
        policy.enterBackgroundLimit = enterBackgroundLimit.scaled(by: scale)
        policy.terminateLimit = terminateLimit.scaled(by: scale)
        policy.launchLimit = launchLimit.scaled(by: scale)
        policy.wakeLimit = wakeLimit.scaled(by: scale)
        policy.processingLimit = processingLimit.scaled(by: scale)
        policy.keepAliveMinimum = keepAliveMinimum?.scaled(by: scale)
        policy.grace = grace?.scaled(by: scale)
        policy.handlerGrace = handlerGrace?.scaled(by: scale)
        policy.timeLimit = timeLimit.scaled(by: scale)
        policy.timeout = timeout?.scaled(by: scale)
        policy.watchdogInterval = watchdogInterval?.scaled(by: scale)
        policy.backgroundCPU = backgroundCPU?.scaled(by: scale)
        policy.lockWait = lockWait.scaled(by: scale)
        policy.pageOut?.delay = pageOut?.delay.scaled(by: scale) ?? .zero
        policy.resumeWindow = resumeWindow.scaled(by: scale)
        policy.sleep = sleep?.scaled(by: scale)
        return policy
    }
}

/// What `quit` does to a suspended app.
public enum TerminateSuspended: String, Sendable, Hashable, CaseIterable {
    /// SIGKILL with no event, as iOS does. Source: XNU kern_memorystatus.c, `memorystatus_on_terminate`.
    case kill
    /// Resume it for its `willTerminate` limit first.
    case wake
}
