import CurfewClient

/// What a user and the system do to an app: the events of each, in the supervisor's order.
///
/// Each call returns when what has to be acknowledged is, and throws `NotAcknowledged` after the limit, where a supervisor
/// would kill the app. To an app in which nobody listens they only change its state.
///
/// Source: docs/protocol.md, "The orders".
extension FakeApplication {
    /// Whether a supervisor would have stopped the app by now: it is in the background, and nothing keeps it running.
    public var isSuspended: Bool {
        applicationState == .background && openTasks.isEmpty && !stage.owesAcknowledgement
    }

    /// Launched, in front.
    ///
    /// - Parameter reason: why its last run was ended, such as "memory-pressure": it is told that it is restored. Nil for an
    ///   ordinary launch.
    public func launch(
        restoredAfter reason: String? = nil, info: [String: String] = [:], within limit: Duration = .seconds(20)
    ) async throws {
        try await tellLaunch(LaunchOptions(), restoredAfter: reason, info, within: limit)
        stage.enter(.active)
        stage.tell(.didBecomeActive)
    }

    /// Launched in the background, for a waking event if one is named; `info` goes with that, or with the launch.
    ///
    /// - Parameter reason: as for a launch in front.
    public func launchInBackground(
        wakingEvent: String? = nil, restoredAfter reason: String? = nil, info: [String: String] = [:],
        within limit: Duration = .seconds(20)
    ) async throws {
        stage.enter(.background)
        let options = LaunchOptions(isInBackground: true, wakingEvent: wakingEvent)
        try await tellLaunch(options, restoredAfter: reason, wakingEvent == nil ? info : [:], within: limit)
        try await stage.ask(.didEnterBackground, within: limit)
        if let wakingEvent { try await stage.ask(.wake, name: wakingEvent, info: info, within: limit) }
    }

    private func tellLaunch(
        _ options: LaunchOptions, restoredAfter reason: String?, _ info: [String: String], within limit: Duration
    ) async throws {
        var options = options
        options.info = info
        options.stateDirectory = stateDirectory
        if let reason {
            options.info[LaunchOptions.restoredKey] = "true"
            options.info[LaunchOptions.endedKey] = reason
        }
        try await stage.ask(.didFinishLaunching, launchOptions: options, info: options.info, within: limit)
    }

    /// The home button: to the background.
    public func home(within limit: Duration = .seconds(5)) async throws {
        guard applicationState != .background else { return }
        interrupt()
        stage.enter(.background)
        try await stage.ask(.didEnterBackground, within: limit)
    }

    /// Opened again: `changes` are what was posted meanwhile, by name.
    public func open(changes: [String: [String: String]] = [:]) {
        guard applicationState == .background else { return dismiss() }
        stage.enter(.inactive)
        refusesTasks = false
        backgroundBudget = 600
        stage.tell(.willEnterForeground)
        for (name, info) in changes.sorted(by: { $0.key < $1.key }) { post(name, info: info) }
        dismiss()
    }

    /// Something is in front of it for a while.
    public func interrupt() {
        guard applicationState == .active else { return }
        stage.enter(.inactive)
        stage.tell(.willResignActive)
    }

    /// What interrupted it is gone.
    public func dismiss() {
        guard applicationState == .inactive else { return }
        stage.enter(.active)
        stage.tell(.didBecomeActive)
    }

    /// Woken for an event; in front, nothing has to be acknowledged.
    public func wake(
        _ name: String, info: [String: String] = [:], within limit: Duration = .seconds(30)
    ) async throws {
        guard applicationState == .background else { return stage.tell(.wake, name: name, info: info) }
        if isSuspended { try await stage.ask(.didEnterBackground, within: limit) }
        try await stage.ask(.wake, name: name, info: info, within: limit)
    }

    /// An aspect of its world has changed.
    public func post(_ name: String, info: [String: String] = [:]) {
        stage.tell(.change, name: name, info: info)
    }

    /// Told that memory runs short; one that is suspended hears nothing of it.
    public func sendMemoryWarning(_ level: LifecycleEvent.MemoryWarningLevel = .warning) {
        if !isSuspended { stage.warnOfMemory(level) }
    }

    /// Asked to end; one that is suspended hears nothing of it.
    public func quit(within limit: Duration = .seconds(5)) async throws {
        if isSuspended { return }
        try await stage.ask(.willTerminate, within: limit)
    }
}
