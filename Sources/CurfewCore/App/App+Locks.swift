/// Locked files at suspension: nobody can get at them as long as their holder is stopped.
extension App {
    /// How soon a suspension that waits for locks looks for them again.
    static let lockInterval = Span.milliseconds(50)

    /// Whether the suspension has to wait until locks are let go; looks for them where that isn't known yet.
    mutating func waitsForLocks(at now: Moment, into effects: inout [Effect]) -> Bool {
        guard policy.locks == .defer, !policy.exitsOnSuspend else { return false }
        if lockDeferral == nil {
            lockDeferral = LockDeferral(until: now.real + policy.lockWait, nextLook: now.real)
            // What is left of it is nothing; whatever grants another ends the deferral.
            if grace != nil { grace = Countdown(.zero) }
        }
        guard let deferral = lockDeferral, !deferral.isOver else { return false }
        if now.real >= deferral.until {
            lockDeferral?.isOver = true
            return false
        }
        if deferral.nextLook <= now.real {
            lockDeferral?.nextLook = now.real + App.lockInterval
            effects.append(.checkLocks(id))
        }
        return true
    }

    /// By real time.
    struct LockDeferral: Sendable, Hashable {
        var until: Instant
        var nextLook: Instant
        /// Nothing holds the suspension up any more.
        var isOver = false
    }

    /// What the app's processes hold, of all that counts.
    mutating func locksChecked(_ locks: [FileLock], at now: Moment, into effects: inout [Effect]) {
        guard killed == nil, phase != .over else { return }
        if phase == .background, lockDeferral != nil {
            if locks.isEmpty {
                lockDeferral?.isOver = true
            } else {
                continueIfStopped(at: now, into: &effects)
                answerSuspensionRequests(into: &effects)
            }
            return proceed(at: now, into: &effects)
        }
        guard isSuspending, !locks.isEmpty else { return }
        heldLocks = locks
        if policy.locks == .kill {
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
