/// A time limit as timeout(1) keeps it: a signal at first, SIGKILL later or never; and the signals it was sent itself.
extension App {
    /// How far it has come.
    struct TimeoutProgress: Sendable, Hashable {
        /// When SIGKILL is due; nil before the first signal, without `killAfter`, and after it.
        var killInstant: Instant?
        var hasSignalled = false
        var hasKilled = false
        /// The limit itself has passed; SIGALRM can have said so before.
        var isLimitOver = false
        /// When it was last signalled because its time was over.
        var expirySignal: Instant?
        /// Nobody waits for it any more.
        var isAbandoned = false
        var expiry: Expiry?

        /// Indirect, as it is large and rare.
        indirect enum Expiry: Sendable, Hashable { case report(KillReport) }
    }

    private static let signalKill: Int32 = 9
    private static let signalAlarm: Int32 = 14

    var hasTimedOut: Bool { timeout.expiry != nil }

    /// A signal that its supervisor was sent. SIGALRM is the limit's own.
    ///
    /// Source: coreutils manual, "timeout invocation": a signal to timeout itself goes to the command too.
    mutating func relay(_ signal: Int32, isHeard: Bool, at now: Moment, into effects: inout [Effect]) {
        guard let policy = policy.timeout, phase != .starting, phase != .over else { return }
        if isEndingRest { return relayToRest(signal, isHeard: isHeard, into: &effects) }
        guard leader == nil else { return }
        if signal == Self.signalAlarm { return expire(policy, at: now, into: &effects) }
        scheduleKill(policy, at: now)
        if isHeard { return }
        wake(forSignalUntil: self.policy.terminateLimit, at: now, into: &effects)
        effects.append(.signal(id, signal, leaderOnly: policy.sparesDescendants))
    }

    /// Its time is over as it is.
    private func relayToRest(_ signal: Int32, isHeard: Bool, into effects: inout [Effect]) {
        if !isHeard, signal != Self.signalAlarm { effects.append(.signal(id, signal, leaderOnly: false)) }
    }

    /// The limit has passed. With `killAfter`, one signal is all the notice that is given, whoever sent it.
    mutating func expire(_ policy: TimeoutPolicy, at now: Moment, into effects: inout [Effect]) {
        let hadNotice = timeout.hasSignalled && policy.killAfter != nil
        let isFirst = !hasTimedOut
        noteExpiry(at: now)
        if hadNotice || policy.signal == Self.signalKill { return killForTimeout(policy, at: now, into: &effects) }
        scheduleKill(policy, at: now)
        timeout.expirySignal = now.lifecycle
        wake(forSignalUntil: .infinite, at: now, into: &effects)
        if isFirst, let report = expiryReport { effects.append(.expire(id, report)) }
        effects.append(.signal(id, policy.signal, leaderOnly: policy.sparesDescendants))
    }

    /// Whoever waited for it was killed: it gets the limit's signal at once, and SIGKILL later in any case.
    ///
    /// Source: coreutils NEWS, 9.10: the command is sent the signal when timeout itself is killed.
    mutating func abandoned(at now: Moment, into effects: inout [Effect]) {
        guard let policy = policy.timeout, phase != .over, !timeout.isAbandoned else { return }
        timeout.isAbandoned = true
        if timeout.killInstant == nil { timeout.killInstant = now.lifecycle + self.policy.restLimit(policy) }
        guard leader == nil, phase != .starting else { return }
        if policy.signal == Self.signalKill { return killForTimeout(policy, at: now, into: &effects) }
        timeout.hasSignalled = true
        wake(forSignalUntil: .infinite, at: now, into: &effects)
        effects.append(.signal(id, policy.signal, leaderOnly: policy.sparesDescendants))
    }

    /// It didn't end of the signal.
    mutating func killForTimeout(_ policy: TimeoutPolicy, at now: Moment, into effects: inout [Effect]) {
        if !timeout.isAbandoned { noteExpiry(at: now) }
        timeout.killInstant = nil
        if isEndingRest { return killRest(after: self.policy.restLimit(policy), at: now, into: &effects) }
        if timeout.hasKilled { return }
        timeout.hasKilled = true
        let report = expiryReport ?? killReport(.supervisorExit, at: now)
        if policy.sparesDescendants {
            effects.append(.killLeader(id, report))
        } else {
            kill(report, at: now, into: &effects)
        }
    }

    /// The first signal is what the time until SIGKILL counts from.
    private mutating func scheduleKill(_ policy: TimeoutPolicy, at now: Moment) {
        guard !timeout.hasSignalled else { return }
        timeout.hasSignalled = true
        if let killAfter = policy.killAfter, !killAfter.isInfinite { timeout.killInstant = now.lifecycle + killAfter }
    }

    private mutating func noteExpiry(at now: Moment) {
        guard !hasTimedOut else { return }
        timeout.expiry = .report(timeLimitReport(at: now))
    }

    var expiryReport: KillReport? {
        if case .report(let report) = timeout.expiry { report } else { nil }
    }

    /// What is stopped would only let the signal pend; and whoever handles it needs time for that.
    private mutating func wake(forSignalUntil limit: Span, at now: Moment, into effects: inout [Effect]) {
        if !isInForeground, !isAware { grace = countdown(limit, at: now) }
        if isSuspending {
            returnToBackground(at: now, into: &effects)
        } else {
            continueIfStopped(at: now, into: &effects)
        }
    }

    /// What the leader has left behind ends too once the time is over, and is left alone before.
    func sparesRest(_ policy: TimeoutPolicy) -> Bool {
        policy.sparesDescendants || !hasTimedOut && !timeout.isAbandoned
    }

    /// It has had the signal with the leader, and what `killAfter` leaves it from there.
    mutating func awaitRestOfTimeout() {
        guard let policy = policy.timeout, timeout.killInstant == nil, let signalled = timeout.expirySignal else {
            return
        }
        timeout.killInstant = signalled + self.policy.restLimit(policy)
    }

    var timeoutOutcome: TimeoutOutcome? {
        policy.timeout.map {
            TimeoutOutcome(
                isExpired: hasTimedOut, diesOfKill: timeout.hasKilled && !$0.sparesDescendants,
                preservesStatus: $0.preservesStatus)
        }
    }
}
