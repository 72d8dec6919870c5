import CurfewCore

/// Whether each effect may come, and what it means.
extension ReferenceApp {
    mutating func judge(_ effect: Effect, of input: Input) throws(Violation) {
        guard !isGone else { throw Violation("an effect after the end: \(effect)") }
        switch effect {
        case .deliver(_, let delivery): try judge(delivery, of: input)
        case .suspend(_, let includingStopped):
            try judgeTerminalStop(includingStopped)
            try judgeSuspension()
        case .resume(_, let includingStopped):
            try judgeTerminalStop(includingStopped)
            try judgeResumption()
            wasStoppedByTerminal = false
        case .confirmSuspension:
            guard isBeingStopped || isStoppingLate, !isOver else {
                throw Violation("looked whether it is stopped without need")
            }
        case .killAgain:
            guard isOver else { throw Violation("killed again, and never before") }
        case .continuePageOut:
            guard state == .suspended else { throw Violation("paged out while \(state)") }
        case .terminate(_, let signal): try judgeTermination(signal)
        case .kill(_, let report): try judge(report, of: input)
        case .sweep(_, let kills): try judgeSweep(kills: kills, of: input)
        case .ended(_, let ending):
            guard ending.isComplete == (input != .app(id, .killIncomplete)) else {
                throw Violation("wrong about what is left")
            }
            try judge(ending)
        // TimeoutTests has a reference of its own for these.
        case .signal, .expire, .killLeader, .release:
            throw Violation("no time limit here is kept as timeout(1) keeps it")
        case .stateChanged(_, let from, let to): try change(from, to, by: input)
        case .measureFootprint:
            guard let memory = policy.memory else { throw Violation("measured without need") }
            guard isRunning || memory.background != memory.foreground else {
                throw Violation("measured while it doesn't run")
            }
            awaitsMeasurement = true
        case .limitMemory(_, let enforcement):
            guard let memory = policy.memory, memory.isEnforcedByKernel else {
                throw Violation("nobody enforces \(effect)")
            }
            let limits = isInFront ? memory.foreground : memory.background
            guard enforcement.fatal == limits.fatal else { throw Violation("another limit is enforced: \(effect)") }
        case .checkLocks:
            guard policy.locks != .ignore, isStopped || policy.locks == .defer else {
                throw Violation("looked for locks without need")
            }
        case .pageOut:
            guard policy.pageOut != nil, state == .suspended else { throw Violation("paged out while \(state)") }
        case .throttle(_, let limits):
            guard policy.backgroundCPU?.action == .throttle, limits == nil || runsInBackground else {
                throw Violation("throttled without need")
            }
        case .setPriority(_, let isLowered):
            guard policy.yieldsInBackground, isLowered == !isInFront || isOver else {
                throw Violation("wrong priority")
            }
        // SleepTests has the rules of these; no policy here sleeps.
        case .watchInput, .unwatchInput, .lookForConnection, .measureIdleness:
            throw Violation("\(effect) of an app that never sleeps")
        case .measureAvailableMemory, .measureFreeDisk, .pressureChanged: break
        case .sendJoinedHome: throw Violation("an app of another supervisor, and there is none")
        case .measureCPUTime:
            guard lacksCPUTime || policy.backgroundCPU != nil && runsInBackground else {
                throw Violation("CPU time is measured without need")
            }
            awaitsCPUTime = true
        case .checkTracer:
            guard !isOver else { throw Violation("looked for a debugger of an app that is over") }
            guard !awaitsTracer else { throw Violation("a second tracer check before the first is answered") }
            awaitsTracer = true
        case .note(_, let note): try judge(note, of: input)
        case .reply: break
        }
    }

    mutating func answered(_ request: RequestID, _ reply: Reply, expected: Reply?) throws(Violation) {
        guard unanswered.remove(request) != nil else { throw Violation("request \(request.rawValue) answered twice") }
        if let expected {
            guard reply == expected else { throw Violation("reply \(reply), expected \(expected)") }
        } else {
            guard reply == .state(state) else { throw Violation("reply \(reply) in \(state)") }
        }
    }

    /// Whether something has begun whose report will tell the CPU time used.
    var lacksCPUTime: Bool {
        if isOver { return false }
        if let termination, termination.cpuTimeAtStart == nil, !isEndingRest { return true }
        return owed.contains { $0.allowance.cpuTimeAtStart == nil }
    }

    // MARK: States

    private mutating func change(
        _ from: LifecycleState, _ to: LifecycleState, by input: Input
    ) throws(Violation) {
        guard from == state, to != from else { throw Violation("\(from) -> \(to) while in \(state)") }
        if from == .suspended, to != .notRunning, !isStopped { throw Violation("suspended, and not stopped") }
        if to == .suspended, !isStopped { throw Violation("suspended without a stop") }
        guard isCause(input, of: from, to) else { throw Violation("\(from) -> \(to) by \(input)") }
        state = to
        switch (from, to) {
        case (_, .notRunning): endRun()
        case (.notRunning, _):
            expectLaunchOfHooks(in: to)
            if isAware { expectLaunch(in: to) }
        case (.active, .inactive): if isHeard { expect(.willResignActive) }
        case (.inactive, .active): if isHeard { expect(.didBecomeActive) }
        case (_, .active): comeToFront()
        case (_, .background): if from.isForeground { leaveFront(wasActive: from == .active) }
        default: break
        }
    }

    private func isCause(_ input: Input, of from: LifecycleState, _ to: LifecycleState) -> Bool {
        switch (from, to) {
        case (_, .notRunning): isOver || input == .app(id, .treeGone) || leader != nil
        case (.notRunning, .active), (.notRunning, .background): input == .app(id, .started)
        case (.active, .inactive): input.isInterruption
        case (.inactive, .active): input.isDismissal || input.isOpen(of: id)
        case (.background, .active), (.suspended, .active): input.isOpen(of: id)
        case (.active, .background), (.inactive, .background): input.isHome || input.bringsToFront(otherThan: id)
        case (.background, .suspended):
            input == .app(id, .suspensionConfirmed) || input == .app(id, .suspensionIncomplete)
        case (.suspended, .background): mustRun || isTerminating
        default: false
        }
    }

    private mutating func comeToFront() {
        owed.removeAll { $0.event.isOfBackground }
        grace = nil
        isWarned = false
        withoutSign = 0
        if isAware, !hasHeardLaunch { return expectLaunch(in: .active) }
        if isHeard { expect(.willEnterForeground) }
        expectKept()
        if isHeard { expect(.didBecomeActive) }
    }

    /// One that is being ended leaves without a word when another takes the front.
    private mutating func leaveFront(wasActive: Bool) {
        charged = 0
        isWarned = false
        grace = isAware || isContinuous ? nil : policy.grace
        graceUsed = 0
        guard isHeard, !isTerminating else { return }
        if wasActive, !exitsOnSuspend { expect(.willResignActive) }
        expect(.didEnterBackground)
    }

    // MARK: Deliveries

    private mutating func judge(_ delivery: Delivery, of input: Input) throws(Violation) {
        let event = delivery.event
        guard hasStarted, !isOver else { throw Violation("\(event) delivered to an app that doesn't run") }
        guard !isStopped else { throw Violation("\(event) delivered to a suspended app") }
        if isStoppedByTerminal, delivery.audience != .hooks {
            throw Violation("\(event) delivered to an app that a terminal has stopped")
        }
        guard delivery.sequence == lastSequence + 1 else { throw Violation("\(event) out of sequence") }
        lastSequence = delivery.sequence
        if event == .lifecycle(.backgroundTaskWillExpire) { return try judgeExpiration(delivery) }
        if isExpiration(delivery) { return try judgeExpiration(ofRequest: delivery, by: input) }
        try judgeOrder(of: delivery)
        guard delivery.connections == (delivery.audience == .hooks ? [] : connections) else {
            throw Violation("\(event) to \(delivery.connections), expected \(connections)")
        }
        if isAware, delivery.audience != .hooks {
            try judgeLimit(of: delivery)
        } else if delivery.event == .lifecycle(.willTerminate), delivery.limit != policy.terminateLimit {
            throw Violation("wrong limit: \(delivery)")
        }
    }

    /// It is the event that has to come next, or the end of one that exits where others are suspended.
    private mutating func judgeOrder(of delivery: Delivery) throws(Violation) {
        if delivery.event == .lifecycle(.willTerminate), !isTerminating {
            try judgeExit()
            expect(.willTerminate, to: terminationAudience)
            beginTermination()
        }
        if delivery.event == .wake(App.keepAliveEvent), owesKeepAlive { beginKeepAlive() }
        guard !expected.isEmpty else { throw Violation("\(delivery.event), and nothing was expected") }
        let next = expected.removeFirst()
        guard delivery.event == next.event else { throw Violation("\(delivery.event), expected \(next.event)") }
        let audience = isStoppedByTerminal ? .hooks : next.audience
        guard delivery.info == next.info, delivery.launch == next.launch, delivery.task == nil,
            delivery.audience == audience
        else { throw Violation("\(delivery), expected \(next)") }
    }

    /// The time it has, which it owes an acknowledgement within.
    private mutating func judgeLimit(of delivery: Delivery) throws(Violation) {
        let limit: Span?
        var allowance: Allowance?
        var lead: Span?
        switch delivery.event {
        case .lifecycle(.didFinishLaunching):
            allowance = isReady ? nil : hello ?? Allowance(policy.launchLimit)
            limit = allowance?.left
            hello = nil
            hasHeardLaunch = true
        case .lifecycle(.didEnterBackground):
            limit = policy.enterBackgroundLimit
            allowance = Allowance(policy.enterBackgroundLimit)
        case .lifecycle(.willTerminate):
            limit = policy.terminateLimit
            willTerminate = delivery.sequence
        case .wake(let name) where state == .background:
            let time = self.limit(ofWaking: name)
            limit = time
            allowance = Allowance(time)
            lead = Self.isRequest(name) ? min(policy.expirationLead, time) : nil
        case .lifecycle, .wake, .change: limit = nil
        }
        guard delivery.limit == limit else {
            throw Violation("wrong limit: \(delivery), expected \(limit.map { text($0) } ?? "none")")
        }
        guard let allowance else { return }
        owed.append(
            Owed(sequence: delivery.sequence, event: delivery.event, allowance: allowance, lead: lead))
    }

    private func judgeExpiration(_ delivery: Delivery) throws(Violation) {
        guard isWarned, !isTerminating, let task = tasks.first(where: { $0.id == delivery.task }) else {
            throw Violation("an expiration of no task")
        }
        let left = max(budget - charged, owedAfterWarning - sinceWarning)
        guard delivery.limit == Span(nanoseconds: left) else { throw Violation("wrong time left: \(delivery)") }
        var listeners = connections
        if let beginner = task.connection, !listeners.contains(beginner) { listeners.append(beginner) }
        guard delivery.connections == listeners, !listeners.isEmpty || policy.announcesEvents else {
            throw Violation("an expiration to \(delivery.connections), expected \(listeners)")
        }
    }

    // MARK: Stopping and ending

    private func judgeTerminalStop(_ isTold: Bool) throws(Violation) {
        guard isTold == wasStoppedByTerminal else { throw Violation("wrong about a terminal's stop") }
    }

    private mutating func judgeSuspension() throws(Violation) {
        guard tasks.isEmpty else { throw Violation("suspended with tasks open") }
        guard !isContinuous else { throw Violation("suspended, and it runs on without end") }
        guard !exitsOnSuspend else { throw Violation("suspended, and not ended") }
        try judgeLeisure()
        isStopped = true
        isStoppingLate = false
        isStoppedByTerminal = false
    }

    private mutating func judgeExit() throws(Violation) {
        guard exitsOnSuspend else { throw Violation("ended unasked") }
        try judgeLeisure()
    }

    /// It is stopped, or ended, only when nothing lets it run on.
    private mutating func judgeLeisure() throws(Violation) {
        guard runsInBackground else { throw Violation("suspended in \(state)") }
        guard owed.isEmpty, hello == nil else { throw Violation("suspended while it owes an acknowledgement") }
        guard isGraceOver else { throw Violation("suspended within its grace") }
        guard !isHeldOff else { throw Violation("suspended while traced, or perhaps traced") }
        guard !isTerminating else { throw Violation("suspended while it is being ended") }
        grace = nil
        unheard.removeAll()
    }

    private mutating func judgeResumption() throws(Violation) {
        guard isStopped || isStoppedByTerminal, !isOver else { throw Violation("continued, and wasn't stopped") }
        if isStopped { withoutSign = 0 } else { expected = takeKept() + expected }
        isStopped = false
        isStoppingLate = false
        isStoppedByTerminal = false
        staysStopped = false
    }

    /// What the leader left behind is waited for, and killed when it was told to end long enough ago.
    private mutating func judgeSweep(kills: Bool, of input: Input) throws(Violation) {
        guard leader != nil, kill == nil else { throw Violation("swept with its leader there") }
        guard kills else {
            guard case .app(_, .leaderExited) = input else { throw Violation("waited for the rest by \(input)") }
            return
        }
        guard !policy.waitsForTree else { throw Violation("killed what is to be waited for") }
        if isEndingRest {
            let isLate = !isHeldOff && termination?.isOver == true
            guard isLate || age >= policy.timeLimit.nanoseconds else { throw Violation("the rest is killed too soon") }
            let sinceAsked = Span(nanoseconds: age - (askedAt ?? age))
            restKilledAfter = isLate && age < policy.timeLimit.nanoseconds ? termination?.limit : sinceAsked
        } else {
            guard isStopped, policy.terminateSuspended == .kill else { throw Violation("the rest isn't asked to end") }
        }
        endRun()
    }

    private mutating func judgeTermination(_ signal: Int32) throws(Violation) {
        if mustAskRest {
            guard isRunning, signal == policy.terminateSignal else { throw Violation("signal \(signal) to the rest") }
            mustAskRest = false
            hasAskedRest = true
            askedAt = age
            return
        }
        if !isTerminating {
            try judgeExit()
            beginTermination()
        }
        guard !isAware, isRunning, !wasSentSignal, signal == policy.terminateSignal else {
            throw Violation("signal \(signal) out of place")
        }
        wasSentSignal = true
        askedAt = age
    }

    private mutating func judge(_ ending: Ending) throws(Violation) {
        isGone = true
        let status: Ending.Status
        if let kill {
            status = .exit(kill.exitStatus)
        } else {
            switch leader {
            case .exited(let code): status = .exit(Int32(code))
            case .signaled(let signal, _) where wasSentSignal && signal == policy.terminateSignal:
                status = .exit(128 + signal)
            case .signaled(let signal, _): status = .raise(signal: signal)
            case nil: status = .exit(125)
            }
        }
        guard ending.restKilledAfter == restKilledAfter else { throw Violation("wrong about the rest") }
        guard ending.status == status else { throw Violation("ended with \(ending.status), expected \(status)") }
    }
}

extension Event {
    /// What an app that is in front again needn't answer.
    fileprivate var isOfBackground: Bool {
        if case .wake = self { true } else { self == .lifecycle(.didEnterBackground) }
    }
}

extension Input {
    fileprivate var isInterruption: Bool { if case .app(_, .interrupt) = self { true } else { false } }
    fileprivate var isDismissal: Bool { if case .app(_, .dismiss) = self { true } else { false } }
    fileprivate var isHome: Bool { if case .app(_, .home) = self { true } else { false } }

    func isOpen(of id: AppID) -> Bool { if case .app(id, .open(_)) = self { true } else { false } }

    /// Whether another app comes to the front.
    fileprivate func bringsToFront(otherThan id: AppID) -> Bool {
        switch self {
        case .app(let other, .open), .app(let other, .started): other != id
        default: false
        }
    }
}
