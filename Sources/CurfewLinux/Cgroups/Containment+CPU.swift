import Glibc

/// CPU time by cgroup: a share that can't be passed, and how much of it others get first.
///
/// Source: Documentation/admin-guide/cgroup-v2.rst, "CPU Interface Files", and scheduler/sched-bwc.rst.
extension Containment {
    mutating func holdCPU(_ mounts: CgroupMounts, name: String, note: (PathRole, String) -> Void) {
        if let unified, unified.has(file: "cpu.max") { return }
        guard let parent = mounts.cpu else { return }
        note(.cpu, parent + "/" + name)
        cpu = try? Cgroup1(parent: parent, name: name)
    }

    /// Whether `limitCPU` and `setCPUWeight` do anything.
    public var controlsCPU: Bool { cpu != nil || unified?.has(file: "cpu.max") == true }

    /// In this time so much CPU time may be used; the kernel's own default.
    private static let period: UInt64 = 100_000

    /// No more than `share` of one processor's time; nil: as much as there is.
    public func limitCPU(share: Double?) {
        // The kernel takes no less than 1 ms.
        let quota = share.map { max(1000, UInt64($0 * Double(Self.period))) }
        if let cpu {
            try? cpu.write(quota.map { String($0) } ?? "-1", to: "cpu.cfs_quota_us")
        } else {
            try? unified?.write("\(quota.map { String($0) } ?? "max") \(Self.period)", to: "cpu.max")
        }
    }

    /// A hundredth of what others have, or as much as they.
    public func lowerCPUWeight(_ isLowered: Bool) {
        if let cpu {
            try? cpu.write(isLowered ? "10" : "1024", to: "cpu.shares")
        } else {
            try? unified?.write(isLowered ? "1" : "100", to: "cpu.weight")
        }
    }
}
