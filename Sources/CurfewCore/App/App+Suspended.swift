/// What is done to an app, and counted, while it is suspended.
extension App {
    /// Its memory goes to swap once it has been suspended for a while. Counted from when its input is waited for: what is
    /// there wakes it at once, and a piece of its memory takes longer than that.
    mutating func schedulePageOut(at now: Moment) {
        if let pageOut = policy.pageOut { phase.suspension?.nextPageOut = now.real + pageOut.delay }
    }

    mutating func pageOut(into effects: inout [Effect]) {
        phase.suspension?.nextPageOut = nil
        guard let pageOut = policy.pageOut else { return }
        if isPagingOut { return effects.append(.continuePageOut(id)) }
        effects.append(.pageOut(id, from: pageOut.threshold))
    }

    /// Counts a resumption for a waking event; false when it was one too many, and the app is killed.
    mutating func countResumption(at now: Moment, into effects: inout [Effect]) -> Bool {
        guard let limit = policy.resumeLimit else { return true }
        let count = resumptions.count(within: policy.resumeWindow, at: now)
        guard count > limit else { return true }
        var report = killReport(.resumedTooOften, limit: policy.resumeWindow, at: now)
        report.count = count
        kill(report, at: now, into: &effects)
        return false
    }
}
