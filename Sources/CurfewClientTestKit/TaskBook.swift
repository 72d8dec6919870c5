import CurfewClient

/// What was begun, expired and ended, and in what order.
final class TaskBook: Sendable {
    typealias Handler = @Sendable () -> Void

    private struct State {
        var tasks: [FakeBackgroundTask] = []
        var handlers: [BackgroundTaskIdentifier: Handler] = [:]
        var mistakes: [String] = []
        /// Sent as soon as no task is open.
        var waiting: [Signal] = []

        func index(of identifier: BackgroundTaskIdentifier) -> Int? {
            tasks.indices.contains(identifier.rawValue - 1) ? identifier.rawValue - 1 : nil
        }
    }

    private let state = Monitor(State())

    var tasks: [FakeBackgroundTask] { state.withLock { $0.tasks } }
    var openTasks: [FakeBackgroundTask] { tasks.filter { !$0.hasEnded } }
    var mistakes: [String] { state.withLock { $0.mistakes } }

    func begin(_ name: String, _ handler: Handler?) -> BackgroundTaskIdentifier {
        state.withLock { state in
            let identifier = BackgroundTaskIdentifier(rawValue: state.tasks.count + 1)
            state.tasks.append(
                FakeBackgroundTask(identifier: identifier, name: name, hasExpirationHandler: handler != nil))
            state.handlers[identifier] = handler
            return identifier
        }
    }

    /// Calls the handler of an open task, once.
    func expire(_ identifier: BackgroundTaskIdentifier) {
        let handler = state.withLock { state -> Handler? in
            guard let index = state.index(of: identifier), !state.tasks[index].hasEnded else { return nil }
            state.tasks[index].hasExpired = true
            return state.handlers.removeValue(forKey: identifier)
        }
        handler?()
    }

    func end(_ identifier: BackgroundTaskIdentifier) {
        // What the handler has captured, and who waits, are let go after the lock.
        let (handler, signals) = state.withLock { state in (markEnded(identifier, &state), takeSignals(&state)) }
        for signal in signals { signal.send() }
        withExtendedLifetime(handler) {}
    }

    private func markEnded(_ identifier: BackgroundTaskIdentifier, _ state: inout State) -> Handler? {
        guard let index = state.index(of: identifier) else {
            state.mistakes.append("task \(identifier.rawValue) was ended and never begun")
            return nil
        }
        if state.tasks[index].hasEnded {
            state.mistakes.append("task \(identifier.rawValue) \"\(state.tasks[index].name)\" was ended twice")
        }
        state.tasks[index].hasEnded = true
        return state.handlers.removeValue(forKey: identifier)
    }

    private func takeSignals(_ state: inout State) -> [Signal] {
        guard state.tasks.allSatisfy(\.hasEnded) else { return [] }
        defer { state.waiting = [] }
        return state.waiting
    }

    /// The tasks that are open in the end.
    func waitUntilAllEnded(within limit: Duration) async -> [FakeBackgroundTask] {
        let signal = Signal()
        let isOver = state.withLock { state in
            state.waiting.append(signal)
            return state.tasks.allSatisfy(\.hasEnded)
        }
        if !isOver { _ = await signal.wait(within: limit) }
        state.withLock { $0.waiting.removeAll { $0 === signal } }
        return openTasks
    }
}
