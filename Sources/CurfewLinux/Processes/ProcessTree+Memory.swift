import CCurfew

/// The footprint of a tree, which nobody counts unless a cgroup does.
extension ProcessTree {
    /// Memory the kernel can't drop, exactly where that is cheap or `limit` is nil, else by what costs less to know.
    ///
    /// `limit`: what the caller compares with. Shared pages count several times in the cheap figure, so a figure over
    /// the limit is made sure of before it is believed.
    public func footprint(limit: UInt64? = nil) -> UInt64 {
        if let footprint = containment.footprint { return footprint }
        let pids = processes()
        let machine = SampledMemory.Machine.read()
        if let limit, let footprint = cheapFootprint(of: pids, machine, limit: limit) { return footprint }
        let mapped = Self.proportionalFootprint(of: pids, limit: limit)
        let files = filesFootprint(of: pids, mapped, machine, limit: limit)
        let footprint = mapped.total + files
        if mapped.shared == 0 || files == 0 { return footprint }
        return leastFootprint(of: pids, machine, limit: limit, before: footprint)
    }

    /// How often a sum over the limit is made anew before it is believed, where what is mapped can be a file's.
    private static let mostLooks = 8
    /// For how long: an app that is over its limit takes more meanwhile.
    private static let longestLooks: Int64 = 20_000_000

    /// What is mapped or unmapped between the look at files and that at mappings is in both, so that a sum can be too large;
    /// never each time, unless the app is.
    private func leastFootprint(
        of pids: [Int32], _ machine: SampledMemory.Machine, limit: UInt64?, before first: UInt64
    ) -> UInt64 {
        var least = first
        let deadline = curfew_monotonic_nanoseconds() + Self.longestLooks
        for look in 0..<(limit == nil ? 1 : Self.mostLooks) {
            if least <= limit ?? 0 || look > 0 && curfew_monotonic_nanoseconds() >= deadline { break }
            let files = sampled.look(at: pids, machine)
            let mapped = Self.proportionalFootprint(of: pids, limit: nil)
            least = min(least, mapped.total + files.bytes - sampled.mapped(files, by: pids, sufficing: .max))
        }
        return least
    }

    /// What files in memory add to what is mapped of them.
    private func filesFootprint(
        of pids: [Int32], _ mapped: Procfs.Footprint, _ machine: SampledMemory.Machine, limit: UInt64?
    ) -> UInt64 {
        let room = limit.map { $0 - min($0, mapped.total) } ?? 0
        if let limit {
            if mapped.total > limit { return 0 }
            let bytes = sampled.bytesInFiles(of: pids, machine, room: room)
            if bytes <= room { return bytes }
        }
        let files = sampled.look(at: pids, machine)
        guard mapped.shared > 0, files.bytes > 0, limit == nil || files.bytes > room else { return files.bytes }
        // What is mapped and open counts once.
        return files.bytes - sampled.mapped(files, by: pids, sufficing: limit == nil ? 0 : files.bytes - room)
    }

    /// By each process's share of the pages that it shares.
    ///
    /// Who ends meanwhile leaves its share to those that are read after it, where it is counted again. So a sum over the
    /// limit is believed only if all it is made of were still there when all were read once more.
    private static func proportionalFootprint(of pids: [Int32], limit: UInt64?) -> Procfs.Footprint {
        var parts = pids.map { Procfs.proportionalFootprint($0) }
        var least = Procfs.Footprint(anonymous: .max / 2, shared: 0)
        for _ in 0..<4 {
            var sum = Procfs.Footprint()
            for part in parts {
                sum.anonymous += part?.anonymous ?? 0
                sum.shared += part?.shared ?? 0
            }
            if sum.total < least.total { least = sum }
            guard let limit, sum.total > limit else { break }
            let again = pids.map { Procfs.proportionalFootprint($0) }
            if zip(parts, again).allSatisfy({ ($0?.total ?? 0) == 0 || ($1?.total ?? 0) > 0 }) { return sum }
            parts = again
        }
        return least
    }

    /// From how much resident memory that isn't anonymous on it is found out how much of it is a file's.
    private static let muchShared: UInt64 = 8 << 20

    /// By what is resident, where that decides: nothing much is, or one process alone is over the limit. Nil where
    /// shared pages would have to be told from others.
    private func cheapFootprint(of pids: [Int32], _ machine: SampledMemory.Machine, limit: UInt64) -> UInt64? {
        var sum: UInt64 = 0
        var largest: UInt64 = 0
        var rest: UInt64 = 0
        for pid in pids {
            guard let memory = Procfs.anonymousResident(pid) else { continue }
            let shared = memory.resident - memory.anonymous
            // What is in swap is in none of the figures that cost less.
            if machine.swapped > 0 || shared > Self.muchShared, let full = Procfs.fullFootprint(pid) {
                sum += full.total
                largest = max(largest, full.anonymous)
            } else {
                sum += memory.anonymous
                rest += shared
                largest = max(largest, memory.anonymous)
            }
        }
        guard sum + rest <= limit else { return largest > limit ? largest : nil }
        let room = limit - sum - rest
        let files = sampled.bytesInFiles(of: pids, machine, room: room)
        return files <= room ? sum + files : nil
    }
}
