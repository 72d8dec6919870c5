import CurfewCore

/// What is to be expected of a listening socket at which programs outside accept too, from what was seen of it alone.
struct SleepModelListener {
    /// What can become of a connection, for knowing what traces reach.
    enum Fate: CaseIterable {
        /// It has to wait; and was gone when it was looked for.
        case waits, isGone
        /// Taken in the moment in which the program was woken for it: the next waits twice as long, or as long as any does.
        case doubles, isLongest
        /// Left to the program, after it had waited.
        case isLeft
    }

    let socket: ListeningSocket
    private let shortest: Span
    private let longest: Span
    /// How long a connection must have waited before it wakes the program; nil: it does at once.
    private(set) var delay: Span?
    /// When it is to be looked whether one waits still, by lifecycle time.
    private(set) var lookDue: Instant?
    /// How long the one had waited for which the program was woken last; it may be taken yet in that moment.
    private var waited: Span?
    private(set) var fates: Set<Fate> = []

    init(_ socket: ListeningSocket, _ policy: SleepPolicy) {
        self.socket = socket
        shortest = policy.quiet
        longest = policy.longestDelay
    }

    /// Others that come meanwhile wait no longer than the first.
    mutating func waits(at now: Moment) {
        guard lookDue == nil else { return }
        if delay != nil { fates.insert(.waits) }
        lookDue = now.lifecycle + (delay ?? .zero)
    }

    /// False where nothing is to be looked for, or not yet.
    mutating func isLookedAt(at now: Moment) -> Bool {
        defer { lookDue = nil }
        return lookDue.map { $0 <= now.lifecycle } ?? false
    }

    /// The program is woken by one.
    mutating func wakes() {
        waited = delay
        delay = nil
    }

    /// A program outside has accepted one while this one was stopped.
    mutating func isTaken() {
        if let waited {
            let isShort = waited + waited < longest
            fates.insert(isShort ? .doubles : .isLongest)
            delay = isShort ? waited + waited : max(waited, longest)
        } else {
            if delay != nil { fates.insert(.isGone) }
            delay = delay ?? shortest
        }
        waited = nil
        lookDue = nil
    }

    /// Whatever waits, the program sees to it, or it isn't to be woken.
    mutating func isNotWaitedFor() { lookDue = nil }

    /// What it was woken by last wasn't taken: the next one wakes it at once.
    mutating func programStops() {
        if waited != nil { fates.insert(.isLeft) }
        waited = nil
    }
}
