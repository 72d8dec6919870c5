/// One moment on both clocks.
///
/// What was promised runs on lifecycle time, which can be held and moved by hand; measuring, and patience with the kernel,
/// run on real time. Where nobody holds it, lifecycle time is real time.
public struct Moment: Sendable, Hashable {
    /// Of promises: watchdogs, budgets, limits that are a time.
    public var lifecycle: Instant
    /// Of the machine: memory, CPU windows, debuggers, locks, disk, signs of life.
    public var real: Instant

    public init(lifecycle: Instant, real: Instant) {
        self.lifecycle = lifecycle
        self.real = real
    }

    /// Where nobody holds lifecycle time.
    public init(_ instant: Instant) { self.init(lifecycle: instant, real: instant) }

    /// For what is promised on real time.
    var byRealTime: Moment { Moment(real) }

    func on(_ clock: Clock) -> Instant {
        switch clock {
        case .lifecycle: lifecycle
        case .real: real
        }
    }
}

/// When something is due next, on each clock; nil: never.
public struct NextDeadline: Sendable, Hashable {
    public var lifecycle: Instant?
    public var real: Instant?

    public init(lifecycle: Instant? = nil, real: Instant? = nil) {
        self.lifecycle = lifecycle
        self.real = real
    }

    /// The earlier of both, where lifecycle time is real time.
    public var earliest: Instant? {
        guard let lifecycle, let real else { return lifecycle ?? real }
        return min(lifecycle, real)
    }

    mutating func consider(_ instant: Instant, on clock: Clock) {
        switch clock {
        case .lifecycle: lifecycle = lifecycle.map { min($0, instant) } ?? instant
        case .real: real = real.map { min($0, instant) } ?? instant
        }
    }
}

/// Which of the two clocks something runs on.
enum Clock: Sendable { case lifecycle, real }
