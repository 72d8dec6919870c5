/// How far a time limit has come that is kept as timeout(1) keeps it.
struct TimeoutProgress: Sendable, Hashable {
    /// When SIGKILL is due; nil before the first signal, without `killAfter`, and after it.
    private(set) var killInstant: Instant?
    private(set) var hasSignalled = false
    private(set) var hasKilled = false
    /// The limit itself has passed; SIGALRM can have said so before.
    private(set) var isLimitOver = false
    /// When it was last signalled because its time was over.
    private var expirySignal: Instant?
    /// Nobody waits for it any more.
    private(set) var isAbandoned = false
    private var expiry: Expiry?

    /// Indirect, as it is large and rare.
    private indirect enum Expiry: Sendable, Hashable { case report(KillReport) }

    /// Its time is over, by the clock or by SIGALRM.
    var hasExpired: Bool { expiry != nil }

    /// Why it is to end, once its time is over.
    var report: KillReport? {
        if case .report(let report) = expiry { report } else { nil }
    }

    mutating func limitPassed() { isLimitOver = true }

    mutating func expire(_ report: KillReport) { expiry = .report(report) }

    /// The first signal is what the time until SIGKILL counts from.
    mutating func signalled(_ policy: TimeoutPolicy, at now: Moment) {
        guard !hasSignalled else { return }
        hasSignalled = true
        if let killAfter = policy.killAfter, !killAfter.isInfinite { killInstant = now.lifecycle + killAfter }
    }

    mutating func signalledForExpiry(_ policy: TimeoutPolicy, at now: Moment) {
        signalled(policy, at: now)
        expirySignal = now.lifecycle
    }

    /// `patience`: how long it has until SIGKILL in any case.
    mutating func abandon(patience: Span, at now: Moment) {
        isAbandoned = true
        if killInstant == nil { killInstant = now.lifecycle + patience }
    }

    mutating func signalledForAbandonment() { hasSignalled = true }

    /// Its leader has ended. What that has left behind has had the signal with it, and what `patience` leaves it from there.
    mutating func awaitRest(patience: Span) {
        guard killInstant == nil, let expirySignal else { return }
        killInstant = expirySignal + patience
    }

    mutating func killIsDue() { killInstant = nil }

    /// False where it was killed before.
    mutating func kill() -> Bool {
        if hasKilled { return false }
        hasKilled = true
        return true
    }

    func outcome(_ policy: TimeoutPolicy) -> TimeoutOutcome {
        TimeoutOutcome(
            isExpired: hasExpired, diesOfKill: hasKilled && !policy.sparesDescendants,
            preservesStatus: policy.preservesStatus)
    }
}
