import Glibc

/// How many descriptors this process may have, and who may take which.
///
/// What holds and kills an app opens files for a moment. The kernel gives out the lowest free number, so as long as clients keep
/// only numbers below a bound, those above are free for that, and for operators, whatever an app asks for.
/// Source: getrlimit(2), RLIMIT_NOFILE; open(2): "the lowest-numbered file descriptor not currently open".
public struct DescriptorLimit: Sendable, Hashable {
    /// One more than the highest number there can be.
    public let count: Int

    public init(count: Int) { self.count = count }

    /// As this process's own is now.
    static var current: DescriptorLimit {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return DescriptorLimit(count: 1024)
        }
        return DescriptorLimit(count: Int(clamping: limit.rlim_cur))
    }

    /// Raises this process's own limit as far as it may be; not before the app is started, which shall see its caller's.
    public static func raised() -> DescriptorLimit {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return DescriptorLimit(count: 1024) }
        if limit.rlim_cur < limit.rlim_max {
            let soft = limit.rlim_cur
            limit.rlim_cur = limit.rlim_max
            if setrlimit(resource, &limit) != 0 { limit.rlim_cur = soft }
        }
        return DescriptorLimit(count: Int(clamping: limit.rlim_cur))
    }

    /// So few that none may be kept for convenience's sake.
    public var isScarce: Bool { count < 64 }

    /// For ourselves alone, and never held for long by anybody else.
    private var spare: Int { max(2, min(16, count / 8)) }
    /// Beyond what an app may have.
    private var forOperators: Int { max(1, min(32, count / 8)) }

    /// Whether a client may keep what has got this number.
    public func allows(_ number: Int32, forApp isForApp: Bool) -> Bool {
        Int(number) < count - spare - (isForApp ? forOperators : 0)
    }
}
