/// The limits of an app's footprint, and the warnings that come before.
extension App {
    /// In bytes, when last measured; nil before.
    public var footprint: UInt64? { memory?.footprint }

    /// The limits of where it is now.
    public var memoryLimits: MemoryLimits? {
        policy.memory.map { isInForeground || isAsleep ? $0.foreground : $0.background }
    }

    /// The lowest mark that its footprint hasn't passed, in bytes; nil beyond all.
    public var nextMemoryMark: UInt64? {
        guard let memory, let memoryLimits else { return nil }
        return memory.nextMark(memoryLimits)
    }

    /// Whether its footprint, when last measured, was past its soft limit.
    public var isAboveSoftLimit: Bool {
        guard let memory, let memoryLimits else { return false }
        return memory.isAboveSoftLimit(memoryLimits)
    }

    /// The kernel refused memory over the limit, or has killed for it.
    mutating func memoryLimitHit(_ bytes: UInt64, at now: Moment, into effects: inout [Effect]) {
        guard let fatal = memoryLimits?.fatal, !phase.isOver else { return }
        memory?.footprint = bytes
        var report = killReport(.memoryLimit, at: now)
        report.memoryLimit = fatal
        report.footprint = bytes
        kill(report, at: now, into: &effects)
    }

    mutating func memoryMarkReached(_ bytes: UInt64, at now: Moment, into effects: inout [Effect]) {
        memory?.markReached()
        footprintMeasured(bytes, at: now, into: &effects)
    }

    mutating func memoryMarkArmed(_ isArmed: Bool, at now: Moment) {
        guard let limits = memoryLimits else { return }
        let isRunning = isRunning
        memory?.markArmed(isArmed, limits, isRunning: isRunning, at: now)
    }

    mutating func footprintMeasured(_ bytes: UInt64, at now: Moment, into effects: inout [Effect]) {
        guard let limits = memoryLimits, isRunning || isSuspending else { return }
        memory?.footprint = bytes
        if let fatal = limits.fatal, bytes > fatal { return memoryLimitHit(bytes, at: now, into: &effects) }
        // What is stopped hears of it later, if it is still so.
        if let level = memory?.warning(bytes, limits), warnOfMemory(level, at: now, into: &effects) {
            memory?.warned(bytes, limits)
        }
        enforceMemoryLimits(into: &effects)
        scheduleNextMeasurement(bytes, limits, at: now)
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
        if let enforcement = memory?.enforcement(limits) { effects.append(.limitMemory(id, enforcement)) }
    }

    private mutating func scheduleNextMeasurement(_ bytes: UInt64, _ limits: MemoryLimits, at now: Moment) {
        memory?.stopMeasuring()
        guard isRunning, limits != MemoryLimits(), let policy = policy.memory else { return }
        memory?.scheduleNext(bytes, limits, isEnforcedByKernel: policy.isEnforcedByKernel, at: now)
    }

    /// The kernel is told of its limits; without one, sampling begins.
    mutating func startMeasuring(at now: Moment, into effects: inout [Effect]) {
        guard let policy = policy.memory else { return }
        if policy.isEnforcedByKernel { enforceMemoryLimits(into: &effects) } else { memory?.measure(at: now) }
    }

    /// It is opened, or resumed: other limits may hold.
    mutating func scheduleMeasurement(at now: Moment) { memory?.measure(at: now) }

    /// At home the other limits hold at once: an app that is suspended in the same step is measured all the same.
    mutating func measureAtEdge(into effects: inout [Effect]) {
        guard let policy = policy.memory, policy.background != policy.foreground else { return }
        memory?.stopMeasuring()
        effects.append(.measureFootprint(id))
    }
}
