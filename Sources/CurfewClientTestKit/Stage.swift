import CurfewClient

/// Sends a fake app's events to whoever listens, and waits for their acknowledgements.
final class Stage: EventFeed {
    private struct State {
        /// Nil while nobody listens.
        var sink: EventSink?
        var applicationState = ApplicationState.active
        var lastSequence = 0
        var owed: [Int: Signal] = [:]
        var outcomes: [EventOutcome] = []
    }

    /// False without a supervisor.
    private let isOpen: Bool
    private let state = Monitor(State())

    init(isOpen: Bool) { self.isOpen = isOpen }

    var applicationState: ApplicationState { isOpen ? state.withLock { $0.applicationState } : .active }

    /// Whether an event is still to be acknowledged.
    var owesAcknowledgement: Bool { state.withLock { !$0.owed.isEmpty } }

    // MARK: As a feed

    var isAvailable: Bool { isOpen }

    func start(_ sink: EventSink) -> Bool {
        state.withLock { $0.sink = sink }
        return true
    }

    func stop() -> Bool {
        state.withLock { $0.sink = nil }
        return true
    }

    func acknowledge(_ sequence: Int, _ outcome: EventOutcome?) {
        let signal = state.withLock { state in
            if let outcome { state.outcomes.append(outcome) }
            return state.owed.removeValue(forKey: sequence)
        }
        signal?.send()
    }

    /// What was told of events with their acknowledgements, in order.
    var outcomes: [EventOutcome] { state.withLock { $0.outcomes } }

    /// Of the event that was told last.
    var lastSequence: Int { state.withLock { $0.lastSequence } }

    // MARK: Events

    /// The app is where the event will find it.
    func enter(_ applicationState: ApplicationState) { state.withLock { $0.applicationState = applicationState } }

    /// Delivers an event that owes nothing; to nobody if nobody listens.
    func tell(_ kind: LifecycleEvent.Kind, name: String? = nil, info: [String: String] = [:]) {
        let (sequence, sink) = next()
        sink?.publish(LifecycleEvent(kind, name: name, sequence: sequence, info: info))
    }

    func announceExpiration(of task: BackgroundTaskIdentifier) {
        let (sequence, sink) = next()
        sink?.publish(LifecycleEvent(.backgroundTaskWillExpire, sequence: sequence, seconds: 5, task: task))
    }

    func warnOfMemory(_ level: LifecycleEvent.MemoryWarningLevel) {
        let (sequence, sink) = next()
        sink?.publish(LifecycleEvent(.didReceiveMemoryWarning, sequence: sequence, memoryWarningLevel: level))
    }

    /// Delivers an event and waits until all who listen have handled it.
    ///
    /// - Throws: `NotAcknowledged` when they haven't within the limit.
    func ask(
        _ kind: LifecycleEvent.Kind, name: String? = nil, launchOptions: LaunchOptions? = nil,
        info: [String: String] = [:], within limit: Duration
    ) async throws {
        let (sequence, sink) = next()
        guard let sink else { return }
        let signal = Signal()
        state.withLock { $0.owed[sequence] = signal }
        let event = LifecycleEvent(
            kind, name: name, sequence: sequence, seconds: limit / .seconds(1), launchOptions: launchOptions,
            info: info,
            requiresAcknowledgement: true)
        sink.publish(event)
        guard await signal.wait(within: limit) else {
            throw NotAcknowledged(event: event.name, limit: limit)
        }
    }

    private func next() -> (sequence: Int, sink: EventSink?) {
        state.withLock { state in
            state.lastSequence += 1
            return (state.lastSequence, state.sink)
        }
    }
}
