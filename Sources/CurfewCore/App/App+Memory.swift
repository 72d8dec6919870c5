/// The footprint, its limits, and the warnings that come before.
extension App {
    /// How soon a footprint past a mark is looked at again where the kernel tells only of rises.
    static let recoveryInterval = Span.seconds(2)

    /// The limits of where it is now.
    public var memoryLimits: MemoryLimits? {
        policy.memory.map { isInForeground ? $0.foreground : $0.background }
    }

    /// The lowest mark that its footprint hasn't passed, in bytes; nil beyond all.
    public var nextMemoryMark: UInt64? { memoryLimits?.nextMark(above: footprint ?? 0) }

    /// Whether its footprint, when last measured, was past its soft limit.
    public var isAboveSoftLimit: Bool {
        guard let soft = memoryLimits?.soft, let footprint else { return false }
        return footprint > soft
    }

    /// The kernel refused memory over the limit, or has killed for it.
    mutating func memoryLimitHit(_ bytes: UInt64, at now: Moment, into effects: inout [Effect]) {
        guard let fatal = memoryLimits?.fatal, phase != .over else { return }
        footprint = bytes
        var report = killReport(.memoryLimit, at: now)
        report.memoryLimit = fatal
        report.footprint = bytes
        kill(report, at: now, into: &effects)
    }

    /// The kernel has told of it, once: it has to be told anew what to tell of.
    mutating func memoryMarkReached(_ bytes: UInt64, at now: Moment, into effects: inout [Effect]) {
        enforcedMemory = nil
        footprintMeasured(bytes, at: now, into: &effects)
    }

    /// Whether the kernel will tell of the mark. Caches count in what it compares, so that it can't always.
    mutating func memoryMarkArmed(_ isArmed: Bool, at now: Moment) {
        samplesMark = !isArmed
        guard samplesMark else { return }
        enforcedMemory = nil
        guard let mark = nextMemoryMark, isRunning else { return }
        nextMeasurement = now.real + MemorySampling.interval(headroom: mark - min(mark, footprint ?? 0))
    }

    mutating func footprintMeasured(_ bytes: UInt64, at now: Moment, into effects: inout [Effect]) {
        guard let limits = memoryLimits, isRunning || isSuspending else { return }
        footprint = bytes
        if let fatal = limits.fatal, bytes > fatal { return memoryLimitHit(bytes, at: now, into: &effects) }
        warnOfMarks(bytes, limits, at: now, into: &effects)
        enforceMemoryLimits(into: &effects)
        scheduleNextMeasurement(bytes, limits, at: now)
    }

    /// Above a mark once, until it has fallen a good deal below.
    private mutating func warnOfMarks(
        _ bytes: UInt64, _ limits: MemoryLimits, at now: Moment, into effects: inout [Effect]
    ) {
        warnedOfMark = warnedOfMark && !hasFallen(bytes, below: limits.warningMark)
        warnedOfSoft = warnedOfSoft && !hasFallen(bytes, below: limits.soft)
        let isNear = limits.warningMark.map { bytes > $0 } ?? false
        let isCritical = limits.soft.map { bytes > $0 } ?? false
        guard isNear && !warnedOfMark || isCritical && !warnedOfSoft else { return }
        // What is stopped hears of it later, if it is still so.
        guard warnOfMemory(isCritical ? .critical : .warning, at: now, into: &effects) else { return }
        warnedOfMark = warnedOfMark || isNear
        warnedOfSoft = warnedOfSoft || isCritical
    }

    /// A good deal, so that it doesn't flicker.
    private func hasFallen(_ bytes: UInt64, below mark: UInt64?) -> Bool {
        mark.map { bytes < $0 - $0 / 8 } ?? true
    }

    /// Whether its footprint, when last measured, was past a mark that is told of.
    private var isPastMark: Bool {
        guard let footprint, let lowest = memoryLimits?.lowestWarningMark else { return false }
        return footprint > lowest
    }

    /// Tells an app that runs; false for one that is stopped, to which nothing is ever delivered.
    @discardableResult
    mutating func warnOfMemory(_ level: MemoryWarningLevel, at now: Moment, into effects: inout [Effect]) -> Bool {
        guard isRunning, !isStoppedByTerminal, end == nil else { return false }
        effects.append(.note(id, .memoryWarning(level)))
        deliver(.didReceiveMemoryWarning, level: level, at: now, into: &effects)
        return true
    }

    /// `curfew warn`.
    mutating func warn(
        _ level: MemoryWarningLevel, request: RequestID?, at now: Moment, into effects: inout [Effect]
    ) {
        if end != nil { return reject(request, .terminating, into: &effects) }
        if isSuspending || isStoppedByTerminal { return reject(request, .suspended, into: &effects) }
        guard warnOfMemory(level, at: now, into: &effects) else { return reject(request, .notRunning, into: &effects) }
        answerState(request, into: &effects)
    }

    /// Tells the kernel what has changed of what it enforces.
    mutating func enforceMemoryLimits(into effects: inout [Effect]) {
        guard policy.memory?.isEnforcedByKernel == true, let limits = memoryLimits else { return }
        let mark = nextMemoryMark.flatMap { $0 == limits.fatal ? nil : $0 }
        let enforcement = MemoryEnforcement(fatal: limits.fatal, mark: mark)
        guard enforcement != enforcedMemory else { return }
        enforcedMemory = enforcement
        effects.append(.limitMemory(id, enforcement))
    }

    private mutating func scheduleNextMeasurement(_ bytes: UInt64, _ limits: MemoryLimits, at now: Moment) {
        nextMeasurement = nil
        guard isRunning, limits != MemoryLimits() else { return }
        if policy.memory?.isEnforcedByKernel == true, !samplesMark {
            if warnedOfMark || warnedOfSoft || isPastMark { nextMeasurement = now.real + App.recoveryInterval }
            return
        }
        guard let mark = limits.nextMark(above: bytes) else {
            // Only a soft limit, and past it.
            nextMeasurement = now.real + MemorySampling.longest
            return
        }
        nextMeasurement = now.real + MemorySampling.interval(headroom: mark - bytes)
    }

    /// The kernel is told of its limits; without one, sampling begins.
    mutating func startMeasuring(at now: Moment, into effects: inout [Effect]) {
        guard let memory = policy.memory else { return }
        if memory.isEnforcedByKernel { enforceMemoryLimits(into: &effects) } else { nextMeasurement = now.real }
    }

    /// It is opened, or resumed: other limits may hold.
    mutating func scheduleMeasurement(at now: Moment) {
        if policy.memory != nil { nextMeasurement = now.real }
    }

    /// At home the other limits hold at once: an app that is suspended in the same step is measured all the same.
    mutating func measureAtEdge(into effects: inout [Effect]) {
        guard let memory = policy.memory, memory.background != memory.foreground else { return }
        nextMeasurement = nil
        effects.append(.measureFootprint(id))
    }
}

extension MemoryLimits {
    /// Below it nothing is told of.
    var lowestWarningMark: UInt64? {
        guard let warningMark, let soft else { return warningMark ?? soft }
        return min(warningMark, soft)
    }
}
