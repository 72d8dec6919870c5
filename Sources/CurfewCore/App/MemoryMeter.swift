/// An app's footprint: what is known of it, what was told of it, and when it is looked at next.
struct MemoryMeter: Sendable, Hashable {
    /// How soon a footprint past a mark is looked at again where the kernel tells only of rises.
    static let recoveryInterval = Span.seconds(2)

    /// In bytes, when last measured; nil before.
    var footprint: UInt64?
    private(set) var nextMeasurement: Instant?
    /// Whether it was warned of the fatal limit's mark, and hasn't fallen far below it since.
    private var warnedOfMark = false
    /// The same of its soft limit.
    private var warnedOfSoft = false
    /// What the kernel was last told to enforce.
    private var enforced: MemoryEnforcement?
    /// The kernel can't tell of the next mark.
    private var samplesMark = false

    // MARK: Marks

    /// The lowest mark that its footprint hasn't passed, in bytes; nil beyond all.
    func nextMark(_ limits: MemoryLimits) -> UInt64? { limits.nextMark(above: footprint ?? 0) }

    /// Whether its footprint, when last measured, was past its soft limit.
    func isAboveSoftLimit(_ limits: MemoryLimits) -> Bool {
        guard let soft = limits.soft, let footprint else { return false }
        return footprint > soft
    }

    /// What is to be told of a footprint: above a mark once, until it has fallen a good deal below.
    mutating func warning(_ bytes: UInt64, _ limits: MemoryLimits) -> MemoryWarningLevel? {
        warnedOfMark = warnedOfMark && !hasFallen(bytes, below: limits.warningMark)
        warnedOfSoft = warnedOfSoft && !hasFallen(bytes, below: limits.soft)
        let isCritical = isAbove(limits.soft, bytes)
        guard isAbove(limits.warningMark, bytes) && !warnedOfMark || isCritical && !warnedOfSoft else { return nil }
        return isCritical ? .critical : .warning
    }

    /// It has heard of the warning.
    mutating func warned(_ bytes: UInt64, _ limits: MemoryLimits) {
        warnedOfMark = warnedOfMark || isAbove(limits.warningMark, bytes)
        warnedOfSoft = warnedOfSoft || isAbove(limits.soft, bytes)
    }

    private func isAbove(_ mark: UInt64?, _ bytes: UInt64) -> Bool { mark.map { bytes > $0 } ?? false }

    /// A good deal, so that it doesn't flicker.
    private func hasFallen(_ bytes: UInt64, below mark: UInt64?) -> Bool {
        mark.map { bytes < $0 - $0 / 8 } ?? true
    }

    /// Whether its footprint, when last measured, was past a mark that is told of.
    private func isPastMark(_ limits: MemoryLimits) -> Bool {
        guard let footprint, let lowest = limits.lowestWarningMark else { return false }
        return footprint > lowest
    }

    // MARK: The kernel

    /// What the kernel is to be told; nil where it knows.
    mutating func enforcement(_ limits: MemoryLimits) -> MemoryEnforcement? {
        let mark = nextMark(limits).flatMap { $0 == limits.fatal ? nil : $0 }
        let enforcement = MemoryEnforcement(fatal: limits.fatal, mark: mark)
        guard enforcement != enforced else { return nil }
        enforced = enforcement
        return enforcement
    }

    /// The kernel has told of it, once: it has to be told anew what to tell of.
    mutating func markReached() { enforced = nil }

    /// Whether the kernel will tell of the mark. Caches count in what it compares, so that it can't always.
    mutating func markArmed(_ isArmed: Bool, _ limits: MemoryLimits, isRunning: Bool, at now: Moment) {
        samplesMark = !isArmed
        guard samplesMark else { return }
        enforced = nil
        guard let mark = nextMark(limits), isRunning else { return }
        nextMeasurement = now.real + MemorySampling.interval(headroom: mark - min(mark, footprint ?? 0))
    }

    // MARK: Measuring

    mutating func measure(at now: Moment) { nextMeasurement = now.real }

    mutating func stopMeasuring() { nextMeasurement = nil }

    /// When a footprint just measured is looked at again.
    mutating func scheduleNext(_ bytes: UInt64, _ limits: MemoryLimits, isEnforcedByKernel: Bool, at now: Moment) {
        if isEnforcedByKernel, !samplesMark {
            if warnedOfMark || warnedOfSoft || isPastMark(limits) { nextMeasurement = now.real + Self.recoveryInterval }
            return
        }
        guard let mark = limits.nextMark(above: bytes) else {
            // Only a soft limit, and past it.
            nextMeasurement = now.real + MemorySampling.longest
            return
        }
        nextMeasurement = now.real + MemorySampling.interval(headroom: mark - bytes)
    }
}

extension MemoryLimits {
    /// Below it nothing is told of.
    fileprivate var lowestWarningMark: UInt64? {
        guard let warningMark, let soft else { return warningMark ?? soft }
        return min(warningMark, soft)
    }
}
