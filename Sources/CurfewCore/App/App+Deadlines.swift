/// When something is due, and what.
extension App {
    /// What time alone can bring about, most important first.
    enum Due: Equatable {
        case timeLimit
        case timeoutKill
        case launchWatchdog
        /// That the time for the request at this index of what is pending is nearly over.
        case expiration(Int)
        /// Of the event at this index of what is pending.
        case acknowledgement(Int)
        case signOfLife
        case terminateLimit
        case warning
        case budget
        case suspension
        case measurement
        case cpuMeasurement
        case cpuLimit
        /// Of a stop that isn't confirmed, or of a kill.
        case retry
        case pageOut
        /// Whether a connection waits yet where it is held back.
        case connectionLook
        case tracerCheck
        /// Whether it is idle.
        case idleLook
        case keepAlive

        /// Whether a debugger holds it off: neither suspended nor killed by a watchdog.
        var isHeldOffByTracer: Bool {
            switch self {
            case .timeLimit, .timeoutKill, .measurement, .cpuMeasurement, .retry, .pageOut, .connectionLook,
                .tracerCheck, .keepAlive:
                false
            case .launchWatchdog, .expiration, .acknowledgement, .signOfLife, .terminateLimit, .warning, .budget,
                .suspension, .cpuLimit, .idleLook:
                true
            }
        }

        /// Whether the app is killed then, if nothing happens before.
        var isKill: Bool {
            switch self {
            case .timeLimit, .timeoutKill, .launchWatchdog, .acknowledgement, .signOfLife, .terminateLimit, .budget:
                true
            case .expiration, .warning, .suspension, .measurement, .cpuMeasurement, .cpuLimit, .retry, .pageOut,
                .connectionLook, .tracerCheck, .idleLook, .keepAlive:
                false
            }
        }
    }

    /// The one list of all that time brings about: each timer that is armed, the most important first, until `visit` says
    /// that it has seen enough.
    @inline(__always)
    private func forEachTimer(_ visit: (Due, Instant, Clock) -> Bool) {
        if phase.isOver {
            if let instant = retries?.next { _ = visit(.retry, instant, .real) }
            return
        }
        if let timeLimitInstant, visit(.timeLimit, timeLimitInstant, .lifecycle) { return }
        if let killInstant = limit.killInstant, visit(.timeoutKill, killInstant, .lifecycle) { return }
        if case .terminating(let watchdog, _) = end, let instant = watchdog.end,
            visit(.terminateLimit, instant, .lifecycle)
        {
            return
        }
        if end == nil {
            if hasSeenWatchdogs(visit) { return }
            if runsInBackground, hasSeenBackground(visit) { return }
            if case .on(let period) = keepAlive, visit(.keepAlive, period.end, .lifecycle) { return }
        }
        if let nextMeasurement = memory?.nextMeasurement, visit(.measurement, nextMeasurement, .real) { return }
        if phase.isRunningAway, let nextLook = phase.stay.cpu.nextMeasurement, visit(.cpuMeasurement, nextLook, .real) {
            return
        }
        if let instant = retries?.next, visit(.retry, instant, .real) { return }
        if phase.isSuspending, hasSeenSuspended(visit) { return }
        if let nextTracerCheck, visit(.tracerCheck, nextTracerCheck, .real) { return }
        if case .watched(let meter) = idle, let nextLook = meter.nextLook { _ = visit(.idleLook, nextLook, .lifecycle) }
    }

    @inline(__always)
    private func hasSeenWatchdogs(_ visit: (Due, Instant, Clock) -> Bool) -> Bool {
        if let instant = channel.launch?.end, visit(.launchWatchdog, instant, .lifecycle) { return true }
        for index in channel.pending.indices {
            if let instant = channel.pending[index].warning, visit(.expiration(index), instant, .lifecycle) {
                return true
            }
            if let instant = channel.pending[index].watchdog.end, visit(.acknowledgement(index), instant, .lifecycle) {
                return true
            }
        }
        if notify.isBroken { return visit(.signOfLife, .distantPast, .real) }
        guard let instant = notify.signOfLife?.end else { return false }
        return visit(.signOfLife, instant, .real)
    }

    @inline(__always)
    private func hasSeenBackground(_ visit: (Due, Instant, Clock) -> Bool) -> Bool {
        if !backgroundTasks.open.isEmpty {
            if let instant = phase.stay.budget.warningInstant(lead: policy.expirationLead),
                visit(.warning, instant, .lifecycle)
            {
                return true
            }
            if let instant = phase.stay.budget.killInstant, visit(.budget, instant, .lifecycle) { return true }
        }
        if phase.stay.cpu.excess != nil, visit(.cpuLimit, .distantPast, .real) { return true }
        guard !isOwedMoreThanGrace, !isTraced else { return false }
        if let grace = phase.stay.run.grace, grace.left != .zero {
            return grace.end.map { visit(.suspension, $0, .lifecycle) } ?? false
        }
        guard let deferral = phase.stay.run.lockDeferral, !deferral.isOver else {
            return visit(.suspension, .distantPast, .lifecycle)
        }
        return visit(.suspension, deferral.next, .real)
    }

    @inline(__always)
    private func hasSeenSuspended(_ visit: (Due, Instant, Clock) -> Bool) -> Bool {
        if let nextPageOut = phase.stay.suspension.nextPageOut, visit(.pageOut, nextPageOut, .real) { return true }
        guard case .some = shared, let next = shared.nextLook else { return false }
        return visit(.connectionLook, next, .lifecycle)
    }

    /// When a tick changes something next; nothing where no timer is armed.
    var nextDeadline: NextDeadline {
        var next = NextDeadline()
        forEachTimer { due, instant, clock in
            if !tracer.isAwaitingAnswer || !due.isHeldOffByTracer { next.consider(instant, on: clock) }
            return false
        }
        return next
    }

    /// When time alone kills it, if nothing happens before.
    var nextKill: NextDeadline {
        var next = NextDeadline()
        forEachTimer { due, instant, clock in
            if due.isKill { next.consider(instant, on: clock) }
            return false
        }
        return next
    }

    /// The most important of what is due.
    func due(at now: Moment) -> Due? {
        var found: Due?
        forEachTimer { due, instant, clock in
            guard instant <= now.on(clock) else { return false }
            found = due
            return true
        }
        return found
    }

    private var timeLimitInstant: Instant? {
        guard let startedAt, !policy.timeLimit.isInfinite, !limit.isLimitOver else { return nil }
        return startedAt + policy.timeLimit
    }

    /// Does everything that is due. What a debugger would hold off waits for `tracerChecked` first.
    ///
    /// Called by each input that can make something due at once, and at its place among that one's effects: ADR 0013.
    mutating func proceed(at now: Moment, tracerIsKnown: Bool = false, into effects: inout [Effect]) {
        endUnwantedDeferral(at: now, into: &effects)
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
    ///
    /// When each is due is said by the one list of all; their order here is another. Keep-alive comes last: it can resume the
    /// app, and what was due of it as it stood isn't due any more then. Each is done once: what follows from it has time until
    /// the answer is there. The other timers that no debugger holds off can't be due here: the time limits come first of all,
    /// and have been seen to, and the debugger is being looked for.
    private mutating func performUndelayed(at now: Moment, into effects: inout [Effect]) {
        // Seldom is anything: one look at the list, not one for each.
        guard isUndelayedDue(at: now) else { return }
        performIfDue(.measurement, at: now, into: &effects)
        performIfDue(.cpuMeasurement, at: now, into: &effects)
        performIfDue(.retry, at: now, into: &effects)
        performIfDue(.pageOut, at: now, into: &effects)
        performIfDue(.connectionLook, at: now, into: &effects)
        performIfDue(.keepAlive, at: now, into: &effects)
    }

    private func isUndelayedDue(at now: Moment) -> Bool {
        var isDue = false
        forEachTimer { due, instant, clock in
            isDue = !due.isHeldOffByTracer && instant <= now.on(clock)
            return isDue
        }
        return isDue
    }

    @inline(never)
    private mutating func performIfDue(_ due: Due, at now: Moment, into effects: inout [Effect]) {
        var isDue = false
        forEachTimer { each, instant, clock in
            isDue = each == due && instant <= now.on(clock)
            return isDue
        }
        if isDue { perform(due, at: now, into: &effects) }
    }

    private mutating func perform(_ due: Due, at now: Moment, into effects: inout [Effect]) {
        switch due {
        case .timeLimit: timeLimitPassed(at: now, into: &effects)
        case .timeoutKill: if let policy = policy.timeout { killForTimeout(policy, at: now, into: &effects) }
        case .launchWatchdog: killForLaunch(at: now, into: &effects)
        case .expiration(let index): warnOfExpiration(index, at: now, into: &effects)
        case .acknowledgement(let index): killForAcknowledgement(channel.pending[index], at: now, into: &effects)
        case .signOfLife: killForSignOfLife(at: now, into: &effects)
        case .terminateLimit: killForTerminateLimit(at: now, into: &effects)
        case .warning: warn(at: now, into: &effects)
        case .budget: killForBudget(at: now, into: &effects)
        case .cpuLimit: killForCPU(at: now, into: &effects)
        case .suspension: if !waitsForLocks(at: now, into: &effects) { suspend(at: now, into: &effects) }
        case .cpuMeasurement:
            phase.stay.cpu.isMeasured()
            effects.append(.measureCPUTime(id))
        case .retry: retry(at: now, into: &effects)
        case .pageOut: pageOut(into: &effects)
        case .connectionLook: lookForConnections(at: now, into: &effects)
        case .measurement:
            memory?.stopMeasuring()
            effects.append(.measureFootprint(id))
        case .tracerCheck: checkTracer(into: &effects)
        case .idleLook: lookAtIdleness(into: &effects)
        case .keepAlive: keepAliveDue(at: now, into: &effects)
        }
    }

    private mutating func timeLimitPassed(at now: Moment, into effects: inout [Effect]) {
        if let policy = policy.timeout {
            limit.limitPassed()
            if !isEndingRest { expire(policy, at: now, into: &effects) }
            return
        }
        // Its main process has kept to the limit.
        if isEndingRest {
            let asked = askedInstant ?? now.lifecycle
            return killRest(after: now.lifecycle - asked, at: now, into: &effects)
        }
        kill(timeLimitReport(at: now), at: now, into: &effects)
    }

    func timeLimitReport(at now: Moment) -> KillReport {
        killReport(.timeLimit, limit: policy.timeLimit, elapsed: startedAt.map { now.lifecycle - $0 }, at: now)
    }

    private mutating func killForLaunch(at now: Moment, into effects: inout [Effect]) {
        guard let launch = channel.launch else { return }
        kill(killReport(.launchWatchdog, event: nil, launch, at: now), at: now, into: &effects)
    }

    private mutating func killForAcknowledgement(
        _ late: Channel.PendingAcknowledgement, at now: Moment, into effects: inout [Effect]
    ) {
        guard let reason = late.event.watchdog else { return }
        kill(killReport(reason, event: late.event, late.watchdog, at: now), at: now, into: &effects)
    }

    private mutating func killForTerminateLimit(at now: Moment, into effects: inout [Effect]) {
        guard case .terminating(let watchdog, _) = end else { return }
        if isEndingRest { return killRest(after: watchdog.limit, at: now, into: &effects) }
        let report = killReport(.processExitWatchdog, event: .lifecycle(.willTerminate), watchdog, at: now)
        kill(report, at: now, into: &effects)
    }

    private mutating func killForBudget(at now: Moment, into effects: inout [Effect]) {
        let report = killReport(.backgroundTaskTimeout, limit: policy.backgroundBudget, at: now)
        kill(report, at: now, into: &effects)
    }
}
