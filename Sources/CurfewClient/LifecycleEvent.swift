/// Something the supervisor tells the app.
///
/// An event that requires it is acknowledged when the loop asks for the next one or ends, and when a delegate's method
/// returns; `acknowledge()` does it earlier, `deferAcknowledgement()` later. With several listeners, the last one counts.
public struct LifecycleEvent: Sendable {
    /// What has happened, or is about to.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Once, to the first who listens; `launchOptions` tell how.
        case didFinishLaunching
        case didBecomeActive
        case willResignActive
        /// Save now: without a background task the app is suspended once this is acknowledged.
        case didEnterBackground
        /// `task` must be ended within `seconds`; its own handler, if it has one, is called besides.
        case backgroundTaskWillExpire
        case willEnterForeground
        /// End within `seconds`.
        case willTerminate
        /// Let go of what can be had again, caches first; `memoryWarningLevel` says how urgent it is.
        case didReceiveMemoryWarning
        /// An aspect of the app's world, called `name`, has changed.
        case change
        /// The app was woken for what `name` says; acknowledge it when that is done.
        case wake
        /// One that this version doesn't know.
        case other
    }

    public let kind: Kind
    /// The kind's name or, of a change, a waking event and an unknown one, its own.
    public let name: String
    /// Counts the app's events; not each of them is delivered to each listener.
    public let sequence: Int
    /// How long the acknowledgement may take, or the task may go on; nil when nothing runs out.
    ///
    /// `Double.greatestFiniteMagnitude` when there is no limit, as in `backgroundTimeRemaining`.
    public let seconds: Double?
    /// The task that is about to expire; nil in other events.
    public let task: BackgroundTaskIdentifier?
    /// How urgent a memory warning is; nil in other events than `didReceiveMemoryWarning`.
    public let memoryWarningLevel: MemoryWarningLevel?
    /// How the app was launched; nil in other events than `didFinishLaunching`.
    public let launchOptions: LaunchOptions?
    /// What was posted with the event, or given with the launch.
    public let info: [String: String]
    /// Whether the app is killed unless this is acknowledged in time.
    public let requiresAcknowledgement: Bool
    /// Nil when nothing is owed for this one.
    private(set) var receipt: Receipt?

    /// How urgent a memory warning is.
    public enum MemoryWarningLevel: String, Hashable, Sendable, CaseIterable {
        /// The app nears the limit at which it is killed, or the machine runs short.
        case warning
        /// The app is past its soft limit, or the machine is about to kill for memory.
        case critical
    }

    package init(
        _ kind: Kind, name: String? = nil, sequence: Int, seconds: Double? = nil,
        task: BackgroundTaskIdentifier? = nil, memoryWarningLevel: MemoryWarningLevel? = nil,
        launchOptions: LaunchOptions? = nil,
        info: [String: String] = [:], requiresAcknowledgement: Bool = false
    ) {
        self.kind = kind
        self.name = name ?? kind.rawValue
        self.sequence = sequence
        self.seconds = seconds
        self.task = task
        self.memoryWarningLevel = memoryWarningLevel
        self.launchOptions = launchOptions
        self.info = info
        self.requiresAcknowledgement = requiresAcknowledgement
    }

    /// Says that the event is handled; again, and where nothing is owed, it does nothing.
    public func acknowledge() { receipt?.settle() }

    /// As `acknowledge()`, for a `fetch` or a `remote-notification`; the server fetches more or less often by that.
    ///
    /// With several listeners the first result counts.
    public func complete(with result: BackgroundFetchResult) { receipt?.settle(.fetch(result)) }

    /// As `acknowledge()`, for a `refresh` or `processing` that no launch handler is registered for: the work is over.
    public func setTaskCompleted(success: Bool) { receipt?.settle(.task(success: success)) }

    /// Keeps the event owed after the loop has moved on or the method has returned, until `acknowledge()`.
    ///
    /// For work that goes on elsewhere. The event counts as handled too when its last copy is gone.
    public func deferAcknowledgement() { receipt?.deferSettling() }

    /// A listener's own copy.
    func owing(_ debt: Debt?) -> LifecycleEvent {
        var copy = self
        copy.receipt = debt.map(Receipt.init)
        return copy
    }
}
