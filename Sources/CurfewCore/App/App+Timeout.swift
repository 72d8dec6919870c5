/// A time limit as timeout(1) keeps it: a signal at first, SIGKILL later or never; and the signals it was sent itself.
extension App {
    private static let signalKill: Int32 = 9
    private static let signalAlarm: Int32 = 14

    /// A signal that its supervisor was sent. SIGALRM is the limit's own.
    ///
    /// Source: coreutils manual, "timeout invocation": a signal to timeout itself goes to the command too.
    mutating func relay(_ signal: Int32, isHeard: Bool, at now: Moment, into effects: inout [Effect]) {
        guard let policy = policy.timeout, !phase.isStarting, !phase.isOver else { return }
        if isEndingRest { return relayToRest(signal, isHeard: isHeard, into: &effects) }
        guard leader == nil else { return }
        if signal == Self.signalAlarm { return expire(policy, at: now, into: &effects) }
        limit.signalled(policy, at: now)
        if isHeard { return }
        wake(forSignalUntil: self.policy.terminateLimit, at: now, into: &effects)
        effects.append(.signal(id, signal, mainProcessOnly: policy.sparesDescendants))
    }

    /// Its time is over as it is.
    private func relayToRest(_ signal: Int32, isHeard: Bool, into effects: inout [Effect]) {
        if !isHeard, signal != Self.signalAlarm { effects.append(.signal(id, signal, mainProcessOnly: false)) }
    }

    /// The limit has passed. With `killAfter`, one signal is all the notice that is given, whoever sent it.
    mutating func expire(_ policy: TimeoutPolicy, at now: Moment, into effects: inout [Effect]) {
        let hadNotice = limit.hasSignalled && policy.killAfter != nil
        let isFirst = !limit.hasExpired
        noteExpiry(at: now)
        if hadNotice || policy.signal == Self.signalKill { return killForTimeout(policy, at: now, into: &effects) }
        limit.signalledForExpiry(policy, at: now)
        wake(forSignalUntil: .infinite, at: now, into: &effects)
        if isFirst, let report = limit.report { effects.append(.expire(id, report)) }
        effects.append(.signal(id, policy.signal, mainProcessOnly: policy.sparesDescendants))
    }

    /// Whoever waited for it was killed: it gets the limit's signal at once, and SIGKILL later in any case.
    ///
    /// Source: coreutils NEWS, 9.10: the command is sent the signal when timeout itself is killed.
    mutating func abandoned(at now: Moment, into effects: inout [Effect]) {
        guard let policy = policy.timeout, !phase.isOver, !limit.isAbandoned else { return }
        limit.abandon(patience: self.policy.restLimit(policy), at: now)
        guard leader == nil, !phase.isStarting else { return }
        if policy.signal == Self.signalKill { return killForTimeout(policy, at: now, into: &effects) }
        limit.signalledForAbandonment()
        wake(forSignalUntil: .infinite, at: now, into: &effects)
        effects.append(.signal(id, policy.signal, mainProcessOnly: policy.sparesDescendants))
    }

    /// It didn't end of the signal.
    mutating func killForTimeout(_ policy: TimeoutPolicy, at now: Moment, into effects: inout [Effect]) {
        if !limit.isAbandoned { noteExpiry(at: now) }
        limit.killIsDue()
        if isEndingRest { return killRest(after: self.policy.restLimit(policy), at: now, into: &effects) }
        guard limit.kill() else { return }
        let report = limit.report ?? killReport(.supervisorExit, at: now)
        if policy.sparesDescendants {
            effects.append(.killLeader(id, report))
        } else {
            kill(report, at: now, into: &effects)
        }
    }

    private mutating func noteExpiry(at now: Moment) {
        if !limit.hasExpired { limit.expire(timeLimitReport(at: now)) }
    }

    /// What is stopped would only let the signal pend; and whoever handles it needs time for that.
    private mutating func wake(forSignalUntil end: Span, at now: Moment, into effects: inout [Effect]) {
        if isAsleep { wakeUp(for: "a signal", at: now, into: &effects) }
        let grace = isAware || policy.isContinuous ? nil : countdown(end, at: now)
        if let grace { phase.run?.grace = grace }
        if isSuspending {
            returnToBackground(grace: grace, at: now, into: &effects)
        } else {
            continueIfStopped(at: now, into: &effects)
        }
        endUnwantedDeferral(at: now, into: &effects)
    }

    /// What the leader has left behind ends too once the time is over, and is left alone before.
    func sparesRest(_ policy: TimeoutPolicy) -> Bool {
        policy.sparesDescendants || !limit.hasExpired && !limit.isAbandoned
    }

    /// It has had the signal with the leader, and what `killAfter` leaves it from there.
    mutating func awaitRestOfTimeout() {
        if let policy = policy.timeout { limit.awaitRest(patience: self.policy.restLimit(policy)) }
    }

    var timeoutOutcome: TimeoutOutcome? { policy.timeout.map { limit.outcome($0) } }
}
