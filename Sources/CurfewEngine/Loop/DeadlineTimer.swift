import CCurfew
import CurfewCore
import CurfewLinux

/// Wakes the loop when something is due. It is made when something first is, and set only when that changes.
struct DeadlineTimer {
    private(set) var descriptor = Descriptor.none
    /// What it is set to; nil while nothing is due.
    private(set) var armed: Instant?

    /// By then the timer has been heeded.
    private static var wakerDelay: Span { .milliseconds(50) }

    /// Nil: nothing is due. `isScarce`: no descriptor is taken for it.
    ///
    /// Returns for how many milliseconds to wait where there is no descriptor for it; -1: until something comes.
    mutating func arm(_ due: Instant?, in loop: EventLoop, isScarce: Bool, now: () -> Instant) -> Int32 {
        guard due != armed || !descriptor.isOpen else { return -1 }
        armed = due
        if !descriptor.isOpen {
            guard let due else { return -1 }
            if !isScarce { descriptor = Descriptor(curfew_timerfd()) }
            guard descriptor.isOpen else {
                Self.setWaker(due)
                return Self.milliseconds(from: now(), until: due)
            }
            loop.add(descriptor, EventLoop.Kind.timer.token())
        }
        _ = curfew_timerfd_set(descriptor.number, due.map { max(1, $0.nanoseconds) } ?? 0)
        Self.setWaker(due)
        return -1
    }

    mutating func close() { descriptor.close() }

    /// Somebody can stop us, and the proxy as well: then the kernel continues us. In vain once we are late anyway.
    private static func setWaker(_ due: Instant?) {
        _ = curfew_set_waker(due.map { max(1, ($0 + wakerDelay).nanoseconds) } ?? 0)
    }

    /// What is left of the wait, up to the next whole one; 0 when it is over.
    static func milliseconds(from now: Instant, until due: Instant) -> Int32 {
        let (whole, part) = max(0, (due - now).nanoseconds).quotientAndRemainder(dividingBy: 1_000_000)
        return Int32(clamping: part > 0 ? whole + 1 : whole)
    }
}
