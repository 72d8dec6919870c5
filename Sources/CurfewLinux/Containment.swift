import CCurfew
import Glibc

/// What an app's tree is held by, best first where `auto` chooses.
public enum ContainmentKind: String, Sendable, Hashable, CaseIterable {
    case auto
    case cgroup2
    case cgroup1
    case tree
}

/// How an app's tree is stopped.
public enum SuspensionMethod: String, Sendable, Hashable, CaseIterable {
    /// Freeze, SIGSTOP to each, thaw: nothing can fork its way out, and everybody sees `T`.
    case both
    /// SIGSTOP alone, until no process is found running.
    case sigstop
    /// The freezer alone; `ps` shows no `T`.
    case freezer
}

/// The cgroups an app is held by, if any; found out by making them.
public struct Containment: Sendable {
    public private(set) var unified: Cgroup2?
    public private(set) var freezer: Cgroup1?
    public private(set) var memory: Cgroup1?
    /// Whether the kernel enforces the memory limit that was asked for.
    public private(set) var enforcesMemory = false
    /// Becomes readable when the v1 memory limit was hit; -1 without one.
    public private(set) var outOfMemoryEvent: Int32 = -1

    /// Held as a process tree only: best effort against a process that forks and exits for ever.
    public static let tree = Containment()

    public var kind: ContainmentKind {
        if unified != nil { return .cgroup2 }
        return freezer != nil ? .cgroup1 : .tree
    }

    /// What holds it, for people: `cgroup2 + cgroup1 memory`.
    public var description: String {
        let base =
            switch kind {
            case .cgroup2: "cgroup2"
            case .cgroup1: "cgroup1 freezer"
            case .tree, .auto: "process tree (best effort)"
            }
        if memory != nil { return base + " + cgroup1 memory" }
        return enforcesMemory ? base + " + memory.max" : base
    }

    /// Makes what `kind` needs, and what holds the memory limit. `note` hears each path before it is made, so
    /// that whoever survives this process can clean up.
    ///
    /// Throws only for a kind asked for by name; `auto` takes what it gets.
    public static func make(
        _ kind: ContainmentKind, name: String, memoryLimit: UInt64?, note: (PathRole, String) -> Void
    ) throws(KernelError) -> Containment {
        var containment = Containment()
        if kind != .tree {
            let mounts = CgroupMounts.read(legacy: kind != .cgroup2 || memoryLimit != nil)
            try containment.hold(kind, mounts: mounts, name: name, note: note)
            if let memoryLimit { containment.limitMemory(memoryLimit, mounts: mounts, name: name, note: note) }
        }
        return containment
    }

    public enum PathRole: Int, Sendable, CaseIterable { case unified, freezer, memory }

    private mutating func hold(
        _ kind: ContainmentKind, mounts: CgroupMounts, name: String, note: (PathRole, String) -> Void
    ) throws(KernelError) {
        if kind != .cgroup1 {
            do throws(KernelError) {
                unified = try Self.makeUnified(mounts.unified, name: name, note: note)
                return
            } catch {
                if kind == .cgroup2 { throw error }
            }
        }
        do throws(KernelError) {
            guard let parent = mounts.freezer else { throw KernelError("find", "a cgroup v1 freezer", errno: ENOENT) }
            note(.freezer, parent + "/" + name)
            freezer = try Cgroup1(parent: parent, name: name)
        } catch {
            if kind == .cgroup1 { throw error }
        }
    }

    /// In our own cgroup, or beside it where only that one is ours or has the controllers.
    private static func makeUnified(
        _ own: String?, name: String, note: (PathRole, String) -> Void
    ) throws(KernelError) -> Cgroup2 {
        guard let own else { throw KernelError("find", "a cgroup v2 mount", errno: ENOENT) }
        do {
            note(.unified, own + "/" + name)
            return try Cgroup2(parent: own, name: name)
        } catch {
            guard let slash = own.lastIndex(of: "/"), error.errno != EAGAIN else { throw error }
            let beside = String(own[..<slash])
            note(.unified, beside + "/" + name)
            return try Cgroup2(parent: beside, name: name)
        }
    }

    private mutating func limitMemory(
        _ bytes: UInt64, mounts: CgroupMounts, name: String, note: (PathRole, String) -> Void
    ) {
        if let unified, unified.has(file: "memory.max") {
            do {
                try unified.write(String(bytes), to: "memory.max")
                // With swap barred, memory.max means the limit; without swap accounting the file is absent.
                try? unified.write("0", to: "memory.swap.max")
                try? unified.write("1", to: "memory.oom.group")
                enforcesMemory = true
            } catch {}
            return
        }
        guard let parent = mounts.memory else { return }
        note(.memory, parent + "/" + name)
        guard var cgroup = try? Cgroup1(parent: parent, name: name) else { return }
        do {
            try cgroup.limitMemory(bytes: bytes)
            outOfMemoryEvent = try cgroup.armOutOfMemoryEvent()
            memory = cgroup
            enforcesMemory = true
        } catch {
            _ = cgroup.remove()
        }
    }

    /// The files a child writes itself into, beside the v2 cgroup it is born in.
    public var joining: [Int32] {
        var files: [Int32] = []
        if let freezer { files.append(freezer.joining.number) }
        if let memory { files.append(memory.joining.number) }
        return files
    }

    public mutating func closeJoining() {
        freezer?.closeJoining()
        memory?.closeJoining()
    }

    public mutating func setFrozen(_ isFrozen: Bool) throws(KernelError) {
        if unified != nil { try unified?.setFrozen(isFrozen) } else { try freezer?.setFrozen(isFrozen) }
    }

    public mutating func isFrozen() -> Bool { unified?.isFrozen() ?? freezer?.isFrozen() ?? false }

    /// Spins: its notifications are held back by up to 20 ms, and most freezes take 0.2 ms.
    public mutating func waitUntilFrozen(microseconds: Int64) -> Bool {
        let deadline = curfew_monotonic_nanoseconds() + microseconds * 1000
        while !isFrozen() {
            if curfew_monotonic_nanoseconds() >= deadline { return false }
            sched_yield()
        }
        return true
    }

    /// SIGKILL to each process, frozen meanwhile: none forks its way out, and no pid changes hands.
    ///
    /// In the v1 freezer SIGKILL acts only once thawed.
    public mutating func killFrozen() {
        guard hasFreezer else { return }
        try? setFrozen(true)
        _ = waitUntilFrozen(microseconds: 25_000)
        for pid in processes() ?? [] { _ = curfew_kill(pid, SIGKILL) }
        try? setFrozen(false)
    }

    public var hasFreezer: Bool { unified != nil || freezer != nil }

    public mutating func isPopulated() -> Bool {
        if let isPopulated = unified?.isPopulated() { return isPopulated }
        return !(freezer?.processes().isEmpty ?? true)
    }

    /// The processes of the cgroup; nil where only the tree itself tells.
    public func processes() -> [Int32]? { unified?.processes() ?? freezer?.processes() }

    /// False while something is left in one of them.
    public mutating func remove() -> Bool {
        var isRemoved = true
        if unified != nil { isRemoved = (unified?.remove() ?? true) && isRemoved }
        if freezer != nil { isRemoved = (freezer?.remove() ?? true) && isRemoved }
        if memory != nil { isRemoved = (memory?.remove() ?? true) && isRemoved }
        return isRemoved
    }

    /// How often the kernel has killed for the memory limit, or is about to: v1 tells half a second before it has
    /// written its report and kills. Told once for that.
    public var outOfMemoryKills: UInt64 {
        guard enforcesMemory else { return 0 }
        guard let memory else { return unified?.number(in: "memory.events", after: "oom_kill ") ?? 0 }
        var hits: UInt64 = 0
        // Read, or it would stay ready and wake its reader for ever.
        if curfew_read(outOfMemoryEvent, &hits, 8) == 8, hits > 0 { return hits }
        return memory.number(in: "memory.oom_control", after: "oom_kill ") ?? 0
    }

    /// The most the memory cgroup has held, in bytes.
    public var peakMemory: UInt64? {
        if let memory { return memory.number(in: "memory.max_usage_in_bytes") }
        return unified?.number(in: "memory.peak")
    }

    /// Anonymous, shared-anonymous, swapped and unreclaimable kernel memory of a memory cgroup, in bytes.
    public var footprint: UInt64? {
        if let memory {
            return Self.sum(["total_rss ", "total_shmem ", "total_swap "]) {
                memory.number(in: "memory.stat", after: $0)
            }
        }
        guard let unified, unified.has(file: "memory.stat") else { return nil }
        let resident = Self.sum(["anon ", "shmem ", "kernel_stack ", "pagetables ", "slab_unreclaimable "]) {
            unified.number(in: "memory.stat", after: $0)
        }
        return resident + (unified.number(in: "memory.swap.current") ?? 0)
    }

    private static func sum(_ keys: [StaticString], _ value: (StaticString) -> UInt64?) -> UInt64 {
        keys.reduce(0) { $0 + (value($1) ?? 0) }
    }
}
