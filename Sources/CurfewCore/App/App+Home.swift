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
            let span = policy.grace(forWakingEvent: options.wakingEvent?.name)
            let grace = isAware || policy.isContinuous ? nil : Countdown(span)
            goAway(grace: grace, leftForegroundAt: nil, at: now, into: &effects)
            if policy.yieldsInBackground { effects.append(.setPriority(id, isLowered: true)) }
        } else {
            enterForeground(isActive: true, at: now, into: &effects)
        }
        startMeasuring(at: now, into: &effects)
        announcePlainLaunch(into: &effects)
        announceLaunch(at: now, into: &effects)
        demandSignOfLife(at: now)
        proceed(at: now, into: &effects)
    }

    /// `stopped`: a terminal has stopped it already, so it must be continued to use the time it is owed.
    mutating func home(stopped: Bool, request: RequestID?, at now: Moment, into effects: inout [Effect]) {
        if isAsleep, end == nil {
            wakeUp(for: "being sent home", at: now, into: &effects)
            if runsInBackground { return finishHome(request: request, at: now, into: &effects) }
        }
        guard case .foreground(let isActive) = phase.place, end == nil else {
            // One that is being ended leaves the front without a word when another takes it.
            if case .foreground = phase.place, request == nil { leaveForeground(at: now, into: &effects) }
            answerState(request, into: &effects)
            return
        }
        leaveForeground(at: now, into: &effects)
        phase.stay.isStoppedByTerminal = stopped
        if isAware || !wantsSuspension(at: now) { continueIfStopped(at: now, into: &effects) }
        let transition: Transition = policy.exitsAtHome ? .homeExiting : isActive ? .home : .interruptionAccepted
        // A plain app that stays as the terminal has stopped it isn't sent signals.
        deliver(transition, to: isStoppedByTerminal ? .hooks : .everybody, at: now, into: &effects)
        finishHome(request: request, at: now, into: &effects)
    }

    private mutating func leaveForeground(at now: Moment, into effects: inout [Effect]) {
        goAway(grace: graceAtHome, leftForegroundAt: now.lifecycle, at: now, into: &effects)
        measureAtEdge(into: &effects)
    }

    /// What a plain app may still run once it has left the front.
    var graceAtHome: Countdown? {
        isAware || policy.isContinuous ? nil : (policy.grace ?? policy.handlerGrace).map { Countdown($0) }
    }

    /// Each stay in background has the whole budget.
    private mutating func goAway(
        grace: Countdown?, leftForegroundAt: Instant?, at now: Moment, into effects: inout [Effect]
    ) {
        let before = standing
        phase.goAway(Away(budget: policy.backgroundBudget, grace: grace, leftForegroundAt: leftForegroundAt))
        moved(from: before, at: now, into: &effects)
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
            if case .foreground(isActive: false) = phase.place {
                return dismiss(request: request, at: now, into: &effects)
            }
            answerState(request, into: &effects)
            return
        }
        if isAsleep { return openAsleep(request: request, at: now, into: &effects) }
        let wasSuspended = isSuspending
        renewFreshInput(at: now)
        channel.dropBackgroundEvents()
        let wasStoppedByTerminal = isStoppedByTerminal
        enterForeground(isActive: true, at: now, into: &effects)
        enforceMemoryLimits(into: &effects)
        if wasSuspended || wasStoppedByTerminal { resume(includingStopped: wasStoppedByTerminal, into: &effects) }
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

    /// It never left the front, as far as it knows.
    private mutating func openAsleep(request: RequestID?, at now: Moment, into effects: inout [Effect]) {
        wakeUp(for: "being opened", at: now, into: &effects)
        answerState(request, into: &effects)
        proceed(at: now, into: &effects)
    }

    var canStart: Bool { phase.isStarting && end == nil }

    var canBeOpened: Bool { rejectionOfOpening == nil && phase.isAway }

    /// Why it comes to the front no more, and isn't there for long; nil: it can be opened, or is there.
    public var rejectionOfOpening: Rejection? { end != nil || phase.isOver ? .terminating : nil }

    /// One that exits on suspend has no background tasks there; one that is never suspended needs none.
    var isOwedMoreThanGrace: Bool {
        channel.owes || policy.isContinuous || !tasks.isEmpty && !policy.exitsOnSuspend
    }

    func wantsSuspension(at now: Moment) -> Bool {
        guard runsInBackground, end == nil, !isTraced, !isOwedMoreThanGrace else { return false }
        return phase.stay.run.grace?.isOver(at: now) ?? true
    }

    mutating func suspend(at now: Moment, into effects: inout [Effect]) {
        mailbox.dropWakingEvents()
        if policy.exitsOnSuspend { return terminate(at: now, into: &effects) }
        memory?.stopMeasuring()
        // The time that it had for its input is over.
        if phase.stay.run.isForInput { lastInput = nil }
        let before = standing
        shared.forgetWhatWasLeft()
        phase.suspend()
        phase.stay.suspension.wasFoundIdle = phase.stay.run.wasFoundIdle
        noteFreshInput(at: now)
        moved(from: before, at: now, into: &effects)
        effects.append(.suspend(id, includingStopped: isStoppedByTerminal))
    }

    mutating func suspensionConfirmed(isComplete: Bool, at now: Moment, into effects: inout [Effect]) {
        if isStoppingLate, isComplete { return lateStopConfirmed(into: &effects) }
        guard isAwaitingSuspension, end == nil else { return }
        let before = standing
        phase.confirmSuspension()
        moved(from: before, at: now, into: &effects)
        phase.stay.suspension.isIncomplete = !isComplete
        if !isComplete { effects.append(.note(id, .suspensionIncomplete)) }
        if !watchInput(into: &effects) { isNowAsleep(at: now, into: &effects) }
        checkLocks(into: &effects)
    }

    /// The rest of it has stopped after all. What that has opened, read and locked meanwhile nobody has seen: its input and its
    /// locks are looked at once more.
    private mutating func lateStopConfirmed(into effects: inout [Effect]) {
        phase.stay.suspension.isIncomplete = false
        retries = nil
        guard end == nil else { return }
        if wakesForInput { effects.append(.unwatchInput(id)) }
        _ = watchInput(into: &effects)
        checkLocks(into: &effects)
    }

    /// Whether its stop has been ordered and isn't confirmed.
    var isAwaitingSuspension: Bool { phase.place == .suspended(isConfirmed: false) }

    /// Whether it counts as suspended, and not all of it was seen stopped yet.
    var isStoppingLate: Bool {
        phase.place == .suspended(isConfirmed: true) && phase.stay.suspension.isIncomplete
    }

    /// Whether not all of it was seen stopped, of what was told to.
    public var isBeingStopped: Bool { isAwaitingSuspension || isStoppingLate }

    /// Resumes it in background: for a waking event, for its end, or because a message has overtaken the suspension.
    mutating func returnToBackground(grace: Countdown? = nil, at now: Moment, into effects: inout [Effect]) {
        renewFreshInput(at: now)
        let before = standing
        phase.resume(grace: grace)
        moved(from: before, at: now, into: &effects)
        resume(includingStopped: isStoppedByTerminal, into: &effects)
        demandSignOfLife(at: now)
        answerSuspensionRequests(into: &effects)
        scheduleMeasurement(at: now)
    }

    mutating func resume(includingStopped: Bool, into effects: inout [Effect]) {
        effects.append(.resume(id, includingStopped: includingStopped))
        phase.stay.isStoppedByTerminal = false
        shared.stopLooking()
    }

    /// Nothing that is owed time, or an event, is left as a terminal has stopped it.
    mutating func continueIfStopped(at now: Moment, into effects: inout [Effect]) {
        guard isStoppedByTerminal, !isSuspending else { return }
        resume(includingStopped: true, into: &effects)
        deliverKeptChanges(at: now, into: &effects)
    }

    /// A terminal has stopped it in background: it stays so until it is opened or asked to end.
    mutating func stoppedByTerminal() {
        phase.away?.isStoppedByTerminal = true
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
