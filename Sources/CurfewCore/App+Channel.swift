/// What an aware app is told, and what it answers.
extension App {
    /// The connections that may say `hello` for one app; later ones are refused by silence.
    static let maximumConnections = 64

    mutating func hello(_ connection: ConnectionID, at now: Instant, into effects: inout [Effect]) {
        guard end == nil, !connections.contains(connection), connections.count < App.maximumConnections else { return }
        if !isAware { effects.append(.note(id, .becameAware)) }
        connections.append(connection)
        grace = nil
        announceLaunch(at: now, into: &effects)
        proceed(at: now, into: &effects)
    }

    /// Delivers the launch to an app that hasn't heard of it; never while it is stopped or not yet running.
    mutating func announceLaunch(at now: Instant, into effects: inout [Effect]) {
        guard isAware, !hasFinishedLaunching, isRunning else { return }
        hasFinishedLaunching = true
        let limit = launch?.remaining(at: now) ?? policy.launchLimit
        launch = nil
        deliver(
            .didFinishLaunching, limit: limit, launchedInBackground: launchedInBackground, at: now, into: &effects)
        if phase == .background {
            deliver(.didEnterBackground, limit: policy.enterBackgroundLimit, at: now, into: &effects)
        } else {
            deliver(.didBecomeActive, at: now, into: &effects)
        }
    }

    /// Tells every connection of the app; a plain app hears nothing and owes nothing.
    mutating func deliver(
        _ event: LifecycleEvent, limit: Span? = nil, launchedInBackground: Bool? = nil, at now: Instant,
        into effects: inout [Effect]
    ) {
        guard isAware else { return }
        lastSequence += 1
        if event.needsAcknowledgement, event != .willTerminate, let limit {
            pending.append(
                PendingAcknowledgement(
                    sequence: lastSequence, event: event, limit: limit, countdown: countdown(limit, at: now)))
        }
        effects.append(
            .deliver(
                id,
                Delivery(
                    event: event, sequence: lastSequence, connections: connections, limit: limit,
                    launchedInBackground: launchedInBackground)))
    }

    mutating func acknowledge(_ sequence: Int, at now: Instant, into effects: inout [Effect]) {
        if case .terminating(let countdown, sequence) = end {
            // Heard, it still has to end in time; a second acknowledgement is one of nothing.
            end = .terminating(countdown, sequence: nil)
            effects.append(.note(id, .acknowledged(.willTerminate, sequence: sequence)))
            return
        }
        guard let index = pending.firstIndex(where: { $0.sequence == sequence }) else {
            effects.append(.note(id, .unknownAcknowledgement(sequence: sequence)))
            return
        }
        let acknowledged = pending.remove(at: index)
        effects.append(.note(id, .acknowledged(acknowledged.event, sequence: sequence)))
        proceed(at: now, into: &effects)
    }

    /// `--aware` is met by an acknowledged launch only: one that was left unanswered is owed again, in the time left.
    private mutating func demandLaunchAgain() {
        guard policy.requiresHello, let unanswered = pending.first(where: { $0.event == .didFinishLaunching }) else {
            return
        }
        launch = unanswered.countdown
        hasFinishedLaunching = false
    }

    /// A connection is gone; without another the app is plain, and owes no acknowledgement.
    mutating func disconnected(_ connection: ConnectionID, at now: Instant, into effects: inout [Effect]) {
        for index in tasks.indices where tasks[index].connection == connection { tasks[index].connection = nil }
        guard let index = connections.firstIndex(of: connection) else { return }
        connections.remove(at: index)
        guard connections.isEmpty else { return }
        demandLaunchAgain()
        pending.removeAll()
        effects.append(.note(id, .becamePlain))
        proceed(at: now, into: &effects)
    }
}
