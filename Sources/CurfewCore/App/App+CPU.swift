/// The CPU time an app uses in background.
extension App {
    /// Whether it is held to its share of CPU time.
    public var isThrottled: Bool {
        switch phase.place {
        case .running, .suspended: phase.stay.cpu.isThrottled
        case .over(_, let isThrottled): isThrottled
        case .starting, .foreground: false
        }
    }

    /// A limit that was passed is told of, unless it is one that kills.
    mutating func judgeCPU(_ used: Span, at now: Moment, into effects: inout [Effect]) {
        guard let limits = policy.backgroundCPU else { return }
        if isUnmetered {
            phase.away?.cpu.beginAnew(used, limits, at: now)
            return
        }
        guard let excess = phase.away?.cpu.judge(used, limits, at: now) else { return }
        switch limits.action {
        case .kill: return proceed(at: now, into: &effects)
        case .throttle: effects.append(.throttle(id, limits))
        case .log: break
        }
        effects.append(.note(id, .cpuLimitPassed(used: excess.used, elapsed: excess.elapsed)))
    }

    mutating func killForCPU(at now: Moment, into effects: inout [Effect]) {
        guard let limits = policy.backgroundCPU, let excess = phase.away?.cpu.excess else { return }
        var report = killReport(.cpuLimit, limit: limits.window, elapsed: excess.elapsed, at: now)
        report.cpuTime = excess.used
        report.cpuLimit = limits.limit
        kill(report, at: now, into: &effects)
    }
}
