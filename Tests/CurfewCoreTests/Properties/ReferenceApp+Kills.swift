import CurfewCore

/// Whether a kill is justified, and a note true.
extension ReferenceApp {
    mutating func judge(_ report: KillReport, of input: Input) throws(Violation) {
        guard kill == nil else { throw Violation("killed twice") }
        guard report.state == state else { throw Violation("the report says \(report.state) in \(state)") }
        guard report.tasks.map(\.id) == tasks.map(\.id) else { throw Violation("wrong tasks in the report") }
        guard isJustified(report, by: input) else { throw Violation("killed: \(report), input \(input)") }
        kill = report.reason
        endRun()
    }

    private func isJustified(_ report: KillReport, by input: Input) -> Bool {
        switch report.reason {
        case .timeLimit:
            return hasStarted && !isOver && age >= policy.timeLimit.nanoseconds
                && report.limit == policy.timeLimit && report.elapsed == Span(nanoseconds: age)
        case .launchWatchdog where report.event == nil: return isJustified(report, by: hello)
        case .launchWatchdog, .sceneUpdateWatchdog, .backgroundFetchTimeout: return isLate(report)
        case .processExitWatchdog:
            return report.event == .lifecycle(.willTerminate) && isJustified(report, by: termination)
        case .watchdog: return isSignMissing(report, input)
        case .backgroundTaskTimeout:
            return !isHeldOff && isBudgetKillDue && (!wasWarnedInThisBatch || owedAfterWarning == 0)
        case .memoryLimit:
            guard let memory = policy.memory else { return false }
            let fatal = report.isInForeground ? memory.foreground.fatal : memory.background.fatal
            guard report.memoryLimit == fatal else { return false }
            if case .app(id, .footprintMeasured(let bytes)) = input { return fatal.map { bytes > $0 } ?? false }
            if case .app(id, .memoryLimitHit(_)) = input { return true }
            return false
        case .userQuit:
            if case .app(id, .quit(_)) = input { return !hasStarted || isStopped && policy.terminateSuspended == .kill }
            return false
        case .cpuLimit:
            guard let limits = policy.backgroundCPU, let used = report.cpuTime else { return false }
            return !isHeldOff && runsInBackground && used > limits.limit && report.limit == limits.window
        case .suspendedWithLockedFile:
            if case .app(id, .locksChecked(let locks)) = input {
                return isStopped && policy.locks == .kill && !locks.isEmpty
            }
            return false
        case .resumedTooOften:
            guard case .app(id, .wake(_, _)) = input, let limit = policy.resumeLimit else { return false }
            return isStopped && report.count == limit + 1 && resumedAt.count == limit + 1
        case .memoryPressure:
            if case .app(id, .reclaim(_)) = input { return isStopped }
            return false
        case .memoryHighwater, .idleExit, .diskSpace: return false
        case .tooManyTasks: return tasks.count >= 1000
        case .supervisorExit: return false
        }
    }

    private func isJustified(_ report: KillReport, by allowance: Allowance?) -> Bool {
        guard let allowance, !isHeldOff, allowance.isOver else { return false }
        return allowance.isTold(by: report, lastCPUTime: lastCPUTime)
    }

    /// Whether the event is owed since too long, and the reason is the event's.
    private func isLate(_ report: KillReport) -> Bool {
        guard let late = owed.first(where: { $0.event == report.event && $0.allowance.isOver }) else { return false }
        let reason: KillReason
        switch late.event {
        case .lifecycle(.didFinishLaunching): reason = .launchWatchdog
        case .lifecycle(.didEnterBackground): reason = .sceneUpdateWatchdog
        case .wake: reason = .backgroundFetchTimeout
        case .lifecycle, .change: return false
        }
        return report.reason == reason && isJustified(report, by: late.allowance)
    }

    private func isSignMissing(_ report: KillReport, _ input: Input) -> Bool {
        guard !isHeldOff, !isTerminating else { return false }
        if isBroken { return report.limit == nil && report.elapsed == nil }
        guard isSignDue, report.limit == watchdogInterval, let elapsed = report.elapsed else {
            return false
        }
        return watchdogInterval.map { elapsed >= $0 } == true && elapsed <= Span(nanoseconds: withoutSign)
    }

    mutating func judge(_ note: Note, of input: Input) throws(Violation) {
        switch note {
        case .expirationWarning(let warned):
            guard isWarningDue, !isHeldOff else { throw Violation("warned out of time") }
            guard warned == tasks.map(\.id) else { throw Violation("warned of the wrong tasks") }
            isWarned = true
            wasWarnedInThisBatch = true
            sinceWarning = 0
        case .traced(let now):
            guard case .app(id, .tracerChecked(now)) = input, now != isTraced else {
                throw Violation("wrong tracer note")
            }
            isTraced = now
            if isTraced { isBroken = false }
        case .suspensionIncomplete:
            guard input == .app(id, .suspensionIncomplete) else {
                throw Violation("a wrong note of an incomplete suspension")
            }
            isStoppingLate = true
        case .memoryWarning:
            guard policy.memory != nil, isRunning, !isStoppedByTerminal, !isTerminating else {
                throw Violation("warned of memory while it can't hear")
            }
            if isHeard { expect(.didReceiveMemoryWarning) }
        case .didWake(let cause, _, _):
            guard cause == "its keep-alive", owesKeepAlive, isStopped else { throw Violation("woken by \(cause)") }
            beginKeepAlive()
        case .cpuLimitPassed:
            guard let action = policy.backgroundCPU?.action, action != .kill else { throw Violation("let go on") }
        case .lockedFiles(let locks):
            guard input == .app(id, .locksChecked(locks)), isStopped else { throw Violation("wrong locks: \(locks)") }
        case .didSleep, .keptAwake: throw Violation("\(note) of an app that never sleeps")
        case .becameAware where isOver, .becamePlain where isOver: break
        case .becameAware, .becamePlain, .taskBegun, .taskEnded, .taskReleased, .unknownTaskEnded, .acknowledged,
            .unknownAcknowledgement, .changeKept, .ready, .stopping, .timeoutExtended, .nothingToExtend,
            .keepAliveChanged:
            guard let index = expectedNotes.firstIndex(of: note) else { throw Violation("wrong note: \(note)") }
            expectedNotes.remove(at: index)
        }
    }
}
