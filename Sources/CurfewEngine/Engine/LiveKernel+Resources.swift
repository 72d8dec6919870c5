import CCurfew
import CurfewCore
import CurfewLinux

/// Memory, CPU time, locks and disk of the real machine.
extension LiveKernel {
    func limitMemory(of app: AppID, _ enforcement: MemoryEnforcement) -> Bool {
        guard let tree else { return false }
        if enforcedLimit != .some(enforcement.fatal) {
            // Refused by v1 where more is used, it is tried again with the next mark.
            if tree.containment.limitMemory(to: enforcement.fatal) { enforcedLimit = .some(enforcement.fatal) }
        }
        guard enforcement.mark == nil || mayArmMark(tree) else { return false }
        let isArmed = tree.containment.armMemoryMark(enforcement.mark, fatal: enforcement.fatal)
        if isArmed, enforcement.mark != nil { watchesMark?(tree.containment.memoryMarkEvent) }
        return isArmed
    }

    /// Where it blocks us for long it is put off: until a short program is over, and one that fills caches has calmed
    /// down. Meanwhile the footprint is sampled.
    private func mayArmMark(_ tree: ProcessTree) -> Bool {
        guard tree.containment.armsMarksSlowly else { return true }
        guard let next = nextSlowMark else {
            nextSlowMark = now + .seconds(1)
            return false
        }
        guard now >= next else { return false }
        nextSlowMark = now + .seconds(10)
        return true
    }

    /// Where it can't be read there is no telling that memory is short.
    func availableMemory() -> UInt64 { SystemMemory.read()?.available ?? .max }

    func freeDisk() -> UInt64 { DiskSpace.available(at: watchedDisk)?.available ?? .max }

    func locks(of app: AppID) -> [FileLock] {
        guard let tree else { return [] }
        return FileLocks.held(by: tree.processes()).map { FileLock($0) }
    }

    // MARK: Paging out

    func beginPageOut(_ app: AppID, from threshold: UInt64) -> Bool {
        guard let tree, let pagingMethod, tree.footprint() >= threshold else { return false }
        tree.containment.allowSwap(true)
        pageOutJob = PageOutJob(tree, by: pagingMethod)
        return true
    }

    func continuePageOut(_ app: AppID) -> PageOutResult? {
        if pageOutJob?.step() == true { return nil }
        endPageOut()
        return residency(of: app) ?? PageOutResult(resident: 0, swapped: 0)
    }

    func endPageOut() {
        pageOutJob?.end()
        pageOutJob = nil
    }

    func residency(of app: AppID) -> PageOutResult? {
        guard let tree else { return nil }
        let (resident, swapped) = Paging.residency(of: tree.processes())
        return PageOutResult(resident: resident, swapped: swapped)
    }

    // MARK: CPU

    func throttle(_ app: AppID, _ limits: CPUPolicy?) {
        tree?.containment.limitCPU(
            share: limits.map { Double($0.limit.nanoseconds) / Double(max(1, $0.window.nanoseconds)) })
    }

    func setPriority(of app: AppID, isLowered: Bool) {
        guard let tree else { return }
        tree.containment.lowerCPUWeight(isLowered)
        if isLowered { priority.lower(tree.processes()) } else { priority.restore(tree.processes()) }
    }
}

extension FileLock {
    init(_ lock: HeldLock) {
        self.init(
            path: lock.path, kind: lock.kind.rawValue, isWrite: lock.access == .write, pid: lock.pid,
            isWaitedFor: lock.isWaitedFor)
    }
}
