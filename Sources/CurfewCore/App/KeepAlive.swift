/// When an app that has asked for it is told to see to its connections, again and again. By lifecycle time.
///
/// Indirect, as `Idleness` is: hardly any app asks for it, and each copy of an app would carry it.
enum KeepAlive: Sendable, Hashable {
    case off
    indirect case on(Period)

    struct Period: Sendable, Hashable {
        let interval: Span
        /// When it is over.
        let end: Instant
    }

    var period: Period? { if case .on(let period) = self { period } else { nil } }

    /// A period from now; nil: none any more.
    mutating func set(_ interval: Span?, at now: Moment) {
        self = interval.map { .on(Period(interval: $0, end: now.lifecycle + $0)) } ?? .off
    }

    /// From now, and not from when it was due: a machine that comes late makes up for nothing.
    mutating func beginPeriod(at now: Moment) {
        if case .on(let period) = self { set(period.interval, at: now) }
    }
}
