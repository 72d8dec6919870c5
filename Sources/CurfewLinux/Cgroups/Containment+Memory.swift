import CCurfew
import Glibc

/// Memory by cgroup: a limit that the kernel enforces, marks below it that it tells of, and what has been used.
///
/// Source: Documentation/admin-guide/cgroup-v2.rst, "Memory Interface Files", and cgroup-v1/memory.rst.
extension Containment {
    mutating func holdMemory(
        _ limit: UInt64?, _ mounts: CgroupMounts, name: String, note: (PathRole, String) -> Void
    ) {
        if let unified, unified.has(file: "memory.max") {
            try? unified.write("1", to: "memory.oom.group")
            enforcesMemory = true
            if limit != nil { enforcesMemory = limitMemory(to: limit) }
            return
        }
        guard let parent = mounts.memory else { return }
        note(.memory, parent + "/" + name)
        guard var cgroup = try? Cgroup1(parent: parent, name: name) else { return }
        guard let event = try? cgroup.armOutOfMemoryEvent() else {
            _ = cgroup.remove()
            return
        }
        memory = cgroup
        outOfMemoryEvent = event
        enforcesMemory = true
        if limit != nil, !limitMemory(to: limit) {
            _ = memory?.remove()
            memory = nil
            outOfMemoryEvent = -1
            enforcesMemory = false
        }
    }

    /// From now on no more than so many bytes; nil: as many as there are. False when the kernel refuses.
    ///
    /// Lowered below what is used, v1 refuses with EBUSY unless it can drop enough; v2 kills. Nothing is done where it is so
    /// already.
    @discardableResult
    public mutating func limitMemory(to bytes: UInt64?) -> Bool {
        guard enforcesMemory else { return false }
        if bytes == enforcedLimit { return true }
        do throws(KernelError) {
            if let memory {
                try memory.limitMemory(bytes: bytes)
            } else {
                allowSwap(bytes == nil)
                try unified?.write(bytes.map { String($0) } ?? "max", to: "memory.max")
            }
            enforcedLimit = bytes
            return true
        } catch {
            return false
        }
    }

    // MARK: Marks

    /// The least that a mark is armed above what is used: nearer ones are told of at once.
    private static let slack: UInt64 = 256 * 1024

    /// Has `memoryMarkEvent` become readable once when the footprint comes near `mark`; nil: never. True when it will.
    ///
    /// The kernel compares what is charged, caches included, so the mark is put as far above that as the footprint may
    /// still grow. Of a mark that it has passed since it was measured, and beyond the fatal limit, nothing would be told: then
    /// false.
    public mutating func armMemoryMark(_ mark: UInt64?, fatal: UInt64?) -> Bool {
        guard enforcesMemory else { return false }
        guard let mark, let before = charged, let after = charged,
            let room = Self.room(to: mark, before: before.footprintAtMost, after: after.footprintAtMost)
        else {
            disarmMemoryMark()
            return mark == nil
        }
        let (threshold, isBeyondAll) = before.total.addingReportingOverflow(room)
        if isBeyondAll || fatal.map({ threshold >= $0 }) ?? false {
            disarmMemoryMark()
            return false
        }
        guard memory == nil ? armHigh(threshold) : armThreshold(threshold) else { return false }
        // What was used up meanwhile isn't told of.
        return memoryUsage.map { $0 < threshold } ?? false
    }

    /// How much more may be charged until the footprint comes to `mark`; nil where it is past that. All in bytes.
    ///
    /// `before` and `after`: the footprint before and after it was read what is charged. The larger one counts, for the app runs
    /// meanwhile: taken from a footprint smaller than it was then, the mark would be too far above, and never told of.
    static func room(to mark: UInt64, before: UInt64, after: UInt64) -> UInt64? {
        let footprint = max(before, after)
        return footprint < mark ? max(mark - footprint, slack) : nil
    }

    /// Whether arming blocks for some 30 ms: v1 waits for every processor to have passed through the scheduler.
    ///
    /// Source: kernel, mm/memcontrol-v1.c, __mem_cgroup_usage_register_event, synchronize_rcu().
    public var armsMarksSlowly: Bool { memory != nil }

    private mutating func disarmMemoryMark() {
        if memory == nil { try? unified?.write("max", to: "memory.high") } else { markEvent.close() }
    }

    /// A trip-wire: past it the kernel holds processes back, so it has to be moved as soon as it is told of.
    private mutating func armHigh(_ bytes: UInt64) -> Bool {
        guard let unified else { return false }
        if !markEvent.isOpen {
            markEvent = Descriptor(curfew_inotify())
            guard markEvent.isOpen,
                curfew_inotify_watch(markEvent.number, unified.path + "/memory.events", UInt32(IN_MODIFY)) >= 0
            else {
                markEvent.close()
                return false
            }
        }
        return (try? unified.write(String(bytes), to: "memory.high")) != nil
    }

    /// A registration ends with its eventfd, so each mark has one of its own.
    private mutating func armThreshold(_ bytes: UInt64) -> Bool {
        markEvent.close()
        guard let memory, let event = try? memory.usageEvent(at: bytes) else { return false }
        markEvent = event
        return true
    }

    /// What to wait for, -1 when nothing is armed; another one after each `armMemoryMark`.
    public var memoryMarkEvent: Int32 { markEvent.number }

    /// To be called when it is readable, or it would stay so.
    public func readMemoryMarkEvent() {
        withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 8) { buffer in
            while curfew_read(markEvent.number, buffer.baseAddress, memory == nil ? 1024 : 8) > 0 {}
        }
    }

    // MARK: Paging out

    /// While it runs with a limit swap is barred, so that the limit means memory; suspended, its memory may go there.
    ///
    /// Without swap accounting the file is absent.
    public func allowSwap(_ isAllowed: Bool) {
        guard enforcesMemory, memory == nil else { return }
        try? unified?.write(isAllowed ? "max" : "0", to: "memory.swap.max")
    }

    /// It runs again: swap is barred if it has a limit, whose file says "max" where there is none.
    public func barSwap() {
        if unified?.number(in: "memory.max") != nil { allowSwap(false) }
    }

    // MARK: Measures

    /// How often the kernel has killed for this memory limit, or is about to: v1 tells half a second before it has
    /// written its report and kills. Told once for that.
    ///
    /// Kills for a limit above, for the machine's memory, or for one that the app has set below, are none of ours.
    public var outOfMemoryKills: UInt64 {
        guard enforcesMemory else { return 0 }
        guard let memory else {
            guard wasOwnLimitHit else { return 0 }
            return unified?.number(in: "memory.events", after: "oom_kill ") ?? 0
        }
        var hits: UInt64 = 0
        // Read, or it would stay ready and wake its reader for ever.
        let isTold = curfew_read(outOfMemoryEvent, &hits, 8) == 8 && hits > 0
        guard wasOwnLimitHit else { return 0 }
        return isTold ? hits : memory.number(in: "memory.oom_control", after: "oom_kill ") ?? 0
    }

    /// v1 tells every cgroup below the one whose limit was hit, and both versions count victims wherever the kill comes
    /// from. v1's `failcnt` would tell, but new kernels no longer count it; so what was never near its limit wasn't hit.
    ///
    /// Source: kernel, mm/memcontrol-v1.c, mem_cgroup_oom_notify(); Documentation/admin-guide/cgroup-v2.rst,
    /// memory.events.local (Linux 5.2). That `failcnt` stays 0: measured on Linux 6.18.
    private var wasOwnLimitHit: Bool {
        guard let memory else {
            return unified?.number(in: "memory.events.local", after: "oom ").map { $0 > 0 } ?? true
        }
        guard let limit = memory.number(in: "memory.limit_in_bytes") else { return true }
        let peaks = ["memory.max_usage_in_bytes", "memory.memsw.max_usage_in_bytes"]
            .compactMap { memory.number(in: $0) }
        return peaks.isEmpty || peaks.contains { $0 &+ Self.largestRefusal >= limit }
    }

    /// What the kernel kills for is never more at once: eight pages, of 64 KiB at most. Source: kernel, PAGE_ALLOC_COSTLY_ORDER.
    private static let largestRefusal: UInt64 = 8 * 64 * 1024

    /// The most the memory cgroup has held, in bytes.
    public var peakMemory: UInt64? {
        if let memory { return memory.number(in: "memory.max_usage_in_bytes") }
        return unified?.number(in: "memory.peak")
    }

    /// All that is charged to it, what could be dropped included, in bytes.
    private var memoryUsage: UInt64? {
        if let memory { return memory.number(in: "memory.usage_in_bytes") }
        return unified?.number(in: "memory.current")
    }

    private var charged: ChargedMemory? {
        if let memory {
            return ChargedMemory(legacy: memory) { memory.processes().reduce(0) { $0 + Procfs.swapped($1) } }
        }
        return unified.flatMap { ChargedMemory(unified: $0) }
    }

    /// Anonymous, shared-anonymous, swapped and unreclaimable kernel memory of a memory cgroup, in bytes.
    public var footprint: UInt64? { charged?.footprint }
}
