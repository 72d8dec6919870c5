/// Locked files at suspension: nobody can get at them as long as their holder is stopped.
extension App {
    /// The locked files it was suspended with.
    public var heldLocks: [FileLock] { phase.isSuspending ? phase.stay.suspension.heldLocks : [] }

    /// Whether its suspension waits for locks to be let go.
    var isAwaitingLocks: Bool { runsInBackground && phase.stay.run.lockDeferral != nil }

    /// Whether the suspension has to wait until locks are let go; looks for them where that isn't known yet.
    mutating func waitsForLocks(at now: Moment, into effects: inout [Effect]) -> Bool {
        guard policy.locks == .defer, !policy.exitsOnSuspend, var run = phase.run else { return false }
        if run.lockDeferral == nil {
            run.lockDeferral = LockDeferral(for: policy.lockWait, at: now)
            // What is left of it is nothing; whatever grants another ends the deferral.
            if run.grace != nil { run.grace = Countdown(.zero) }
        }
        let step = run.lockDeferral?.step(at: now)
        phase.run = run
        if step == .look { effects.append(.checkLocks(id)) }
        return step != .suspend
    }

    /// Nothing is deferred of an app that isn't to be suspended any more.
    mutating func endUnwantedDeferral(at now: Moment, into effects: inout [Effect]) {
        guard isAwaitingLocks, !wantsSuspension(at: now) else { return }
        phase.stay.run.lockDeferral = nil
        answerSuspensionRequests(into: &effects)
    }

    /// What the app's processes hold, of all that counts.
    mutating func locksChecked(_ locks: [FileLock], at now: Moment, into effects: inout [Effect]) {
        guard !isKilled, !phase.isOver else { return }
        if isAwaitingLocks {
            if locks.isEmpty {
                phase.run?.lockDeferral?.end()
            } else {
                // When they are let go, that look will be long ago.
                phase.run?.wasFoundIdle = false
                continueIfStopped(at: now, into: &effects)
                answerSuspensionRequests(into: &effects)
            }
            return proceed(at: now, into: &effects)
        }
        // What stopped late is asked about twice.
        guard isSuspending, !locks.isEmpty, locks != heldLocks else { return }
        phase.suspension?.heldLocks = locks
        if policy.locks == .kill, !isAsleep {
            var report = killReport(.suspendedWithLockedFile, at: now)
            report.locks = locks
            kill(report, at: now, into: &effects)
        } else {
            effects.append(.note(id, .lockedFiles(locks)))
        }
    }

    /// Once every process is stopped, so that what they hold then they hold until they are resumed.
    mutating func checkLocks(into effects: inout [Effect]) {
        if policy.locks != .ignore { effects.append(.checkLocks(id)) }
    }
}
