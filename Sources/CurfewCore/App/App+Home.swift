/// Launching, going home, being opened, being stopped.
extension App {
    mutating func started(at now: Moment, into effects: inout [Effect]) {
        guard canStart else { return }
        startedAt = now.lifecycle
        if policy.requiresHello, !channel.hasFinishedLaunching, !isReady {
            channel.demandHello(
                Watchdog(policy.launchLimit, startingAt: isTraced ? nil : now, cpuTimeAtStart: .zero))
        }
        if launchedInBackground {
            grace = isAware ? nil : Countdown(policy.grace ?? policy.wakeLimit)
            enter(.background, at: now, into: &effects)
            if policy.yieldsInBackground { effects.append(.setPriority(id, isLowered: true)) }
        } else {
            enter(.foreground(isActive: true), at: now, into: &effects)
        }
        startMeasuring(at: now, into: &effects)
        announcePlainLaunch(into: &effects)
        announceLaunch(at: now, into: &effects)
        demandSignOfLife(at: now)
        proceed(at: now, into: &effects)
    }

    /// `stopped`: a terminal has stopped it already, so it must be continued to use the time it is owed.
    mutating func home(stopped: Bool, request: RequestID?, at now: Moment, into effects: inout [Effect]) {
        guard case .foreground(let isActive) = phase, end == nil else {
            // One that is being ended leaves the front without a word when another takes it.
            if case .foreground = phase, request == nil { leaveForeground(at: now, into: &effects) }
            answerState(request, into: &effects)
            return
        }
        leaveForeground(at: now, into: &effects)
        isStoppedByTerminal = stopped
        if isAware || !wantsSuspension(at: now) { continueIfStopped(at: now, into: &effects) }
        let transition: Transition = policy.exitsOnSuspend ? .homeExiting : isActive ? .home : .interruptionAccepted
        // A plain app that stays as the terminal has stopped it isn't sent signals.
        deliver(transition, to: isStoppedByTerminal ? .hooks : .everybody, at: now, into: &effects)
        finishHome(request: request, at: now, into: &effects)
    }

    /// Each edge from foreground to background refills the budget.
    private mutating func leaveForeground(at now: Moment, into effects: inout [Effect]) {
        budget = Countdown(policy.backgroundBudget)
        warning = nil
        grace = isAware ? nil : (policy.grace ?? policy.handlerGrace).map { Countdown($0) }
        enter(.background, at: now, into: &effects)
        measureAtEdge(into: &effects)
    }

    private mutating func finishHome(request: RequestID?, at now: Moment, into effects: inout [Effect]) {
        if wantsSuspension(at: now), let request {
            suspensionRequests.append(request)
        } else {
            answerState(request, into: &effects)
        }
        proceed(at: now, into: &effects)
    }

    mutating func open(request: RequestID?, at now: Moment, into effects: inout [Effect]) {
        guard canBeOpened else {
            if case .foreground(isActive: false) = phase { return dismiss(request: request, at: now, into: &effects) }
            answerState(request, into: &effects)
            return
        }
        let wasSuspended = isSuspending
        channel.dropBackgroundEvents()
        grace = nil
        warning = nil
        enter(.foreground(isActive: true), at: now, into: &effects)
        enforceMemoryLimits(into: &effects)
        if wasSuspended || isStoppedByTerminal { resume(into: &effects) }
        if isAware, !channel.hasFinishedLaunching {
            announceLaunch(at: now, into: &effects)
        } else {
            deliver(wasSuspended ? .openFromSuspended : .openFromBackground, at: now, into: &effects)
        }
        demandSignOfLife(at: now)
        answerSuspensionRequests(into: &effects)
        answerState(request, into: &effects)
        scheduleMeasurement(at: now)
        proceed(at: now, into: &effects)
    }

    var canStart: Bool { phase == .starting && end == nil }

    var canBeOpened: Bool { end == nil && (phase == .background || isSuspending) }

    /// Whether the stop has been ordered, confirmed or not.
    var isSuspending: Bool {
        if case .suspended = phase { true } else { false }
    }

    /// Whether something lets it run on in background. One that exits on suspend has no background tasks there.
    func isOwedTime(at now: Moment) -> Bool {
        isOwedMoreThanGrace || !(grace?.isOver(at: now) ?? true)
    }

    var isOwedMoreThanGrace: Bool {
        channel.owes || !tasks.isEmpty && !policy.exitsOnSuspend
    }

    func wantsSuspension(at now: Moment) -> Bool {
        phase == .background && end == nil && !isTraced && !isOwedTime(at: now)
    }

    mutating func suspend(at now: Moment, into effects: inout [Effect]) {
        grace = nil
        mailbox.dropWakingEvents()
        if policy.exitsOnSuspend { return terminate(at: now, into: &effects) }
        memory?.stopMeasuring()
        enter(.suspended(isConfirmed: false), at: now, into: &effects)
        effects.append(.suspend(id, includingStopped: isStoppedByTerminal))
    }

    mutating func suspensionConfirmed(isComplete: Bool, at now: Moment, into effects: inout [Effect]) {
        guard phase == .suspended(isConfirmed: false), end == nil else { return }
        enter(.suspended(isConfirmed: true), at: now, into: &effects)
        if !isComplete { effects.append(.note(id, .suspensionIncomplete)) }
        answerSuspensionRequests(into: &effects)
        schedulePageOut(at: now)
        checkLocks(into: &effects)
    }

    /// Resumes it in background: for a waking event, for its end, or because a message has overtaken the suspension.
    mutating func returnToBackground(at now: Moment, into effects: inout [Effect]) {
        enter(.background, at: now, into: &effects)
        resume(into: &effects)
        demandSignOfLife(at: now)
        answerSuspensionRequests(into: &effects)
        scheduleMeasurement(at: now)
    }

    mutating func resume(into effects: inout [Effect]) {
        effects.append(.resume(id, includingStopped: isStoppedByTerminal))
        isStoppedByTerminal = false
    }

    /// Nothing that is owed time, or an event, is left as a terminal has stopped it.
    mutating func continueIfStopped(at now: Moment, into effects: inout [Effect]) {
        guard isStoppedByTerminal, !isSuspending else { return }
        resume(into: &effects)
        deliverKeptChanges(at: now, into: &effects)
    }

    /// A terminal has stopped it in background: it stays so until it is opened or asked to end.
    mutating func stoppedByTerminal() {
        if phase == .background || isSuspending { isStoppedByTerminal = true }
    }

    func answerState(_ request: RequestID?, into effects: inout [Effect]) {
        guard let request else { return }
        effects.append(.reply(request, .state(state)))
    }

    mutating func answerSuspensionRequests(into effects: inout [Effect]) {
        for request in suspensionRequests { answerState(request, into: &effects) }
        suspensionRequests.removeAll()
    }
}
