/// How short of memory the machine is.
public enum PressureLevel: Int, Sendable, Hashable, Comparable, CaseIterable {
    case normal
    case warning
    case critical

    public static func < (left: PressureLevel, right: PressureLevel) -> Bool { left.rawValue < right.rawValue }

    public var name: String {
        switch self {
        case .normal: "normal"
        case .warning: "warning"
        case .critical: "critical"
        }
    }

    /// What an app is told of it; nil for nothing.
    public var warning: MemoryWarningLevel? {
        switch self {
        case .normal: nil
        case .warning: .warning
        case .critical: .critical
        }
    }

    /// The level that follows from `available` bytes, from this one; `low`: where a warning begins, in bytes.
    ///
    /// Critical begins at half of `low`. Each level is left only some way above where it began, so that it doesn't
    /// flicker: warning at 1.2 times its mark, critical at 1.4 times. While processes stall for want of memory each
    /// mark counts double. Source: XNU osfmk/vm/vm_pageout.c, VM_PRESSURE_WARNING_TO_NORMAL and
    /// VM_PRESSURE_CRITICAL_TO_WARNING.
    public func following(available: UInt64, low: UInt64, isStalling: Bool) -> PressureLevel {
        let mark = isStalling ? Self.sum(low, low) : low
        let critical = mark / 2
        if available < critical || (self == .critical && available < critical + critical / 5 * 2) { return .critical }
        if available < mark || (self > .normal && available < Self.sum(mark, mark / 5)) { return .warning }
        return .normal
    }

    /// How much should be available for this level to be left, or not to have begun: always more than there is.
    ///
    /// The mark as it was asked for, where that explains it; else the doubled one, or the one beyond which it is left.
    public func wanted(available: UInt64, low: UInt64, isStalling: Bool) -> UInt64 {
        let isCritical = self == .critical
        let asked = isCritical ? low / 2 : low
        if available < asked { return asked }
        let mark = isStalling ? Self.sum(asked, asked) : asked
        if available < mark { return mark }
        return Self.sum(mark, isCritical ? mark / 5 * 2 : mark / 5)
    }

    /// In bytes; at most what fits.
    private static func sum(_ left: UInt64, _ right: UInt64) -> UInt64 { left &+ min(right, .max - left) }
}
