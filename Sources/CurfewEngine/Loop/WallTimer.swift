import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// Wakes the loop at a moment of the wall clock, and when that clock is set. There is none while nothing is due.
struct WallTimer {
    private var descriptor = Descriptor.none
    private var armed: WallTime?

    /// How often it is tried: the clock can be set at the same moment.
    private static let tries = 4

    static var now: WallTime { WallTime(microseconds: curfew_realtime_nanoseconds() / 1000) }

    /// Nil: nothing is due. False where there is no descriptor for it.
    @discardableResult
    mutating func arm(_ due: WallTime?, in loop: EventLoop) -> Bool {
        guard due != armed || due != nil && !descriptor.isOpen else { return true }
        armed = due
        guard let due, due != .distantFuture else {
            descriptor.close()
            return true
        }
        if !descriptor.isOpen {
            descriptor = Descriptor(curfew_wall_timerfd())
            guard descriptor.isOpen else { return false }
            loop.add(descriptor, EventLoop.Kind.wallTimer.token())
        }
        // Set it is in any case; what is told is that the clock was set meanwhile. Source: timerfd_create(2), ECANCELED.
        for _ in 0..<Self.tries {
            if curfew_wall_timerfd_set(descriptor.number, due.microseconds) != -ECANCELED { break }
        }
        return true
    }

    /// It has told of its time, or of a clock that was set: either way it is to be armed anew. True where the clock was set.
    mutating func wasHeard() -> Bool {
        var count: UInt64 = 0
        armed = nil
        return curfew_read(descriptor.number, &count, 8) == -Int(ECANCELED)
    }
}
