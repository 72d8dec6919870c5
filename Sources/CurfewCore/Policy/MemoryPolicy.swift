/// What an app's footprint may be, in front and behind, and who watches it.
public struct MemoryPolicy: Sendable, Hashable {
    public var foreground: MemoryLimits
    /// In force from the moment it leaves the foreground.
    public var background: MemoryLimits
    /// True when a cgroup enforces the fatal limit and tells of the marks below it; else the footprint is sampled.
    public var isEnforcedByKernel: Bool

    public init(foreground: MemoryLimits, background: MemoryLimits, isEnforcedByKernel: Bool) {
        self.foreground = foreground
        self.background = background
        self.isEnforcedByKernel = isEnforcedByKernel
    }

    /// One fatal limit, in front and behind.
    public init(fatalLimit: UInt64, isEnforcedByKernel: Bool) {
        let limits = MemoryLimits(fatal: fatalLimit)
        self.init(foreground: limits, background: limits, isEnforcedByKernel: isEnforcedByKernel)
    }
}

/// Two footprints in bytes: memory the kernel can't drop, of the whole tree, shared pages counted once.
public struct MemoryLimits: Sendable, Hashable {
    /// Beyond it the app is killed at once; nil: none.
    public var fatal: UInt64?
    /// Beyond it the app is warned, and is the first to be killed when the system runs short; nil: none.
    public var soft: UInt64?

    public init(fatal: UInt64? = nil, soft: UInt64? = nil) {
        self.fatal = fatal
        self.soft = soft
    }

    /// How near the fatal limit a warning comes, at the earliest, in bytes.
    public static let warningDistance: UInt64 = 100 << 20

    /// Where the warning of the fatal limit comes: at 80 %, or within 100 MiB of it when that is later.
    ///
    /// Source: XNU bsd/kern/kern_memorystatus_notify.c: within 100 MB of the limit on devices of 1 GB and more, and
    /// never before 80 % of it.
    public var warningMark: UInt64? {
        guard let fatal else { return nil }
        let share = fatal / 5 * 4 + fatal % 5 * 4 / 5
        return max(share, fatal > Self.warningDistance ? fatal - Self.warningDistance : 0)
    }

    /// The lowest mark above a footprint; nil beyond all.
    func nextMark(above bytes: UInt64) -> UInt64? {
        var next: UInt64?
        for mark in [warningMark, soft, fatal] {
            guard let mark, mark >= bytes else { continue }
            next = min(next ?? mark, mark)
        }
        return next
    }
}

/// What the kernel is to do about one app's memory: both in bytes of footprint.
public struct MemoryEnforcement: Sendable, Hashable {
    /// No more than this; nil: as much as there is.
    public var fatal: UInt64?
    /// To be told when this is reached; nil: not to be told.
    public var mark: UInt64?

    public init(fatal: UInt64?, mark: UInt64?) {
        self.fatal = fatal
        self.mark = mark
    }
}

/// How urgent a memory warning is.
public enum MemoryWarningLevel: String, Sendable, Hashable, CaseIterable {
    case warning
    case critical
}

/// When a suspended app's memory is moved to swap, as iOS writes it to flash.
public struct PageOutPolicy: Sendable, Hashable {
    /// How long after its suspension.
    public var delay: Span
    /// Only from this footprint on, in bytes.
    public var threshold: UInt64

    /// Source: XNU bsd/kern/kern_memorystatus_freeze.c: apps of 8 MB and more are frozen.
    public static let defaultThreshold: UInt64 = 8 << 20

    public init(delay: Span, threshold: UInt64 = PageOutPolicy.defaultThreshold) {
        self.delay = delay
        self.threshold = threshold
    }
}
