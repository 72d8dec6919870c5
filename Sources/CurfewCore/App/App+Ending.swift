/// Being asked to end, being killed, ending.
extension App {
    mutating func quit(request: RequestID?, at now: Moment, into effects: inout [Effect]) {
        defer { answerState(request, into: &effects) }
        guard end == nil else { return }
        switch phase.place {
        case .starting: kill(killReport(.userQuit, at: now), at: now, into: &effects)
        case .suspended where isAsleep:
            // It is ended as if it ran.
            wakeUp(for: "being ended", at: now, into: &effects)
            terminate(at: now, into: &effects)
        case .suspended where policy.terminateSuspended == .kill:
            kill(killReport(.userQuit, at: now), at: now, into: &effects)
        case .suspended:
            returnToBackground(at: now, into: &effects)
            terminate(at: now, into: &effects)
        case .foreground, .running: terminate(at: now, into: &effects)
        case .over: break
        }
    }

    /// What jetsam does to whoever is suspended, without its reason; nothing is told to a stopped process.
    mutating func reclaim(request: RequestID?, at now: Moment, into effects: inout [Effect]) {
        guard end == nil, case .suspended = phase.place else {
            if let request { effects.append(.reply(request, .rejected(.notSuspended))) }
            return
        }
        var report = killReport(.memoryPressure, at: now)
        report.isReclaimedByHand = true
        kill(report, at: now, into: &effects)
        answerState(request, into: &effects)
    }

    /// `willTerminate` for an aware app, SIGTERM for a plain one; then its limit runs.
    mutating func terminate(at now: Moment, into effects: inout [Effect]) {
        channel.dropAll()
        phase.run?.lockDeferral = nil
        continueIfStopped(at: now, into: &effects)
        let watchdog = watchdog(policy.terminateLimit, at: now)
        if isAware {
            deliver(.termination, at: now, into: &effects)
            end = .terminating(watchdog, sequence: channel.lastSequence)
        } else {
            wasTerminated = true
            askedInstant = now.lifecycle
            end = .terminating(watchdog, sequence: nil)
            deliver(.willTerminate, to: .hooks, at: now, into: &effects)
            effects.append(.terminate(id, signal: policy.terminateSignal))
            effects.append(.measureCPUTime(id))
        }
        updateClocks(at: now)
        answerSuspensionRequests(into: &effects)
    }

    /// A report with what is true of every kill.
    func killReport(_ reason: KillReason, limit: Span? = nil, elapsed: Span? = nil, at now: Moment) -> KillReport {
        var report = KillReport(reason, state: state, tasks: backgroundTasks.ages(at: now))
        report.isInForeground = isInForeground
        report.band = band(at: now)
        report.limit = limit
        report.elapsed = elapsed
        return report
    }

    /// As the other, with what a watchdog saw.
    func killReport(_ reason: KillReason, event: Event?, _ watchdog: Watchdog, at now: Moment) -> KillReport {
        var report = killReport(reason, limit: watchdog.limit, elapsed: watchdog.elapsed(at: now), at: now)
        report.event = event
        if let cpuTime, let start = watchdog.cpuTimeAtStart { report.cpuTime = max(.zero, cpuTime - start) }
        return report
    }

    mutating func kill(_ report: KillReport, at now: Moment, into effects: inout [Effect]) {
        if case .killed = end { return }
        end = .killed(report)
        channel.dropPending()
        backgroundTasks.drop()
        mailbox.dropChanges()
        effects.append(.kill(id, report))
        enterOver(at: now, into: &effects)
        answerSuspensionRequests(into: &effects)
    }

    mutating func leaderExited(_ outcome: ExitOutcome, at now: Moment, into effects: inout [Effect]) {
        guard leader == nil else { return }
        leader = outcome
        stateAtExit = state
        if case .killed = end { return }
        if policy.waitsForTree { return effects.append(.sweep(id, kills: false)) }
        // What it has left behind ends as if it had been awake.
        if isAsleep { wakeUp(for: "the end of its leader", at: now, into: &effects) }
        channel.dropAll()
        backgroundTasks.drop()
        mailbox.dropChanges()
        if let timeout = policy.timeout, sparesRest(timeout) {
            effects.append(.release(id))
            enterOver(at: now, into: &effects)
        } else if isSuspending, policy.timeout == nil, policy.terminateSuspended == .kill {
            effects.append(.sweep(id, kills: true))
            enterOver(at: now, into: &effects)
        } else {
            endRest(at: now, into: &effects)
        }
        answerSuspensionRequests(into: &effects)
    }

    /// What it has left behind ends as it would have itself: asked, and killed once the time for that is over. If there
    /// is none, `treeGone` comes next, else `leftBehind`.
    private mutating func endRest(at now: Moment, into effects: inout [Effect]) {
        if policy.timeout != nil {
            awaitRestOfTimeout()
            end = .terminating(Watchdog(.infinite, startingAt: nil), sequence: nil)
        } else if end == nil {
            end = .terminating(watchdog(policy.terminateLimit, at: now), sequence: nil)
        }
        updateClocks(at: now)
        effects.append(.sweep(id, kills: false))
    }

    /// Whether its main process has ended, and what that has left behind is being ended.
    var isEndingRest: Bool { leader != nil && isTerminating && !policy.waitsForTree }

    /// Something of it is still there. Whoever was asked to end with the main process isn't asked again.
    mutating func leftBehind(at now: Moment, into effects: inout [Effect]) {
        isLeaving = true
        guard isEndingRest, !phase.isOver, case .terminating(_, let sequence) = end else { return }
        if isSuspending {
            returnToBackground(at: now, into: &effects)
        } else {
            continueIfStopped(at: now, into: &effects)
        }
        if policy.timeout == nil, askedInstant == nil {
            askedInstant = now.lifecycle
            end = .terminating(watchdog(policy.terminateLimit, at: now), sequence: sequence)
            effects.append(.terminate(id, signal: policy.terminateSignal))
        }
        proceed(at: now, into: &effects)
    }

    /// Nobody can hold it any more.
    mutating func reaperLost(at now: Moment, into effects: inout [Effect]) {
        if !phase.isOver { kill(killReport(.supervisorExit, at: now), at: now, into: &effects) }
    }

    /// It was asked, and hasn't ended in time. The main process's end stays the app's.
    mutating func killRest(after limit: Span, at now: Moment, into effects: inout [Effect]) {
        restKilledAfter = limit
        effects.append(.sweep(id, kills: true))
        enterOver(at: now, into: &effects)
    }

    /// `isComplete`: nothing of it is left.
    mutating func treeGone(isComplete: Bool, at now: Moment, into effects: inout [Effect]) {
        let finalState = endingState
        backgroundTasks.drop()
        enterOver(at: now, into: &effects)
        answerSuspensionRequests(into: &effects)
        effects.append(
            .ended(
                id,
                Ending(
                    kill: killed ?? limit.report, leader: leader,
                    terminateSignal: wasTerminated ? policy.terminateSignal : nil, state: finalState,
                    timeout: timeoutOutcome, restKilledAfter: restKilledAfter,
                    restWasAsked: !wasTerminated && askedInstant != nil, isComplete: isComplete)))
    }

    private var endingState: LifecycleState { killed?.state ?? stateAtExit ?? state }

    var isKilled: Bool {
        if case .killed = end { true } else { false }
    }

    var killed: KillReport? {
        if case .killed(let report) = end { report } else { nil }
    }
}
