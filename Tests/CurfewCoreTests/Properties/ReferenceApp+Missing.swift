import CurfewCore

/// What must have happened by the end of a batch, and hasn't.
extension ReferenceApp {
    func checkNothingMissing(after input: Input) throws(Violation) {
        if let event = expected.first { throw Violation("\(event.event) wasn't delivered") }
        if let note = expectedNotes.first { throw Violation("no note: \(note)") }
        if isGone || isOver {
            guard unanswered.isEmpty else { throw Violation("unanswered when the app is over") }
            return
        }
        if isBroken, !isTerminating, !isHeldOff { throw Violation("it said that it is broken, and wasn't killed") }
        if !unanswered.isEmpty, !isBeingStopped, !awaitsTracer {
            throw Violation("a request waits for a suspension that isn't under way")
        }
        guard hasStarted else { return }
        try checkRun(after: input)
        try checkState(after: input)
        try checkExpirations(after: input)
        if input == .machine(.tick) { try checkNothingDue() }
    }

    private func checkRun(after input: Input) throws(Violation) {
        if mustRun, isStopped || isStoppedByTerminal { throw Violation("still stopped, and it has to run") }
        if isAware, !hasHeardLaunch, !isStopped, !isTerminating {
            throw Violation("it runs, said hello, and hasn't heard of its launch")
        }
        if isStoppedByTerminal, !staysStopped, !awaitsTracer, policy.locks != .defer {
            throw Violation("left as the terminal stopped it")
        }
        if lacksCPUTime, !awaitsCPUTime { throw Violation("nobody measures the CPU time") }
        if mustAskRest { throw Violation("nobody asks the rest of it to end") }
        if isTerminating, !isAware, !isEndingRest, willTerminate == nil, !wasSentSignal {
            throw Violation("no signal asks it to end")
        }
        let hasLeisure = owed.isEmpty && hello == nil && (tasks.isEmpty || exitsOnSuspend)
        // Until its locks are let go.
        if policy.locks == .defer || isContinuous { return }
        if runsInBackground, !isTerminating, !isHeldOff, hasLeisure,
            grace == nil || input == .machine(.tick) && isGraceOver
        {
            throw Violation("it has nothing to run for in background, and isn't suspended")
        }
    }

    private func checkState(after input: Input) throws(Violation) {
        switch input {
        case .app(id, .open(_)) where !isTerminating:
            guard state == .active else { throw Violation("opened, and \(state)") }
        case .app(id, .home(_, _)) where !isTerminating:
            guard !state.isForeground else { throw Violation("sent home, and \(state)") }
        case .app(id, .interrupt(_)) where !isTerminating:
            guard state != .active else { throw Violation("interrupted, and \(state)") }
        case .app(id, .dismiss(_)) where !isTerminating:
            guard state != .inactive else { throw Violation("its interruption is gone, and it is \(state)") }
        case .app(id, .quit(_)):
            guard isTerminating else { throw Violation("told to quit, and not asked to end") }
        case .app(id, .suspensionConfirmed), .app(id, .suspensionIncomplete):
            if isBeingStopped { throw Violation("confirmed, and not suspended") }
        default: break
        }
    }

    private func checkNothingDue() throws(Violation) {
        if age >= policy.timeLimit.nanoseconds { throw Violation("over its time limit") }
        if isHeldOff { return }
        if let late = owed.first(where: \.allowance.isOver) { throw Violation("\(late.event) is overdue") }
        if hello?.isOver == true { throw Violation("hello is overdue") }
        if termination?.isOver == true { throw Violation("over its terminate limit") }
        if isSignDue { throw Violation("a sign of life is overdue") }
        if isWarningDue { throw Violation("not warned in time") }
        if isBudgetKillDue { throw Violation("over its budget") }
    }

    /// Compares with what the core shows of the app.
    func compare(with app: App, at now: Instant) throws(Violation) {
        guard app.state == state else { throw Violation("state \(app.state), expected \(state)") }
        guard app.tasks.elementsEqual(tasks, by: { $0.id == $1.id }) else { throw Violation("other tasks are open") }
        guard app.unacknowledgedEvents == owed.map(\.event) else {
            throw Violation("owes \(app.unacknowledgedEvents), expected \(owed.map(\.event))")
        }
        if isOver { return }
        guard app.isTraced == isTraced, app.isAware == isAware, app.isReady == isReady, app.isStopping == isStopping,
            app.isTerminating == isTerminating, app.isWatched == isWatched, app.watchdogInterval == watchdogInterval
        else { throw Violation("shown otherwise than it is") }
        guard app.keptChangeNames == kept.map(\.name) else {
            throw Violation("keeps \(app.keptChangeNames), expected \(kept.map(\.name))")
        }
        guard app.keepAliveInterval == keepAlive, app.keepAliveLeft(at: Moment(now)) == keepAliveLeft else {
            throw Violation("kept alive every \(app.keepAliveInterval as Any), expected \(keepAlive as Any)")
        }
        let left = app.remaining(at: Moment(now))
        guard left == remaining else { throw Violation("\(left) left, expected \(remaining)") }
        let graceLeft = runsInBackground && tasks.isEmpty && !isTerminating && grace != nil ? graceLeft : nil
        guard app.graceRemaining(at: Moment(now)) == graceLeft else {
            throw Violation("a grace other than \(graceLeft as Any)")
        }
    }
}
