/// How often a footprint is measured where no cgroup enforces its limit.
public enum MemorySampling {
    /// Far from the limit, once in this time.
    public static let longest = Span.milliseconds(250)
    /// Near it, as often as this: at 1 GiB/s about 1 MiB passes in it.
    public static let shortest = Span.milliseconds(1)
    /// An app is taken to grow no faster than this; up to 2.4 GiB/s was measured on one core touching fresh pages. With
    /// half of it, the worst of 25 runs was 58 MiB past its limit, with this 16 MiB; in huge pages 56 MiB.
    public static let assumedBytesPerSecond: UInt64 = 4 << 30

    /// The time to the next measurement with this much room left, in bytes; `longest` is at most 10 s.
    public static func interval(
        headroom: UInt64, shortest: Span = Self.shortest, longest: Span = Self.longest
    ) -> Span {
        let bytesPerMillisecond = assumedBytesPerSecond / 1000
        let milliseconds = Int64(min(headroom / bytesPerMillisecond, 10_000))
        return min(longest, max(shortest, .milliseconds(milliseconds)))
    }
}
