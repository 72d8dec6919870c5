/// The open tasks' handlers, called one after another on a thread of their own.
///
/// Not on the one that reads: a handler may make requests. Not on the delegate's: its method may take its time.
package final class ExpirationHandlers: Sendable {
    package typealias Handler = @Sendable () -> Void

    private struct State: Sendable {
        var handlers: [BackgroundTaskIdentifier: Handler] = [:]
        var due: [BackgroundTaskIdentifier] = []
        var hasThread = false
        var isFinished = false
    }

    private let state = Monitor(State())

    package init() {}

    deinit { state.withLock { $0.isFinished = true } }

    /// Makes sure that a handler could be called; false when there can't be a thread.
    package func prepare() -> Bool {
        state.withLock { [state] shared in
            if !shared.hasThread { shared.hasThread = SystemThread.start { ExpirationHandlers.run(state) } }
            return shared.hasThread
        }
    }

    package func add(_ task: BackgroundTaskIdentifier, _ handler: @escaping Handler) {
        state.withLock { $0.handlers[task] = handler }
    }

    /// A task that has been ended: its handler is not called any more.
    package func remove(_ task: BackgroundTaskIdentifier) {
        // Released after the lock: what it has captured may end tasks as it goes.
        _ = state.withLock { $0.handlers.removeValue(forKey: task) }
    }

    /// Has the task's handler called, once.
    package func expire(_ task: BackgroundTaskIdentifier) {
        state.withLock { if $0.handlers[task] != nil { $0.due.append(task) } }
    }

    private static func run(_ state: Monitor<State>) {
        while let task = nextDue(state) {
            // Taken only now: it may have been ended while others' handlers ran.
            let handler = state.withLock { $0.handlers.removeValue(forKey: task) }
            handler?()
        }
    }

    /// Nil at the end.
    private static func nextDue(_ state: Monitor<State>) -> BackgroundTaskIdentifier? {
        state.wait { state -> BackgroundTaskIdentifier?? in
            if state.isFinished { return .some(nil) }
            return state.due.isEmpty ? nil : .some(state.due.removeFirst())
        }
    }
}
