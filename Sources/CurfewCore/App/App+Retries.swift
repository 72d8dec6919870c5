/// What the kernel hasn't done yet: how soon it is asked again, and for how long. By real time.
///
/// A timer is armed by the kernel's answer, not by what it was told to do.
extension App {
    /// How soon a stop that isn't confirmed is looked at again.
    static let confirmationInterval = Span.milliseconds(5)
    /// For how long, before it is told what hangs.
    ///
    /// A process in vfork or in uninterruptible sleep shows no stop for as long as that lasts. Source: vfork(2); kernel,
    /// kernel/fork.c, wait_for_vfork_done().
    static let confirmationLimit = Span.milliseconds(200)
    /// How seldom it is looked at after that, at most: each time after twice as long, and no more once it is confirmed.
    ///
    /// What such a process has started can run on: a child that its parent waits for in vfork stops no sooner than it is seen.
    static let longestConfirmationInterval = Span.seconds(1)
    /// How soon a kill is repeated at first; each time after twice as long.
    static let killInterval = Span.milliseconds(1)
    static let longestKillInterval = Span.milliseconds(100)
    /// For how long: SIGKILL can't end a process in uninterruptible sleep, which can outlast anything.
    ///
    /// Source: signal(7); kernel, kernel/signal.c, complete_signal().
    public static let killLimit = Span.seconds(10)
    /// Between two pieces of its memory on their way to swap, so that others have their turn.
    static let pageOutInterval = Span.milliseconds(1)

    /// How far it has come with a stop or with a kill.
    struct Retries: Sendable, Hashable {
        /// Nil while an answer is awaited.
        var next: Instant?
        var interval: Span
        let until: Instant
    }

    /// Whether it is to be asked again, and hasn't answered: nothing else has come between.
    public var awaitsRetry: Bool { retries.map { $0.next == nil } ?? false }

    /// Whether all that was begun with its processes is done: no stop is to be confirmed before it counts as suspended, and no
    /// kill to be repeated.
    public var isSettled: Bool {
        switch phase.place {
        case .starting, .foreground, .running, .suspended(isConfirmed: true): true
        case .suspended(isConfirmed: false), .over: false
        }
    }

    /// Some process isn't seen stopped yet.
    mutating func suspensionPending(at now: Moment) {
        guard isBeingStopped, end == nil else { return }
        if isAwaitingSuspension { return retry(after: App.confirmationInterval, for: App.confirmationLimit, at: now) }
        let interval = retries.map { min(App.longestConfirmationInterval, $0.interval + $0.interval) }
        retry(after: interval ?? App.confirmationLimit, for: .infinite, at: now)
    }

    /// It was sent SIGKILL, and something of it may live.
    mutating func stillThere(at now: Moment) {
        guard phase.isOver else { return }
        isLeaving = true
        let interval = retries.map { min(App.longestKillInterval, $0.interval + $0.interval) } ?? App.killInterval
        retry(after: interval, for: App.killLimit, at: now)
    }

    private mutating func retry(after interval: Span, for limit: Span, at now: Moment) {
        retries = Retries(next: now.real + interval, interval: interval, until: retries?.until ?? now.real + limit)
    }

    mutating func retry(at now: Moment, into effects: inout [Effect]) {
        guard let until = retries?.until else { return }
        retries?.next = nil
        let isLast = until <= now.real
        effects.append(phase.isOver ? .killAgain(id, isLast: isLast) : .confirmSuspension(id, isLast: isLast))
    }

    /// Some of its memory has been moved, and there is more.
    public var isPagingOut: Bool { isSuspending && phase.stay.suspension.isPagingOut }

    /// There is more of its memory to move.
    mutating func pageOutPending(at now: Moment) {
        guard isSuspending, policy.pageOut != nil else { return }
        phase.stay.suspension.isPagingOut = true
        phase.stay.suspension.nextPageOut = now.real + App.pageOutInterval
    }
}
