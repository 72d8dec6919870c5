import CCurfew
import Glibc

/// Where the cgroup hierarchies are mounted, and where in them this process is.
///
/// Source: proc_pid_mountinfo(5), cgroups(7): /proc/self/cgroup.
public struct CgroupMounts: Sendable, Hashable {
    /// The directory of this process's own cgroup in the v2 hierarchy; nil if none is mounted.
    public var unified: String?
    /// The same in the v1 hierarchies that are of use here.
    public var memory: String?
    public var freezer: String?
    public var pids: String?

    public init() {}

    /// Reads them for this process. `legacy`: the v1 hierarchies too, which costs a little more.
    public static func read(legacy: Bool) -> CgroupMounts {
        guard let mounts = SmallFile.bytes(of: "/proc/self/mountinfo"),
            let own = SmallFile.bytes(of: "/proc/self/cgroup")
        else { return CgroupMounts() }
        return parse(mountinfo: mounts, cgroup: own, legacy: legacy)
    }

    static func parse(mountinfo: [UInt8], cgroup: [UInt8], legacy: Bool) -> CgroupMounts {
        var result = CgroupMounts()
        for line in mountinfo.split(separator: UInt8(ascii: "\n")) {
            guard let mount = Mount(line) else { continue }
            if mount.type == "cgroup2" {
                result.unified = result.unified ?? mount.directory(forOwnPath: ownPath("", in: cgroup))
            } else if legacy, mount.type == "cgroup" {
                result.note(mount, cgroup)
            }
        }
        return result
    }

    private mutating func note(_ mount: Mount, _ cgroup: [UInt8]) {
        for option in mount.superOptions.split(separator: ",") {
            switch option {
            case "memory": memory = memory ?? mount.directory(forOwnPath: Self.ownPath("memory", in: cgroup))
            case "freezer": freezer = freezer ?? mount.directory(forOwnPath: Self.ownPath("freezer", in: cgroup))
            case "pids": pids = pids ?? mount.directory(forOwnPath: Self.ownPath("pids", in: cgroup))
            default: break
            }
        }
    }

    /// This process's path in the hierarchy with that controller ("" is v2), from lines like `4:memory:/a/b`.
    static func ownPath(_ controller: String, in cgroup: [UInt8]) -> String? {
        for line in cgroup.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let controllers = String(decoding: parts[1], as: UTF8.self)
            let matches =
                controller.isEmpty ? controllers.isEmpty : controllers.split(separator: ",").contains { $0 == controller }
            if matches { return String(decoding: parts[2], as: UTF8.self) }
        }
        return nil
    }
}

/// One cgroup line of mountinfo: `36 35 0:28 ROOT POINT options - TYPE SOURCE SUPEROPTIONS`.
private struct Mount {
    let root: String
    let point: String
    let type: String
    let superOptions: String

    init?(_ line: ArraySlice<UInt8>) {
        // Most lines are of other file systems; they are passed over before anything is allocated.
        guard let dash = Mount.typeStart(line), line[dash...].starts(with: Array("cgroup".utf8)) else { return nil }
        let tail = line[dash...].split(separator: 32)
        let head = line.split(separator: 32, maxSplits: 5)
        guard tail.count >= 3, head.count >= 5 else { return nil }
        type = String(decoding: tail[0], as: UTF8.self)
        superOptions = String(decoding: tail[2], as: UTF8.self)
        root = Mount.unescape(head[3])
        point = Mount.unescape(head[4])
    }

    /// The index of the type, which follows ` - `.
    private static func typeStart(_ line: ArraySlice<UInt8>) -> Int? {
        var index = line.startIndex
        while index + 3 < line.endIndex {
            if line[index] == 32, line[index + 1] == 45, line[index + 2] == 32 { return index + 3 }
            index += 1
        }
        return nil
    }

    /// Blanks, tabs, newlines and backslashes stand as octal. Source: proc_pid_mountinfo(5).
    private static func unescape(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(92) else { return String(decoding: bytes, as: UTF8.self) }
        var plain: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == 92, index + 3 < bytes.endIndex {
                let value = bytes[index + 1...index + 3].reduce(0) { $0 &* 8 &+ Int($1 &- 48) }
                plain.append(UInt8(truncatingIfNeeded: value))
                index += 4
            } else {
                plain.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }

    /// The directory of `path`, as far as this mount shows it.
    func directory(forOwnPath path: String?) -> String? {
        guard let path else { return nil }
        if root == "/" { return path == "/" ? point : point + path }
        // A mount of a part of the hierarchy: only what lies below its root can be seen.
        if path == root { return point }
        return path.hasPrefix(root + "/") ? point + path.dropFirst(root.count) : nil
    }
}
