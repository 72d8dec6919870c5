import Glibc

/// Counts seconds of running, one at a time, so that being suspended for hours uses up one of them at most.
struct Patience {
    private var secondsLeft: Int
    private var end = timespec()

    init(seconds: Int) {
        secondsLeft = seconds
    }

    /// The instant to wait for next; nil when all seconds are over. Both are of CLOCK_MONOTONIC.
    mutating func endOfThisSecond(now: timespec = Patience.now()) -> timespec? {
        if (now.tv_sec, now.tv_nsec) < (end.tv_sec, end.tv_nsec) { return end }
        guard secondsLeft > 0 else { return nil }
        secondsLeft -= 1
        end = timespec(tv_sec: now.tv_sec + 1, tv_nsec: now.tv_nsec)
        return end
    }

    /// Milliseconds to wait for next, rounded up; nil when all seconds are over.
    mutating func milliseconds() -> Int32? {
        let now = Patience.now()
        guard let end = endOfThisSecond(now: now) else { return nil }
        let nanoseconds = (end.tv_sec - now.tv_sec) * 1_000_000_000 + (end.tv_nsec - now.tv_nsec)
        return Int32(clamping: max(0, nanoseconds + 999_999) / 1_000_000)
    }

    static func now() -> timespec {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return now
    }
}
