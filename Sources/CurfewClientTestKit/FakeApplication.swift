import CurfewClient

/// Stands in for `CurfewApplication` in tests: expires background tasks, names what leaked, and plays the lifecycle.
///
/// There is no supervisor, no clock and nobody is killed: the test says what happens. Events go the way of the real ones,
/// to loops and to a delegate, and are acknowledged by the same rules.
public final class FakeApplication: BackgroundTaskScheduling, LifecycleProviding {
    /// When the time of a task is over.
    public enum Expiration: Hashable, Sendable, CaseIterable {
        /// When the test calls `expireBackgroundTasks()`.
        case whenTold
        /// Before the begin returns it: the earliest there is.
        case insideBegin
        /// On another thread, at any moment after the begin.
        case afterBegin
    }

    let expiration: Expiration
    /// Whether there is a supervisor, as far as the program under test can see.
    public let isMultitaskingSupported: Bool
    /// Where the program under test saves and restores; a directory of the test's.
    public let stateDirectory: String?
    let book: TaskBook
    private let threadOfHandlers = ExpirationHandlers()
    private let refuses = Monitor(false)
    private let budget = Monitor(600.0)
    let stage: Stage
    private let hub: EventHub
    private let delegateCaller: DelegateCaller
    private let keepAliveCaller: KeepAliveCaller
    private let timeout = Monitor<Double?>(nil)
    let requestCaller: RequestCaller
    /// What is to be done later.
    let schedule = Monitor(FakeSchedule())

    /// An app in front that nobody has told anything yet.
    ///
    /// - Parameters:
    ///   - expiration: when tasks expire.
    ///   - isMultitaskingSupported: false to see what the program does without a supervisor.
    ///   - stateDirectory: what `stateDirectory` is; another app with the same one is the next run.
    public init(
        expiring expiration: Expiration = .whenTold, isMultitaskingSupported: Bool = true, stateDirectory: String? = nil
    ) {
        self.expiration = expiration
        self.isMultitaskingSupported = isMultitaskingSupported
        self.stateDirectory = stateDirectory
        book = TaskBook()
        stage = Stage(isOpen: isMultitaskingSupported)
        hub = EventHub(stage)
        delegateCaller = DelegateCaller(hub)
        keepAliveCaller = KeepAliveCaller(hub)
        requestCaller = RequestCaller(hub)
    }

    // MARK: What the program under test calls

    public func beginBackgroundTask(
        withName name: String?, expirationHandler handler: (@Sendable () -> Void)?
    ) -> BackgroundTaskIdentifier {
        guard isMultitaskingSupported, !refusesTasks else { return .invalid }
        let task = book.begin(name ?? "", handler)
        switch expiration {
        case .whenTold: break
        case .insideBegin: book.expire(task)
        case .afterBegin: expireSoon(task)
        }
        return task
    }

    private func expireSoon(_ task: BackgroundTaskIdentifier) {
        guard threadOfHandlers.prepare() else { return }
        threadOfHandlers.add(task) { [book] in book.expire(task) }
        threadOfHandlers.expire(task)
    }

    public func endBackgroundTask(_ identifier: BackgroundTaskIdentifier) {
        guard identifier != .invalid else { return }
        book.end(identifier)
    }

    /// Refused below 600 s. The test calls the handler: `wake("keepAlive")`.
    public func setKeepAliveTimeout(_ timeout: Double, handler: (@Sendable () -> Void)?) -> Bool {
        guard let handler else {
            clearKeepAliveTimeout()
            return true
        }
        guard isMultitaskingSupported, timeout >= 600, timeout < .infinity, keepAliveCaller.set(handler) else {
            return false
        }
        self.timeout.withLock { $0 = timeout }
        return true
    }

    public func clearKeepAliveTimeout() {
        timeout.withLock { $0 = nil }
        keepAliveCaller.set(nil)
    }

    /// `backgroundBudget` in the background, `Double.greatestFiniteMagnitude` in front.
    public var backgroundTimeRemaining: Double {
        applicationState == .background ? backgroundBudget : .greatestFiniteMagnitude
    }

    public var applicationState: ApplicationState { stage.applicationState }

    public var events: LifecycleEvents { LifecycleEvents(hub) }

    public var delegate: (any CurfewApplicationDelegate)? {
        get { delegateCaller.delegate }
        set { delegateCaller.set(newValue, of: self) }
    }

    // MARK: What the test says

    /// Whether a begin is refused, as when the budget is spent.
    public var refusesTasks: Bool {
        get { refuses.withLock { $0 } }
        set { refuses.withLock { $0 = newValue } }
    }

    /// What `backgroundTimeRemaining` is in the background, in seconds; it stays what it is set to.
    public var backgroundBudget: Double {
        get { budget.withLock { $0 } }
        set { budget.withLock { $0 = newValue } }
    }

    /// Expires every open task: tells who listens, and calls the handlers, on this thread, in the order of the begins.
    ///
    /// From now on begins are refused, until the app is in front again.
    ///
    /// - Returns: the tasks that are still open when their handlers have returned. A supervisor would soon kill an app
    ///   for them, unless they are ended on another thread meanwhile: `leaks(within:)` waits for those.
    @discardableResult
    public func expireBackgroundTasks() -> [FakeBackgroundTask] {
        refusesTasks = true
        backgroundBudget = 0
        let open = book.openTasks
        for task in open { stage.announceExpiration(of: task.identifier) }
        for task in open { book.expire(task.identifier) }
        let expired = Set(open.map(\.identifier))
        return book.openTasks.filter { expired.contains($0.identifier) }
    }

    // MARK: What the test asks

    /// The seconds after which the app wants to be woken, as it has asked; nil: it hasn't, or has cleared that.
    public var keepAliveTimeout: Double? { timeout.withLock { $0 } }

    /// Every task that was ever begun, in that order.
    public var tasks: [FakeBackgroundTask] { book.tasks }

    /// The tasks that are open now.
    public var openTasks: [FakeBackgroundTask] { book.openTasks }

    /// What was ended wrongly: twice, or never begun. A supervisor ignores these and notes them.
    public var mistakes: [String] { book.mistakes }

    /// The tasks still open after `limit`, or none as soon as all are ended.
    public func leaks(within limit: Duration = .seconds(5)) async -> [FakeBackgroundTask] {
        await book.waitUntilAllEnded(within: limit)
    }
}
