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

    private init(_ limit: rlimit) { count = Int(clamping: limit.rlim_cur) }

    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }

    /// This process's own; the usual one where it can't be read.
    private static func read() -> rlimit {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? limit : rlimit(rlim_cur: 1024, rlim_max: 1024)
    }

    /// As this process's own is now.
    static var current: DescriptorLimit { DescriptorLimit(read()) }

    /// Raises this process's own limit as far as it may be; not before the app is started, which shall see its caller's.
    public static func raised() -> DescriptorLimit {
        let limit = read()
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        let isRaised = limit.rlim_cur < limit.rlim_max && setrlimit(resource, &raised) == 0
        return DescriptorLimit(isRaised ? raised : limit)
    }

    /// So few that none may be kept for convenience's sake.
    public var isScarce: Bool { count < 64 }

    /// So many that nobody has the fewer for one that is held for a while.
    public var isAmple: Bool { count >= 256 }

    /// For ourselves alone, and never held for long by anybody else.
    private var spare: Int { max(2, min(16, count / 8)) }
    /// Beyond what an app may have.
    private var forOperators: Int { max(1, min(32, count / 8)) }

    /// Whether a client may keep what has got this number.
    public func allows(_ number: Int32, forApp isForApp: Bool) -> Bool {
        Int(number) < count - spare - (isForApp ? forOperators : 0)
    }
}
