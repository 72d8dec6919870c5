/// One background task that ends exactly once: when its work is done, or before, when its time is over.
///
/// The time may be over before the begin has returned the task, and the work be done at the same moment.
final class TaskHold: Sendable {
    private struct State {
        /// Nil before the begin has returned, and once it was ended.
        var task: BackgroundTaskIdentifier?
        var isOver = false
        var isExpired = false
        var cancel: (@Sendable () -> Void)?
    }

    private let state = Monitor(State())
    private let end: @Sendable (BackgroundTaskIdentifier) -> Void
    private let endsOnExpiration: Bool

    init(endsOnExpiration: Bool, end: @escaping @Sendable (BackgroundTaskIdentifier) -> Void) {
        self.endsOnExpiration = endsOnExpiration
        self.end = end
    }

    var isExpired: Bool { state.withLock { $0.isExpired } }

    /// The begin has returned a task; it is ended at once if it is over already.
    func open(_ task: BackgroundTaskIdentifier) {
        let isOver = state.withLock { state in
            if !state.isOver { state.task = task }
            return state.isOver
        }
        if isOver { end(task) }
    }

    /// Has the work told when the time is over; at once if it is.
    func onExpiration(_ cancel: @escaping @Sendable () -> Void) {
        let isExpired = state.withLock { state in
            if !state.isExpired { state.cancel = cancel }
            return state.isExpired
        }
        if isExpired { cancel() }
    }

    /// The time is nearly over.
    ///
    /// The work hears of it first: ended, the app may be stopped at any instant.
    func expire() {
        let cancel = state.withLock { state in
            state.isExpired = true
            defer { state.cancel = nil }
            return state.cancel
        }
        cancel?()
        if endsOnExpiration { close() }
    }

    /// The work is done. May be called any number of times.
    func close() {
        let (task, cancel) = state.withLock { state in
            state.isOver = true
            defer { (state.task, state.cancel) = (nil, nil) }
            return (state.task, state.cancel)
        }
        if let task { end(task) }
        // Held until here, so that what it captured is released after the lock.
        withExtendedLifetime(cancel) {}
    }
}

extension TaskHold {
    /// Begins the task for it.
    ///
    /// - Returns: false where there is nobody to ask, and nothing to be afraid of.
    /// - Throws: `BackgroundTaskRefused`.
    func begin(_ name: String, on application: some BackgroundTaskScheduling) throws(BackgroundTaskRefused) -> Bool {
        let task = application.beginBackgroundTask(withName: name) { self.expire() }
        if task != .invalid {
            open(task)
            return true
        }
        if application.isMultitaskingSupported { throw BackgroundTaskRefused(name: name) }
        return false
    }
}
