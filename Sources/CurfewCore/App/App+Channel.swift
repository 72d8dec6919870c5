/// What an aware app is told, and what it answers.
extension App {
    mutating func hello(_ connection: ConnectionID, at now: Moment, into effects: inout [Effect]) {
        guard end == nil, channel.accepts(connection) else { return }
        let returns = !isAware && channel.hasFinishedLaunching && runsInBackground
        if !isAware { effects.append(.note(id, .becameAware)) }
        channel.add(connection)
        phase.run?.grace = nil
        phase.run?.isForInput = false
        if phase.run?.awaitsQuiet == true {
            phase.run?.awaitsQuiet = false
            updateIdle(at: now)
        }
        if runsInBackground, isStoppedByTerminal { resume(includingStopped: true, into: &effects) }
        announceLaunch(at: now, into: &effects)
        // It was plain for a while, and would be stopped without a word.
        if returns { deliver(.didEnterBackground, at: now, into: &effects) }
        if isRunning {
            deliverKeptChanges(at: now, into: &effects)
            deliverUnheardWakingEvents(at: now, into: &effects)
        }
        proceed(at: now, into: &effects)
    }

    // MARK: The launch

    /// Delivers the launch to an app that hasn't heard of it; never while it is stopped or not yet running.
    mutating func announceLaunch(at now: Moment, into effects: inout [Effect]) {
        guard isAware, !channel.hasFinishedLaunching, isRunning else { return }
        channel.finishLaunching()
        deliverFinishedLaunching(at: now, into: &effects)
        if runsInBackground { deliver(.didEnterBackground, to: launchAudience, at: now, into: &effects) }
        deliverKeptChanges(at: now, into: &effects)
        if state == .active { deliver(.didBecomeActive, to: launchAudience, at: now, into: &effects) }
        deliverUnheardWakingEvents(at: now, into: &effects)
    }

    /// What is left of a launch limit that runs already is what the acknowledgement gets.
    private mutating func deliverFinishedLaunching(at now: Moment, into effects: inout [Effect]) {
        let sequence = channel.nextSequence()
        let event = Event.lifecycle(.didFinishLaunching)
        var delivery = Delivery(
            event: event, sequence: sequence, connections: channel.connections, info: options.info)
        delivery.audience = launchAudience
        delivery.launch = launchDescription
        if isReady {
            effects.append(.deliver(id, delivery))
            return
        }
        let running = channel.takeLaunch() ?? watchdog(policy.launchLimit, at: now)
        delivery.limit = running.remaining(at: now)
        channel.owe(event, sequence: sequence, running)
        effects.append(.deliver(id, delivery))
        if running.cpuTimeAtStart == nil { effects.append(.measureCPUTime(id)) }
    }

    /// Hooks have heard of the launch of an app that needn't say hello when it was started.
    var launchAudience: Delivery.Audience { policy.requiresHello && !isReady ? .everybody : .connections }

    private var launchDescription: LaunchDescription {
        LaunchDescription(inBackground: launchedInBackground, wakingEvent: options.wakingEvent?.name)
    }

    /// For whoever hears events otherwise than by `hello`. Hooks only: the program can't have set up its signals yet.
    mutating func announcePlainLaunch(into effects: inout [Effect]) {
        guard policy.announcesEvents, !policy.requiresHello || isReady else { return }
        announce(.lifecycle(.didFinishLaunching), info: options.info, launch: launchDescription, into: &effects)
        if runsInBackground { announce(.lifecycle(.didEnterBackground), into: &effects) }
        if state == .active { announce(.lifecycle(.didBecomeActive), into: &effects) }
        if let event = options.wakingEvent { announce(.wake(event.name), info: event.info, into: &effects) }
    }

    private mutating func announce(
        _ event: Event, info: [Info] = [], launch: LaunchDescription? = nil, into effects: inout [Effect]
    ) {
        var delivery = Delivery(event: event, sequence: channel.nextSequence(), info: info, audience: .hooks)
        delivery.launch = launch
        effects.append(.deliver(id, delivery))
    }

    // MARK: Delivering

    /// A transition's events in its order; what changed meanwhile comes before `didBecomeActive`.
    mutating func deliver(
        _ transition: Transition, to audience: Delivery.Audience = .everybody, at now: Moment,
        into effects: inout [Effect]
    ) {
        for event in transition.events {
            if event == .didBecomeActive { deliverKeptChanges(at: now, into: &effects) }
            deliver(event, to: audience, at: now, into: &effects)
        }
    }

    mutating func deliver(
        _ event: LifecycleEvent, level: MemoryWarningLevel? = nil, to audience: Delivery.Audience = .everybody,
        at now: Moment, into effects: inout [Effect]
    ) {
        let limit = policy.limit(of: event)
        deliver(.lifecycle(event), limit: limit, level: level, to: audience, at: now, into: &effects)
    }

    /// Tells every connection of the app; a plain app hears of it by signals and hooks at most, and owes nothing.
    mutating func deliver(
        _ event: Event, limit: Span? = nil, level: MemoryWarningLevel? = nil, info: [Info] = [],
        to audience: Delivery.Audience = .everybody,
        at now: Moment, into effects: inout [Effect]
    ) {
        guard isAware || policy.announcesEvents else { return }
        let sequence = channel.nextSequence()
        let owesAcknowledgement = isAware && limit != nil && event.needsAcknowledgement
        if owesAcknowledgement, let limit, event != .lifecycle(.willTerminate) {
            let lead = event.isRequest ? min(policy.expirationLead, limit) : nil
            let isUnmetered = PostedEvent(event.name, info).isUnmetered
            channel.owe(
                event, sequence: sequence, watchdog(limit, at: now), lead: lead, isUnmetered: isUnmetered)
        }
        var delivery = Delivery(event: event, sequence: sequence, connections: channel.connections, info: info)
        delivery.limit = limit
        delivery.level = level
        delivery.audience = audience
        effects.append(.deliver(id, delivery))
        if owesAcknowledgement { effects.append(.measureCPUTime(id)) }
    }

    /// What a watchdog has begun with, and what it ends with.
    mutating func cpuTimeMeasured(_ cpuTime: Span, at now: Moment, into effects: inout [Effect]) {
        self.cpuTime = cpuTime
        channel.measured(cpuTime)
        if case .terminating(var watchdog, let sequence) = end, watchdog.cpuTimeAtStart == nil {
            watchdog.cpuTimeAtStart = cpuTime
            end = .terminating(watchdog, sequence: sequence)
        }
        judgeCPU(cpuTime, at: now, into: &effects)
    }

    // MARK: Answers

    mutating func acknowledge(_ sequence: Int, at now: Moment, into effects: inout [Effect]) {
        if case .terminating(let watchdog, sequence) = end {
            // Heard, it still has to end in time; a second acknowledgement is one of nothing.
            end = .terminating(watchdog, sequence: nil)
            effects.append(.note(id, .acknowledged(.lifecycle(.willTerminate), sequence: sequence)))
            return
        }
        guard let event = channel.acknowledge(sequence) else {
            effects.append(.note(id, .unknownAcknowledgement(sequence: sequence)))
            return
        }
        if event == .wake(Self.inputEvent) { lastInput = nil }
        effects.append(.note(id, .acknowledged(event, sequence: sequence)))
        demandFirstSignOfLife(at: now)
        proceed(at: now, into: &effects)
    }

    /// A connection is gone; without another the app is plain, and owes no acknowledgement.
    mutating func disconnected(_ connection: ConnectionID, at now: Moment, into effects: inout [Effect]) {
        backgroundTasks.disconnected(connection)
        guard channel.remove(connection) else { return }
        // `--aware` is met by an acknowledged launch only.
        if policy.requiresHello, !isReady { channel.demandLaunchAgain() }
        channel.dropPending()
        effects.append(.note(id, .becamePlain))
        demandFirstSignOfLife(at: now)
        proceed(at: now, into: &effects)
    }
}
