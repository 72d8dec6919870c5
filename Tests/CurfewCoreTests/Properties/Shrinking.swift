import CurfewCore

/// A step of a random life, and how long after the one before.
protocol PausedStep {
    var pause: Trace.Pause { get set }
}

extension Array where Element: PausedStep {
    /// Fewer steps that still fail: without parts, without pauses, as long as that helps.
    func shrunk(while fails: ([Element]) -> Bool) -> [Element] {
        var best = self
        var attempts = 0
        var improved = true
        while improved, attempts < 4_000 {
            improved = false
            func keep(_ candidate: [Element]) -> Bool {
                attempts += 1
                guard fails(candidate) else { return false }
                best = candidate
                improved = true
                return true
            }
            var size = best.count / 2
            while size > 0 {
                var start = 0
                while start < best.count {
                    var candidate = best
                    candidate.removeSubrange(start..<Swift.min(start + size, best.count))
                    if !keep(candidate) { start += size }
                }
                size /= 2
            }
            for index in best.indices {
                if case .span(.zero) = best[index].pause { continue }
                var candidate = best
                candidate[index].pause = .span(.zero)
                _ = keep(candidate)
            }
        }
        return best
    }
}
