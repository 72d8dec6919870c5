/// Who uses the processors while work runs that is to run on an idle machine only: that work's own use is no reason to end it.
public struct ProcessorUse: Sendable, Hashable {
    private var last: Look?

    private struct Look: Sendable, Hashable {
        let instant: Instant
        let busy: Span
        let own: Span
    }

    /// The processors' time, of all of them together, that others may take.
    static let othersShare = 50

    public init() {}

    /// Whether others have used more than half a processor since the last look; false at the first.
    ///
    /// - Parameters:
    ///   - busy: for how long processors have worked since the machine was started.
    ///   - own: how much of that was the work itself.
    public mutating func isOthers(at now: Instant, busy: Span, own: Span) -> Bool {
        let before = last
        last = Look(instant: now, busy: busy, own: own)
        guard let before else { return false }
        let others = (busy - before.busy) - max(.zero, own - before.own)
        return others > (now - before.instant).scaled(by: 100 / Double(Self.othersShare))
    }

    /// Other work runs than before: the next look is the first.
    public mutating func reset() { last = nil }
}
