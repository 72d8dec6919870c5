import CurfewCore

/// A time the reference gives for one thing: how much, and how much of it has passed.
struct Allowance {
    var limit: Span
    /// Nanoseconds that have passed, those with a debugger left out.
    var used: Int64 = 0
    /// What the app had used of the CPU when this began, as far as it was told.
    var cpuTimeAtStart: Span?

    init(_ limit: Span, cpuTimeAtStart: Span? = nil) {
        self.limit = limit
        self.cpuTimeAtStart = cpuTimeAtStart
    }

    var isOver: Bool { !limit.isInfinite && used >= limit.nanoseconds }
    var left: Span { limit.isInfinite ? .infinite : Span(nanoseconds: max(0, limit.nanoseconds - used)) }

    /// Ends at the earliest `span` from now. What passed beyond its end, since nobody looked, isn't counted.
    mutating func extend(to span: Span) {
        guard span > left else { return }
        if isOver { used = limit.nanoseconds }
        limit = Span(nanoseconds: used) + span
    }

    /// Ends at the latest `span` from now. Without an end it begins anew.
    mutating func shorten(to span: Span) {
        guard span < left else { return }
        if limit.isInfinite { used = 0 }
        limit = Span(nanoseconds: used) + span
    }

    /// Whether a report's numbers are its own.
    func isTold(by report: KillReport, lastCPUTime: Span?) -> Bool {
        guard report.limit == limit, let elapsed = report.elapsed else { return false }
        guard elapsed >= limit, elapsed <= Span(nanoseconds: used) else { return false }
        guard let cpuTimeAtStart, let lastCPUTime else { return report.cpuTime == nil }
        return report.cpuTime == lastCPUTime - cpuTimeAtStart
    }
}
