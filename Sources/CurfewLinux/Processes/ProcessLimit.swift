import CCurfew
import Glibc

/// The least of the limits on how many processes this one and its descendants can be, threads counted.
public struct ProcessLimit: Sendable, Hashable {
    public let count: Int
    /// As the kernel calls it, with where it is set.
    public let name: String

    public init(count: Int, name: String) {
        self.count = count
        self.name = name
    }

    /// Nil where none can be read. What others take of it isn't known.
    ///
    /// Source: getrlimit(2), RLIMIT_NPROC; Documentation/admin-guide/cgroup-v2.rst, "PID Interface Files"; proc_sys_kernel(5).
    public static func least() -> ProcessLimit? {
        var found: [ProcessLimit] = []
        if !isExemptFromUsersLimit, let count = usersLimit {
            found.append(ProcessLimit(count: count, name: "RLIMIT_NPROC"))
        }
        found += machines(under: "/proc/sys/kernel")
        if let own = CgroupMounts.read(legacy: false).unified { found += cgroups(above: own) }
        return found.min { $0.count < $1.count }
    }

    /// Source: kernel, kernel/fork.c, copy_process: of the first user namespace's root nothing is asked.
    private static var isExemptFromUsersLimit: Bool {
        geteuid() == 0 && SmallFile.bytes(of: "/proc/self/uid_map").map(isWholeMap) == true
    }

    /// Whether each user is mapped to itself, as in the first user namespace.
    static func isWholeMap(_ bytes: [UInt8]) -> Bool {
        bytes.split { $0 == 32 || $0 == 10 }.map { String(decoding: $0, as: UTF8.self) } == ["0", "0", "4294967295"]
    }

    private static var usersLimit: Int? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limit) == 0, limit.rlim_cur < rlim_t(Int.max)
        else {
            return nil
        }
        return Int(limit.rlim_cur)
    }

    static func machines(under folder: String) -> [ProcessLimit] {
        ["threads-max", "pid_max"].compactMap { name in
            number(in: folder + "/" + name).map { ProcessLimit(count: $0, name: "kernel." + name) }
        }
    }

    /// Of the cgroup at `path` and of each above it; `max` is none.
    static func cgroups(above path: String) -> [ProcessLimit] {
        var found: [ProcessLimit] = []
        var path = path
        while let slash = path.lastIndex(of: "/") {
            if let count = number(in: path + "/pids.max") {
                found.append(ProcessLimit(count: count, name: "pids.max of \(path)"))
            }
            path = String(path[..<slash])
        }
        return found
    }

    private static func number(in file: String) -> Int? {
        SmallFile.withContents(of: file) { bytes in
            Int(String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self))
        } ?? nil
    }
}
