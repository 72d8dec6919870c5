import CurfewCore
import CurfewLinux

/// Memory and CPU time of one app.
extension Instance {
    var measures: Measures { Measures(footprint: tree.footprint(), cpuMicroseconds: cpuMicroseconds) }

    /// True when the kernel will tell of the mark.
    func limitMemory(_ enforcement: MemoryEnforcement, at now: Instant) -> Bool {
        // Refused by v1 where more is used, it is tried again with the next mark.
        tree.containment.limitMemory(to: enforcement.fatal)
        guard enforcement.mark == nil || mayArmMark(at: now) else { return false }
        return tree.containment.armMemoryMark(enforcement.mark, fatal: enforcement.fatal)
    }

    /// Where it blocks us for long it is put off: until a short program is over, and one that fills caches has calmed
    /// down. Meanwhile the footprint is sampled.
    private func mayArmMark(at now: Instant) -> Bool {
        guard tree.containment.armsMarksSlowly else { return true }
        guard let next = nextSlowMark else {
            nextSlowMark = now + .seconds(1)
            return false
        }
        guard now >= next else { return false }
        nextSlowMark = now + .seconds(10)
        return true
    }

    // MARK: Paging out

    func beginPageOut(from threshold: UInt64) -> Bool {
        guard let pagingMethod, tree.footprint() >= threshold else { return false }
        tree.containment.allowSwap(true)
        pageOutJob = PageOutJob(tree, by: pagingMethod)
        return true
    }

    func continuePageOut() -> PageOutResult? {
        if pageOutJob?.step() == true { return nil }
        endPageOut()
        return residency
    }

    func endPageOut() {
        pageOutJob?.end()
        pageOutJob = nil
    }

    var residency: PageOutResult {
        let (resident, swapped) = Paging.residency(of: tree.processes())
        return PageOutResult(resident: resident, swapped: swapped)
    }

    // MARK: CPU

    func throttle(_ limits: CPUPolicy?) {
        tree.containment.limitCPU(
            share: limits.map { Double($0.limit.nanoseconds) / Double(max(1, $0.window.nanoseconds)) })
    }

    func setPriority(isLowered: Bool) {
        tree.containment.lowerCPUWeight(isLowered)
        let session = leadsSession ? tree.leader : nil
        if isLowered {
            priority.lower(tree.processes(), session: session)
        } else {
            priority.restore(tree.processes(), session: session)
        }
    }
}

extension FileLock {
    init(_ lock: HeldLock) {
        self.init(
            path: lock.path, kind: lock.kind.rawValue, isWrite: lock.access == .write, pid: lock.pid,
            isWaitedFor: lock.isWaitedFor)
    }
}
