import CCurfew
import Glibc

/// A cgroup of one v1 hierarchy (memory or freezer) that Curfew made for one app.
///
/// Source: Documentation/admin-guide/cgroup-v1/memory.rst and freezer-subsystem.rst.
public struct Cgroup1: CgroupFiles {
    public let path: String
    public private(set) var directory: Descriptor
    /// Open for the child to write itself into before exec: what it was charged before doesn't move with it.
    public private(set) var joining: Descriptor
    private var oomEvent = Descriptor.none

    public init(parent: String, name: String) throws(KernelError) {
        path = parent + "/" + name
        directory = try CgroupDirectory.make(path, parent: parent, name: name)
        joining = Descriptor(curfew_open_at(directory.number, "cgroup.procs", O_WRONLY, 0))
        guard joining.isOpen else {
            _ = curfew_rmdir_at(AT_FDCWD, path)
            throw KernelError("open", path + "/cgroup.procs", errno: -joining.number)
        }
    }

    /// The child is in; nobody else may join.
    public mutating func closeJoining() { joining.close() }

    /// Every process of it and of what the app made below it.
    public func processes() -> [Int32] { CgroupDirectory.processes(of: directory.number) }

    /// Limits memory to `bytes`, nil: not at all; swap is barred with it where the kernel counts swap.
    public func limitMemory(bytes: UInt64?) throws(KernelError) {
        let text = bytes.map { String($0) } ?? "-1"
        // Absent without swap accounting; then swap, if there is any, isn't counted. The limit may never be above it, so
        // the other comes first when both are raised.
        let isRaised = (try? write(text, to: "memory.memsw.limit_in_bytes")) != nil
        try write(text, to: "memory.limit_in_bytes")
        if !isRaised { try? write(text, to: "memory.memsw.limit_in_bytes") }
    }

    /// An eventfd that becomes readable when what is charged passes `bytes`, in either direction; closed by its holder.
    public func usageEvent(at bytes: UInt64) throws(KernelError) -> Descriptor {
        var event = Descriptor(try check(curfew_eventfd(), "eventfd", ""))
        var usage = Descriptor(curfew_open_at(directory.number, "memory.usage_in_bytes", O_RDONLY, 0))
        defer { usage.close() }
        do throws(KernelError) {
            try check(usage.number, "open", path + "/memory.usage_in_bytes")
            try write("\(event.number) \(usage.number) \(bytes)", to: "cgroup.event_control")
            return event
        } catch {
            event.close()
            throw error
        }
    }

    /// An eventfd that becomes readable when the limit has been hit and nothing could be reclaimed.
    public mutating func armOutOfMemoryEvent() throws(KernelError) -> Int32 {
        let event = Descriptor(try check(curfew_eventfd(), "eventfd", ""))
        var control = Descriptor(curfew_open_at(directory.number, "memory.oom_control", O_RDONLY, 0))
        try check(control.number, "open", path + "/memory.oom_control")
        defer { control.close() }
        try write("\(event.number) \(control.number)", to: "cgroup.event_control")
        oomEvent = event
        return event.number
    }

    /// FROZEN or THAWED. A frozen process doesn't die of SIGKILL before it is thawed.
    public func setFrozen(_ isFrozen: Bool) throws(KernelError) {
        if isFrozen { try write("FROZEN", to: "freezer.state") } else { CgroupDirectory.thaw(directory.number) }
    }

    public func isFrozen() -> Bool {
        SmallFile.withContents(of: "freezer.state", at: directory.number) {
            $0.first == UInt8(ascii: "F") && $0.count == 7
        }
            ?? false
    }

    /// Removes it and what the app made below it; false while a process is in it.
    public mutating func remove() -> Bool { CgroupDirectory.remove(path, directory.number) }

    mutating func close() {
        closeJoining()
        oomEvent.close()
        directory.close()
    }
}
