import CCurfew
import Glibc

/// How large a share of the processors a session gets beside others, where the kernel shares them between sessions.
///
/// Source: sched(7), the autogroup feature.
enum Autogroup {
    /// Whether the kernel shares between this process's session and others; false where it doesn't say. It shares between
    /// cgroups instead where the cpu controller has one for it.
    static var counts: Bool {
        SmallFile.bytes(of: "/proc/sys/kernel/sched_autogroup_enabled")?.first == UInt8(ascii: "1") && !isInCPUCgroup
    }

    private static var isInCPUCgroup: Bool {
        if let own = SmallFile.bytes(of: "/proc/self/cgroup").flatMap({ CgroupMounts.ownPath("cpu", in: $0) }) {
            return own != "/"
        }
        guard let unified = CgroupMounts.read(legacy: false).unified else { return false }
        var status = curfew_file_status()
        // The root has none. Source: kernel, Documentation/admin-guide/cgroup-v2.rst, cpu.weight.
        return curfew_stat_at(AT_FDCWD, unified + "/cpu.weight", true, &status) == 0
    }

    /// -20 to 19, as of nice(2), of the session of that process; nil where sessions aren't told apart.
    static func nice(ofSessionOf pid: Int32) -> Int32? {
        guard let path = path(pid), let bytes = SmallFile.bytes(of: path) else { return nil }
        return nice(in: String(decoding: bytes, as: UTF8.self))
    }

    /// Of what `/proc/PID/autogroup` holds, `/autogroup-25 nice 0`.
    static func nice(in text: String) -> Int32? {
        guard let end = text.firstRange(of: " nice ")?.upperBound else { return nil }
        return Int32(text[end...].prefix { !$0.isNewline })
    }

    /// False where it may not be set; and, for who lacks CAP_SYS_ADMIN, for a tenth of a second after somebody has set any.
    /// Source: kernel, kernel/sched/autogroup.c, proc_sched_autogroup_set_nice().
    @discardableResult
    static func setNice(_ nice: Int32, ofSessionOf pid: Int32) -> Bool {
        guard let path = path(pid) else { return false }
        do throws(KernelError) {
            try SmallFile.write(String(nice), to: path)
            return true
        } catch {
            return false
        }
    }

    /// Whether what is set can be set again at any time: our own is set to what it is, twice within that tenth. Found out once, for
    /// it keeps whoever else lacks that right from setting his.
    static let canBeSetAtAnyTime: Bool = {
        guard let own = nice(ofSessionOf: getpid()) else { return false }
        for _ in 0..<mostTries {
            let start = curfew_monotonic_nanoseconds()
            guard setNice(own, ofSessionOf: getpid()), setNice(own, ofSessionOf: getpid()) else { return false }
            if curfew_monotonic_nanoseconds() - start < soon { return true }
        }
        return false
    }()

    /// On a busy machine so much can pass between the two that they tell nothing.
    private static let mostTries = 10
    private static let soon: Int64 = 50_000_000

    private static func path(_ pid: Int32) -> String? { Procfs.isOurs ? "/proc/\(pid)/autogroup" : nil }
}
