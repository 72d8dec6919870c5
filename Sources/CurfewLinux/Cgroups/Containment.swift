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
    public internal(set) var memory: Cgroup1?
    /// Of v1, where the CPU time is limited.
    public internal(set) var cpu: Cgroup1?
    /// Whether the kernel enforces memory limits, and tells when usage reaches a mark.
    public internal(set) var enforcesMemory = false
    /// The limit that the kernel was last told, in bytes; a new cgroup has none.
    var enforcedLimit: UInt64?
    /// Becomes readable when the v1 memory limit was hit; -1 without one.
    public internal(set) var outOfMemoryEvent: Int32 = -1
    /// What `armMemoryMark` waits by: an eventfd of v1, or an inotify descriptor on `memory.events`.
    var markEvent = Descriptor.none
    /// Where we were when it was made. Kept, and never read: to free its strings costs a launch a seventh of its instructions.
    private var mounts: CgroupMounts?
    /// Our own cgroup, where it hands controllers down for this app's sake.
    private var delegating: String?

    /// Held as a process tree only: best effort against a process that forks and exits for ever.
    public static let tree = Containment()

    public var kind: ContainmentKind {
        if unified != nil { return .cgroup2 }
        return freezer != nil ? .cgroup1 : .tree
    }

    /// What holds it, for people: `cgroup2 + cgroup1 memory`.
    public var description: String {
        base + memoryPart + (cpu == nil ? "" : " + cgroup1 cpu")
    }

    private var memoryPart: String {
        if memory != nil { return " + cgroup1 memory" }
        return enforcesMemory ? " + memory.max" : ""
    }

    private var base: String {
        switch kind {
        case .cgroup2: "cgroup2"
        case .cgroup1: "cgroup1 freezer"
        case .tree, .auto: "process tree (best effort)"
        }
    }

    /// Makes what `kind` needs, and what holds the memory limit. `note` hears each path before it is made, so
    /// that whoever survives this process can clean up.
    ///
    /// `proxy`: our proxy, which may have to change its cgroup with us for the limits' sake; nil forbids that.
    ///
    /// Throws only for a kind asked for by name; `auto` takes what it gets.
    public static func make(
        _ kind: ContainmentKind, name: String, resources: Resources = Resources(), proxy: Int32? = nil,
        note: (PathRole, String) -> Void
    ) throws(KernelError) -> Containment {
        var containment = Containment()
        if kind == .auto || kind == .cgroup2, !resources.areWanted, containment.holdAsUsual(name: name, note: note) {
            return containment
        }
        if kind != .tree {
            let mounts = CgroupMounts.read(legacy: kind != .cgroup2 || resources.areWanted)
            containment.mounts = mounts
            try containment.hold(kind, mounts: mounts, name: name, note: note)
            if let proxy { containment.obtainControllers(resources, mounts.unified, name: name, proxy: proxy) }
            if resources.memory { containment.holdMemory(resources.memoryLimit, mounts, name: name, note: note) }
            if resources.cpu { containment.holdCPU(mounts, name: name, note: note) }
        }
        return containment
    }

    /// Below cgroups that are there already, of the one kind that they are of.
    static func make(
        _ kind: ContainmentKind, name: String, resources: Resources, below parents: CgroupMounts
    ) throws(KernelError) -> Containment {
        var containment = Containment()
        if kind != .tree {
            containment.mounts = parents
            try containment.hold(kind, mounts: parents, name: name) { _, _ in }
        }
        if resources.memory { containment.holdMemory(resources.memoryLimit, parents, name: name) { _, _ in } }
        if resources.cpu { containment.holdCPU(parents, name: name) { _, _ in } }
        return containment
    }

    /// In our own cgroup of v2, found the quick way; false where that isn't to be had.
    private mutating func holdAsUsual(name: String, note: (PathRole, String) -> Void) -> Bool {
        guard let own = CgroupMounts.usualUnified() else { return false }
        note(.unified, own + "/" + name)
        unified = try? Cgroup2(parent: own, name: name)
        return unified != nil
    }

    private mutating func obtainControllers(_ resources: Resources, _ own: String?, name: String, proxy: Int32) {
        guard let unified, let own, unified.path == own + "/" + name else { return }
        var missing: [String] = []
        if resources.memory, !unified.has(file: "memory.max") { missing.append("memory") }
        if resources.cpu, !unified.has(file: "cpu.max") { missing.append("cpu") }
        if !missing.isEmpty, ControllerDelegation.begin(missing, in: own, proxy: proxy) { delegating = own }
    }

    public enum PathRole: Int, Sendable, CaseIterable { case unified, freezer, memory, cpu }

    /// What is to be limited or told of, besides the processes.
    public struct Resources: Sendable, Hashable {
        public var memory = false
        /// In bytes, from the start; nil: none, or a later one.
        public var memoryLimit: UInt64?
        public var cpu = false

        public init() {}

        /// Memory, with a limit from the start.
        public static func memory(_ limit: UInt64?) -> Resources {
            var resources = Resources()
            resources.memory = true
            resources.memoryLimit = limit
            return resources
        }

        var areWanted: Bool { memory || cpu }
    }

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
    static func makeUnified(
        _ own: String?, name: String, note: (PathRole, String) -> Void
    ) throws(KernelError) -> Cgroup2 {
        guard let own else { throw KernelError("find", "a cgroup v2 mount", errno: ENOENT) }
        do throws(KernelError) {
            note(.unified, own + "/" + name)
            return try Cgroup2(parent: own, name: name)
        } catch {
            guard let slash = own.lastIndex(of: "/"), error.errno != EAGAIN else { throw error }
            let beside = String(own[..<slash])
            note(.unified, beside + "/" + name)
            // Of two that fail our own is told of: what is beside it may be no cgroup at all.
            guard var cgroup = try? Cgroup2(parent: beside, name: name) else { throw error }
            // Beside the hierarchy's root is a folder of another file system.
            guard cgroup.has(file: "cgroup.procs") else {
                _ = cgroup.remove()
                throw error
            }
            return cgroup
        }
    }

    /// The files a child writes itself into, beside the v2 cgroup it is born in.
    public var joining: [Int32] {
        var files: [Int32] = []
        if let freezer { files.append(freezer.joining.number) }
        if let memory { files.append(memory.joining.number) }
        if let cpu { files.append(cpu.joining.number) }
        return files
    }

    public mutating func closeJoining() {
        freezer?.closeJoining()
        memory?.closeJoining()
        cpu?.closeJoining()
    }

    public mutating func setFrozen(_ isFrozen: Bool) throws(KernelError) {
        if unified != nil { try unified?.setFrozen(isFrozen) } else { try freezer?.setFrozen(isFrozen) }
    }

    public mutating func isFrozen() -> Bool { unified?.isFrozen() ?? freezer?.isFrozen() ?? false }

    /// Spins: its notifications are held back by up to 20 ms, and most freezes take 0.2 ms.
    public mutating func waitUntilFrozen(microseconds: Int64) -> Bool {
        waitUntilFrozen(until: curfew_monotonic_nanoseconds() + microseconds * 1000)
    }

    /// `deadline`: on the clock of `curfew_monotonic_nanoseconds`.
    mutating func waitUntilFrozen(until deadline: Int64) -> Bool {
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

    /// Whether files that are used again stay open; not where descriptors are scarce.
    public var keepsFilesOpen: Bool {
        get { unified?.keepsFilesOpen ?? true }
        set { unified?.keepsFilesOpen = newValue }
    }

    /// Once the app runs; without it a kill opens what it needs.
    public mutating func prepareKill() { unified?.prepareKill() }

    /// The same for one of many: nothing else stays open that can be opened when it is needed.
    public mutating func keepOnlyKill() { unified?.keepOnlyKill() }

    mutating func prepareSuspension() { unified?.prepareSuspension() }

    public var hasFreezer: Bool { unified != nil || freezer != nil }

    public mutating func isPopulated() -> Bool {
        if let isPopulated = unified?.isPopulated() { return isPopulated }
        return !(freezer?.processes().isEmpty ?? true)
    }

    /// The processes of the cgroup; nil where only the tree itself tells.
    public func processes() -> [Int32]? { unified?.processes() ?? freezer?.processes() }

    /// Lets what is left in them go to where we are ourselves, and removes them; false where that can't be done.
    ///
    /// Moved frozen from the third round on, so that nothing forks faster than it is moved.
    @discardableResult
    public mutating func release() -> Bool {
        if remove() { return true }
        let mounts = CgroupMounts.read(legacy: true)
        for round in 0..<50 {
            if round == 2 {
                try? setFrozen(true)
                _ = waitUntilFrozen(microseconds: 25_000)
            }
            if let own = mounts.unified { unified?.withDirectory { CgroupDirectory.move(from: $0, to: own) } }
            for (directory, own) in [
                (freezer?.directory, mounts.freezer), (memory?.directory, mounts.memory), (cpu?.directory, mounts.cpu),
            ] {
                if let directory, let own { CgroupDirectory.move(from: directory.number, to: own) }
            }
            if remove() { return true }
        }
        try? setFrozen(false)
        return false
    }

    /// Nothing is known of it any more.
    public mutating func close() {
        markEvent.close()
        outOfMemoryEvent = -1
        unified?.close()
        freezer?.close()
        memory?.close()
        cpu?.close()
    }

    /// Where its cgroups are, or were.
    public var paths: [String] { [unified?.path, freezer?.path, memory?.path, cpu?.path].compactMap { $0 } }

    /// False while something is left in one of them.
    public mutating func remove() -> Bool {
        var isRemoved = true
        if unified != nil { isRemoved = (unified?.remove() ?? true) && isRemoved }
        if freezer != nil { isRemoved = (freezer?.remove() ?? true) && isRemoved }
        if memory != nil { isRemoved = (memory?.remove() ?? true) && isRemoved }
        if cpu != nil { isRemoved = (cpu?.remove() ?? true) && isRemoved }
        if isRemoved, let own = delegating {
            delegating = nil
            ControllerDelegation.end(in: own)
        }
        return isRemoved
    }
}
