/// The CPU time used in background, against a limit over a window. Once in each stay there: whoever is let go on isn't
/// judged again before it has been opened.
extension App {
    /// One window, and what had been used when it began.
    struct CPUWindow: Sendable, Hashable {
        var start: Instant
        /// Nil until it is measured.
        var usedAtStart: Span?
    }

    /// A limit that was passed.
    struct CPUExcess: Sendable, Hashable {
        var used: Span
        var elapsed: Span
    }

    /// Between two looks, at least this share of the window.
    private static let looksPerWindow: Int64 = 100

    /// Begins to watch where there is something to watch, and stops where there isn't.
    mutating func updateCPUWatch(at now: Moment) {
        let isWatched = phase == .background && end == nil && !isTraced && !hasPassedCPULimit
        guard policy.backgroundCPU != nil, isWatched else {
            cpuWindow = nil
            cpuExcess = nil
            nextCPUMeasurement = nil
            return
        }
        guard cpuWindow == nil else { return }
        cpuWindow = CPUWindow(start: now.real)
        nextCPUMeasurement = now.real
    }

    /// A new stay in background, in which it may pass its limit once.
    mutating func rearmCPULimit() { hasPassedCPULimit = false }

    mutating func unthrottle(into effects: inout [Effect]) {
        guard isThrottled else { return }
        isThrottled = false
        effects.append(.throttle(id, nil))
    }

    /// Judges the window by what has been used by now. A limit is passed as soon as its CPU time is used up.
    mutating func judgeCPU(_ used: Span, at now: Moment, into effects: inout [Effect]) {
        guard let limits = policy.backgroundCPU, let window = cpuWindow, cpuExcess == nil else { return }
        guard let usedAtStart = window.usedAtStart else { return beginCPUWindow(used, limits, at: now) }
        let usedInWindow = max(.zero, used - usedAtStart)
        let elapsed = now.real - window.start
        if usedInWindow > limits.allowed(in: elapsed) {
            passedCPULimit(CPUExcess(used: usedInWindow, elapsed: elapsed), limits, at: now, into: &effects)
        } else if elapsed >= limits.window {
            beginCPUWindow(used, limits, at: now)
        } else {
            scheduleCPUMeasurement(
                left: limits.limit - usedInWindow, windowEnd: window.start + limits.window, limits, at: now)
        }
    }

    private mutating func beginCPUWindow(_ used: Span, _ limits: CPUPolicy, at now: Moment) {
        cpuWindow = CPUWindow(start: now.real, usedAtStart: used)
        scheduleCPUMeasurement(left: limits.limit, windowEnd: now.real + limits.window, limits, at: now)
    }

    /// Not before the limit can have been passed with every processor busy.
    private mutating func scheduleCPUMeasurement(
        left: Span, windowEnd: Instant, _ limits: CPUPolicy, at now: Moment
    ) {
        let soonest = Span(nanoseconds: left.nanoseconds / Int64(limits.processors))
        let least = Span(nanoseconds: max(1_000_000, limits.window.nanoseconds / App.looksPerWindow))
        nextCPUMeasurement = min(windowEnd, now.real + max(soonest, least))
    }

    private mutating func passedCPULimit(
        _ excess: CPUExcess, _ limits: CPUPolicy, at now: Moment, into effects: inout [Effect]
    ) {
        nextCPUMeasurement = nil
        switch limits.action {
        case .kill:
            // A debugger would hold it off, so it is asked for first.
            cpuExcess = excess
            return proceed(at: now, into: &effects)
        case .throttle:
            isThrottled = true
            effects.append(.throttle(id, limits))
        case .log: break
        }
        effects.append(.note(id, .cpuLimitPassed(used: excess.used, elapsed: excess.elapsed)))
        hasPassedCPULimit = true
        cpuWindow = nil
    }

    mutating func killForCPU(at now: Moment, into effects: inout [Effect]) {
        guard let limits = policy.backgroundCPU, let cpuExcess else { return }
        var report = killReport(.cpuLimit, limit: limits.window, elapsed: cpuExcess.elapsed, at: now)
        report.cpuTime = cpuExcess.used
        report.cpuLimit = limits.limit
        kill(report, at: now, into: &effects)
    }
}
