@testable import CurfewCore

/// What an input does by itself.
extension ReferenceApp {
    /// Returns the replies it must have; any other is the state at that moment.
    mutating func take(_ input: Input) -> [RequestID: Reply] {
        guard case .app(_, let input) = input else { return [:] }
        if let request = input.request { unanswered.insert(request) }
        switch input {
        case .started: start()
        case .leaderExited(let outcome): if leader == nil { takeLeaderExit(outcome) }
        case .leftBehind: takeRest()
        case .home(stopped: true, _):
            if state.isForeground, !isTerminating {
                isStoppedByTerminal = true
                wasStoppedByTerminal = true
            }
        case .quit: takeQuit()
        case .hello(let connection): takeHello(connection)
        case .disconnected(let connection): disconnect(connection)
        case .acknowledge(let sequence): acknowledge(sequence)
        case .ownerExited(let owner): release(owner)
        case .tracerChecked: awaitsTracer = false
        case .footprintMeasured: awaitsMeasurement = false
        case .cpuTimeMeasured(let cpuTime): measure(cpuTime)
        case .notified(let notification): if !isOver { takeServiceNotification(notification) }
        case .stoppedByTerminal:
            if isStopped, !isOver { wasStoppedByTerminal = true }
            if runsInBackground { stopByTerminal() }
        case .expire: takeExpiration()
        case .signalled, .abandoned: break
        case .memoryMarkReached, .memoryMarkArmed, .locksChecked, .warn: break
        case .sleep, .inputWatched, .ranOn, .inputCame, .connectionWaits, .connectionTaken, .idlenessMeasured: break
        case .suspensionConfirmed: isStoppingLate = false
        case .home, .open, .interrupt, .dismiss, .launch, .treeGone, .suspensionIncomplete, .memoryLimitHit,
            .suspensionPending, .stillThere, .killIncomplete, .pageOutPending, .reaperLost:
            break
        case .beginTask, .endTask, .post, .wake, .reclaim, .keepAlive: return takeRequest(input)
        }
        return [:]
    }

    private mutating func takeRequest(_ input: AppInput) -> [RequestID: Reply] {
        guard let request = input.request else {
            _ = reply(to: input)
            return [:]
        }
        return reply(to: input).map { [request: $0] } ?? [:]
    }

    /// What is answered with something else than the state.
    private mutating func reply(to input: AppInput) -> Reply? {
        switch input {
        case .beginTask(let name, let owner, let connection, _):
            return begin(name, owner: owner, connection: connection)
        case .endTask(let task, _): return end(task)
        case .post(let change, _): return post(change).map { .rejected($0) }
        case .wake(let event, _): return wake(event).map { .rejected($0) }
        case .keepAlive(let interval, _): return askForKeepAlive(interval)
        case .reclaim: return isStopped && !isTerminating && !isOver ? nil : .rejected(.notSuspended)
        default: return nil
        }
    }

    // MARK: Launch and end

    private mutating func stopByTerminal() {
        isStoppedByTerminal = true
        wasStoppedByTerminal = true
        staysStopped = true
    }

    private mutating func start() {
        guard !isOver else { return }
        hasStarted = true
        if policy.requiresHello, !isReady { hello = Allowance(policy.launchLimit, cpuTimeAtStart: .zero) }
        if options.inBackground, !isAware, !isContinuous { grace = grace(ofWaking: options.wakingEvent?.name) }
    }

    private mutating func takeQuit() {
        guard hasStarted, !isOver, !isTerminating else { return }
        if isStopped, policy.terminateSuspended == .kill { return }
        beginTermination()
        if isHeard { expected.append(Expected(event: .lifecycle(.willTerminate), audience: terminationAudience)) }
    }

    /// The rest of it has as long as it would have had itself. Suspended, as most are killed, it is killed at once.
    private mutating func takeLeaderExit(_ outcome: ExitOutcome) {
        leader = outcome
        guard !isOver, !policy.waitsForTree else { return }
        tasks.removeAll()
        kept.removeAll()
        let isKilled = isStopped && policy.terminateSuspended == .kill
        if !isTerminating, !isKilled { beginTermination() }
    }

    /// Asked only if it wasn't with the leader; then the time for it begins.
    private mutating func takeRest() {
        guard isEndingRest, !isOver, !wasSentSignal, !hasAskedRest else { return }
        termination = Allowance(policy.terminateLimit)
        mustAskRest = true
        mustRun = true
    }

    /// What was owed before is owed no more.
    mutating func beginTermination() {
        termination = Allowance(policy.terminateLimit)
        owed.removeAll()
        hello = nil
    }

    /// A plain program has its signal instead.
    var terminationAudience: Delivery.Audience { isAware ? .everybody : .hooks }

    // MARK: The channel

    private mutating func takeHello(_ connection: ConnectionID) {
        guard !isOver, !isTerminating, !connections.contains(connection), connections.count < 64 else { return }
        let returns = connections.isEmpty && hasHeardLaunch && state == .background
        if connections.isEmpty { expectedNotes.append(.becameAware) }
        connections.append(connection)
        grace = nil
        guard isRunning else { return }
        mustRun = true
        if !hasHeardLaunch { return expectLaunch(in: state) }
        if returns { expect(.didEnterBackground) }
        expectKept()
        expectUnheard()
    }

    private mutating func disconnect(_ connection: ConnectionID) {
        for index in tasks.indices where tasks[index].connection == connection { tasks[index].connection = nil }
        guard connections.contains(connection) else { return }
        connections.removeAll { $0 == connection }
        guard connections.isEmpty, !isOver else { return }
        expectedNotes.append(.becamePlain)
        if policy.requiresHello, let launch = owed.first(where: { $0.event == .lifecycle(.didFinishLaunching) }) {
            hello = launch.allowance
            hasHeardLaunch = false
        }
        owed.removeAll()
    }

    private mutating func acknowledge(_ sequence: Int) {
        if let index = owed.firstIndex(where: { $0.sequence == sequence }) {
            expectedNotes.append(.acknowledged(owed[index].event, sequence: sequence))
            owed.remove(at: index)
        } else if sequence == willTerminate, !hasAcknowledgedWillTerminate, kill == nil {
            acknowledgeWillTerminate()
        } else {
            expectedNotes.append(.unknownAcknowledgement(sequence: sequence))
        }
    }

    private mutating func acknowledgeWillTerminate() {
        guard let willTerminate, !hasAcknowledgedWillTerminate else { return }
        hasAcknowledgedWillTerminate = true
        expectedNotes.append(.acknowledged(.lifecycle(.willTerminate), sequence: willTerminate))
    }

    /// What has begun since the last measurement begins with this one.
    private mutating func measure(_ cpuTime: Span) {
        awaitsCPUTime = false
        lastCPUTime = cpuTime
        for index in owed.indices where owed[index].allowance.cpuTimeAtStart == nil {
            owed[index].allowance.cpuTimeAtStart = cpuTime
        }
        if termination?.cpuTimeAtStart == nil { termination?.cpuTimeAtStart = cpuTime }
    }

    // MARK: sd_notify

    private mutating func takeServiceNotification(_ notification: ServiceNotification) {
        switch notification {
        case .ready:
            if !isReady { takeFirstReady() }
            hello = nil
            for launch in owed where launch.event == .lifecycle(.didFinishLaunching) {
                expectedNotes.append(.acknowledged(launch.event, sequence: launch.sequence))
            }
            owed.removeAll { $0.event == .lifecycle(.didFinishLaunching) }
        case .stopping:
            if !isStopping { expectedNotes.append(.stopping) }
            isStopping = true
            acknowledgeWillTerminate()
        case .extendTimeout(let span):
            let isExtensible = hello != nil || isTerminating || owed.contains { !$0.isExpired }
            expectedNotes.append(isExtensible ? .timeoutExtended(span) : .nothingToExtend)
            hello?.extend(to: span)
            for index in owed.indices where !owed[index].isExpired { owed[index].allowance.extend(to: span) }
            termination?.extend(to: span)
        case .alive: withoutSign = 0
        case .broken: if !isTerminating, !isTraced { isBroken = true }
        case .watchdogInterval(let interval):
            watchdogInterval = interval
            withoutSign = 0
        }
    }

    private mutating func takeFirstReady() {
        expectedNotes.append(.ready)
        isReady = true
        guard policy.requiresHello, !hasHeardLaunch, hasStarted, !isTerminating else { return }
        expectLaunchOfHooks(in: state)
    }

    // MARK: Tasks

    private mutating func begin(_ name: String, owner: OwnerID, connection: ConnectionID?) -> Reply {
        if isTerminating || kill != nil { return .rejected(.terminating) }
        if isOver { return .rejected(.notRunning) }
        if !isInFront, isWarned || isBudgetSpent { return .rejected(.expired) }
        if tasks.count >= 1000 { return .rejected(.tooManyTasks) }
        tasksBegun += 1
        let id = TaskID(tasksBegun)
        tasks.append(Task(id: id, owner: owner, connection: connection))
        expectedNotes.append(.taskBegun(id, name: name))
        mustRun = hasStarted
        if isStopped { expectReturn() }
        return .taskBegun(id, remaining: remaining)
    }

    private mutating func end(_ task: TaskID) -> Reply {
        let isKnown = tasks.contains { $0.id == task }
        tasks.removeAll { $0.id == task }
        expectedNotes.append(isKnown ? .taskEnded(task, name: "t") : .unknownTaskEnded(task))
        return .taskEnded(task, known: isKnown)
    }

    private mutating func release(_ owner: OwnerID) {
        for task in tasks where task.owner == owner { expectedNotes.append(.taskReleased(task.id, name: "t")) }
        tasks.removeAll { $0.owner == owner }
    }

    // MARK: Posted events

    private var rejectionOfPosting: Rejection? {
        if isTerminating || kill != nil { return .terminating }
        return hasStarted && !isOver ? nil : .notRunning
    }

    /// Delivered to an app that runs; kept, the latest of each name, for one that is stopped.
    private mutating func post(_ change: PostedEvent) -> Rejection? {
        if let rejection = rejectionOfPosting { return rejection }
        guard isStopped || isStoppedByTerminal else {
            if isHeard { expected.append(Expected(event: .change(change.name), info: change.info)) }
            return nil
        }
        if let index = kept.firstIndex(where: { $0.name == change.name }) {
            kept[index] = change
        } else {
            if kept.count == 64 { return .tooManyChanges }
            kept.append(change)
        }
        expectedNotes.append(.changeKept(change.name))
        return nil
    }

    private mutating func wake(_ event: PostedEvent) -> Rejection? {
        if let rejection = rejectionOfPosting { return rejection }
        if lacksMode(for: event.name) { return .noBackgroundMode }
        if owed.count(where: { if case .wake = $0.event { true } else { false } }) == 64 { return .tooManyEvents }
        if isStopped, let limit = policy.resumeLimit {
            resumedAt.append(age)
            resumedAt.removeAll { $0 + policy.resumeWindow.nanoseconds <= age }
            // Killed instead; `judge` sees to that.
            if resumedAt.count > limit { return nil }
        }
        resume(for: event, grace(ofWaking: event.name))
        return nil
    }

    /// Whether its manifest had to name a mode that it doesn't.
    func lacksMode(for event: String) -> Bool {
        let modes: [String: BackgroundMode] = [
            "fetch": .fetch, "refresh": .fetch, "remote-notification": .remoteNotification, "processing": .processing,
            "keepAlive": .voip,
        ]
        guard let named = policy.backgroundModes, let mode = modes[event] else { return false }
        return !named.list.contains(mode)
    }

    /// In background; a plain app has its grace anew.
    mutating func resume(for event: PostedEvent, _ span: Span) {
        if state == .background || state == .suspended, !isAware, !isContinuous {
            grace = max(graceLeft, span)
            graceUsed = 0
        }
        mustRun = true
        if isAware, !hasHeardLaunch {
            unheard.append((event, false))
            expectLaunch(in: .background)
            return
        }
        if isStopped, isHeard { expected.append(Expected(event: .lifecycle(.didEnterBackground))) }
        if isStopped { expectKept() }
        if isHeard { expected.append(Expected(event: .wake(event.name), info: event.info)) }
        if !isAware { unheard.append((event, false)) }
    }

    // MARK: What follows

    /// It runs again in background, for a message has overtaken its suspension.
    private mutating func expectReturn() {
        if isAware, !hasHeardLaunch { expectLaunch(in: .background) } else { expectKept() }
    }

    mutating func expectKept() { expected += takeKept() }

    mutating func takeKept() -> [Expected] {
        defer { kept.removeAll() }
        return isHeard ? kept.map { Expected(event: .change($0.name), info: $0.info) } : []
    }

    private mutating func expectUnheard() {
        for (event, isOfLaunch) in unheard {
            let audience = isOfLaunch ? launchAudience : .connections
            expected.append(Expected(event: .wake(event.name), info: event.info, audience: audience))
        }
        unheard.removeAll()
    }

    private var launchDescription: LaunchDescription {
        LaunchDescription(inBackground: options.inBackground, wakingEvent: options.wakingEvent?.name)
    }

    /// What an app hears as soon as it has said hello and runs.
    mutating func expectLaunch(in state: LifecycleState) {
        expect(.didFinishLaunching, to: launchAudience, info: options.info, launch: launchDescription)
        if state == .background { expect(.didEnterBackground, to: launchAudience) }
        expectKept()
        if state == .active { expect(.didBecomeActive, to: launchAudience) }
        expectUnheard()
    }

    /// What hooks hear of a launch that isn't bound to a hello, or not any more.
    mutating func expectLaunchOfHooks(in state: LifecycleState) {
        guard policy.announcesEvents, !policy.requiresHello || isReady else { return }
        expect(.didFinishLaunching, to: .hooks, info: options.info, launch: launchDescription)
        if state == .background { expect(.didEnterBackground, to: .hooks) }
        if state == .active { expect(.didBecomeActive, to: .hooks) }
        if let event = options.wakingEvent {
            expected.append(Expected(event: .wake(event.name), info: event.info, audience: .hooks))
        }
    }

    mutating func expect(
        _ event: LifecycleEvent, to audience: Delivery.Audience = .everybody, info: [Info] = [],
        launch: LaunchDescription? = nil
    ) {
        expected.append(Expected(event: .lifecycle(event), info: info, audience: audience, launch: launch))
    }
}

extension AppInput {
    /// Who asks, if an answer is wanted.
    var request: RequestID? {
        switch self {
        case .home(_, let request), .open(let request), .quit(let request), .reclaim(let request),
            .interrupt(let request), .dismiss(let request), .post(_, let request), .wake(_, let request),
            .sleep(stays: _, request: let request):
            request
        case .beginTask(_, _, _, let request), .endTask(_, let request), .keepAlive(_, let request): request
        default: nil
        }
    }
}
