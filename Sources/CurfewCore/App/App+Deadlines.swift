/// When something is due, and what.
extension App {
    /// What time alone can bring about, most important first.
    enum Due {
        case timeLimit
        case timeoutKill
        case launchWatchdog
        /// Of the event at this index of `pending`.
        case acknowledgement(Int)
        case signOfLife
        case terminateLimit
        case warning
        case budget
        case suspension
        case measurement
        case cpuMeasurement
        case cpuLimit
        case pageOut
        case tracerCheck

        /// Whether a debugger holds it off: neither suspended nor killed by a watchdog.
        var isHeldOffByTracer: Bool {
            switch self {
            case .timeLimit, .timeoutKill, .measurement, .cpuMeasurement, .pageOut, .tracerCheck: false
            case .launchWatchdog, .acknowledgement, .signOfLife, .terminateLimit, .warning, .budget, .suspension,
                .cpuLimit:
                true
            }
        }
    }

    /// The earliest instant at which a tick changes something; nil when nothing is armed.
    var nextDeadline: Instant? {
        if phase == .over { return nil }
        var earliest = timeLimitInstant ?? .distantFuture
        func consider(_ instant: Instant?) {
            if let instant, instant < earliest { earliest = instant }
        }
        consider(timeout.killInstant)
        if !isAwaitingTracerCheck {
            considerKills(consider)
            considerSuspension(consider)
            consider(nextTracerCheck)
        }
        consider(nextMeasurement)
        consider(nextCPUMeasurement)
        consider(nextPageOut)
        return earliest == .distantFuture ? nil : earliest
    }

    /// The watchdogs and the budget: what a debugger holds off.
    private func considerKills(_ consider: (Instant?) -> Void) {
        if case .terminating(let watchdog, _) = end { consider(watchdog.end) }
        guard end == nil else { return }
        consider(launch?.end)
        for acknowledgement in pending { consider(acknowledgement.watchdog.end) }
        consider(signOfLife?.end)
        if phase == .background { consider(killInstant) }
    }

    /// In background: its suspension, and the warning before the budget's end.
    private func considerSuspension(_ consider: (Instant?) -> Void) {
        guard end == nil, phase == .background else { return }
        if let lockDeferral, !lockDeferral.isOver {
            consider(min(lockDeferral.until, lockDeferral.nextLook))
        } else if tasks.isEmpty || policy.exitsOnSuspend, launch == nil, pending.isEmpty {
            consider(grace?.end)
        }
        consider(warningInstant)
    }

    /// When time alone kills it, if nothing happens before; nil when nothing is armed.
    var nextKill: Instant? {
        if phase == .over { return nil }
        var earliest = timeLimitInstant ?? .distantFuture
        func consider(_ instant: Instant?) {
            if let instant, instant < earliest { earliest = instant }
        }
        consider(timeout.killInstant)
        considerKills(consider)
        return earliest == .distantFuture ? nil : earliest
    }

    /// Whether the suspension waits for locks, and isn't to look for them yet.
    private func isDeferringSuspension(at now: Instant) -> Bool {
        guard let lockDeferral, !lockDeferral.isOver else { return false }
        return now < lockDeferral.nextLook && now < lockDeferral.until
    }

    private var timeLimitInstant: Instant? {
        guard let startedAt, !policy.timeLimit.isInfinite, !timeout.isLimitOver else { return nil }
        return startedAt + policy.timeLimit
    }

    func due(at now: Instant) -> Due? {
        func isDue(_ instant: Instant?) -> Bool { instant.map { $0 <= now } ?? false }
        if phase == .over { return nil }
        if isDue(timeLimitInstant) { return .timeLimit }
        if isDue(timeout.killInstant) { return .timeoutKill }
        if case .terminating(let watchdog, _) = end, isDue(watchdog.end) { return .terminateLimit }
        if end == nil {
            if isDue(launch?.end) { return .launchWatchdog }
            if let late = pending.firstIndex(where: { isDue($0.watchdog.end) }) { return .acknowledgement(late) }
            if isBroken || isDue(signOfLife?.end) { return .signOfLife }
            if phase == .background {
                if isDue(warningInstant) { return .warning }
                if isDue(killInstant) { return .budget }
            }
            if cpuExcess != nil { return .cpuLimit }
            if wantsSuspension(at: now), !isDeferringSuspension(at: now) { return .suspension }
        }
        if isDue(nextMeasurement) { return .measurement }
        if isDue(nextCPUMeasurement) { return .cpuMeasurement }
        if isDue(nextPageOut) { return .pageOut }
        return isDue(nextTracerCheck) ? .tracerCheck : nil
    }

    /// Does everything that is due. What a debugger would hold off waits for `tracerChecked` first.
    mutating func proceed(at now: Instant, tracerIsKnown: Bool = false, into effects: inout [Effect]) {
        if lockDeferral != nil, !wantsSuspension(at: now) {
            lockDeferral = nil
            answerSuspensionRequests(into: &effects)
        }
        while let due = due(at: now) {
            if due.isHeldOffByTracer, !tracerIsKnown {
                checkTracer(into: &effects)
                performUndelayed(at: now, into: &effects)
                return
            }
            perform(due, at: now, into: &effects)
        }
    }

    /// While the debugger's answer is awaited, what needs none is still done.
    private mutating func performUndelayed(at now: Instant, into effects: inout [Effect]) {
        if let nextMeasurement, nextMeasurement <= now { perform(.measurement, at: now, into: &effects) }
        if let nextCPUMeasurement, nextCPUMeasurement <= now { perform(.cpuMeasurement, at: now, into: &effects) }
        if let nextPageOut, nextPageOut <= now { perform(.pageOut, at: now, into: &effects) }
    }

    private mutating func perform(_ due: Due, at now: Instant, into effects: inout [Effect]) {
        switch due {
        case .timeLimit: timeLimitPassed(at: now, into: &effects)
        case .timeoutKill: if let policy = policy.timeout { killForTimeout(policy, at: now, into: &effects) }
        case .launchWatchdog: killForLaunch(at: now, into: &effects)
        case .acknowledgement(let index): killForAcknowledgement(pending[index], at: now, into: &effects)
        case .signOfLife: killForSignOfLife(at: now, into: &effects)
        case .terminateLimit: killForTerminateLimit(at: now, into: &effects)
        case .warning: warn(at: now, into: &effects)
        case .budget: killForBudget(at: now, into: &effects)
        case .cpuLimit: killForCPU(at: now, into: &effects)
        case .suspension: if !waitsForLocks(at: now, into: &effects) { suspend(at: now, into: &effects) }
        case .cpuMeasurement:
            nextCPUMeasurement = nil
            effects.append(.measureCPUTime(id))
        case .pageOut: pageOut(into: &effects)
        case .measurement:
            nextMeasurement = nil
            effects.append(.measureFootprint(id))
        case .tracerCheck: checkTracer(into: &effects)
        }
    }

    private mutating func timeLimitPassed(at now: Instant, into effects: inout [Effect]) {
        if let policy = policy.timeout {
            timeout.isLimitOver = true
            if !isEndingRest { expire(policy, at: now, into: &effects) }
            return
        }
        // Its leader has kept to the limit.
        if isEndingRest { return killRest(after: policy.terminateLimit, at: now, into: &effects) }
        kill(timeLimitReport(at: now), at: now, into: &effects)
    }

    func timeLimitReport(at now: Instant) -> KillReport {
        killReport(.timeLimit, limit: policy.timeLimit, elapsed: startedAt.map { now - $0 }, at: now)
    }

    private mutating func killForLaunch(at now: Instant, into effects: inout [Effect]) {
        guard let launch else { return }
        kill(killReport(.launchWatchdog, event: nil, launch, at: now), at: now, into: &effects)
    }

    private mutating func killForAcknowledgement(
        _ late: PendingAcknowledgement, at now: Instant, into effects: inout [Effect]
    ) {
        guard let reason = late.event.watchdog else { return }
        kill(killReport(reason, event: late.event, late.watchdog, at: now), at: now, into: &effects)
    }

    private mutating func killForTerminateLimit(at now: Instant, into effects: inout [Effect]) {
        guard case .terminating(let watchdog, _) = end else { return }
        if isEndingRest { return killRest(after: watchdog.limit, at: now, into: &effects) }
        let report = killReport(.processExitWatchdog, event: .lifecycle(.willTerminate), watchdog, at: now)
        kill(report, at: now, into: &effects)
    }

    private mutating func killForBudget(at now: Instant, into effects: inout [Effect]) {
        let report = killReport(.backgroundTaskTimeout, limit: policy.backgroundBudget, at: now)
        kill(report, at: now, into: &effects)
    }
}
