import CCurfew
import Glibc

/// Where the cgroup hierarchies are mounted, and where in them this process is.
///
/// Both files are scanned where they were read, and nothing is allocated for the lines of other file systems: every
/// launch passes here. Source: proc_pid_mountinfo(5), cgroups(7): /proc/self/cgroup.
public struct CgroupMounts: Sendable, Hashable {
    /// The directory of this process's own cgroup in the v2 hierarchy; nil if none is mounted.
    public var unified: String?
    /// The same in the v1 hierarchies that are of use here.
    public var memory: String?
    public var freezer: String?
    public var cpu: String?

    public init() {}

    /// More mounts than this has room for are looked at no further; 32 KiB are some 300.
    private static let roomForMounts = 32 * 1024

    /// Reads them for this process. `legacy`: the v1 hierarchies too.
    public static func read(legacy: Bool) -> CgroupMounts {
        withUnsafeTemporaryAllocation(byteCount: roomForMounts, alignment: 8) { room in
            let mountinfo = readAll("/proc/self/mountinfo", into: room)
            let rest = UnsafeMutableRawBufferPointer(rebasing: room[mountinfo.count...])
            return parse(mountinfo: mountinfo, cgroup: readAll("/proc/self/cgroup", into: rest), legacy: legacy)
        }
    }

    /// The directory of this process's own cgroup in the v2 hierarchy, where that is mounted as it usually is; nil where it
    /// can't be told so. Of a launch that reads mountinfo that is a tenth, for the kernel writes a line for each mount.
    ///
    /// By the cgroup's number, which Linux 6.13 tells: nothing is taken for granted of the mounts.
    static func usualUnified() -> String? {
        var number: UInt64 = 0
        guard curfew_own_cgroup(&number) == 0 else { return nil }
        return usualUnified("/sys/fs/cgroup", number) ?? usualUnified("/sys/fs/cgroup/unified", number)
    }

    private static func usualUnified(_ point: StaticString, _ number: UInt64) -> String? {
        let name = UnsafeRawPointer(point.utf8Start).assumingMemoryBound(to: CChar.self)
        let isOwn = curfew_is_cgroup(name, number)
        guard isOwn == 0 else { return isOwn == 1 ? String(cString: name) : nil }
        let path = withUnsafeTemporaryAllocation(byteCount: SmallFile.bufferSize, alignment: 8) { room -> String? in
            guard let own = ownPath("", in: readAll("/proc/self/cgroup", into: room)), !MountLine.isOutside(own) else {
                return nil
            }
            return String(cString: name) + String(decoding: own, as: UTF8.self)
        }
        guard let path, curfew_is_cgroup(path, number) == 1 else { return nil }
        return path
    }

    private static func readAll(_ path: StaticString, into room: UnsafeMutableRawBufferPointer)
        -> UnsafeRawBufferPointer
    {
        let name = UnsafeRawPointer(path.utf8Start).assumingMemoryBound(to: CChar.self)
        var descriptor = Descriptor(curfew_open_at(AT_FDCWD, name, O_RDONLY, 0))
        var used = 0
        while descriptor.isOpen, used < room.count {
            let count = curfew_read(descriptor.number, room.baseAddress.map { $0 + used }, room.count - used)
            if count <= 0 { break }
            used += Int(count)
        }
        descriptor.close()
        return UnsafeRawBufferPointer(rebasing: room[..<used])
    }

    static func parse(mountinfo: [UInt8], cgroup: [UInt8], legacy: Bool) -> CgroupMounts {
        mountinfo.withUnsafeBytes { mountinfo in
            cgroup.withUnsafeBytes { parse(mountinfo: mountinfo, cgroup: $0, legacy: legacy) }
        }
    }

    private static func parse(
        mountinfo: UnsafeRawBufferPointer, cgroup: UnsafeRawBufferPointer, legacy: Bool
    ) -> CgroupMounts {
        var result = CgroupMounts()
        var start = 0
        while start < mountinfo.count {
            let line = mountinfo.piece(from: start, upTo: 10)
            start += line.count + 1
            guard let mount = MountLine(line) else { continue }
            if mount.isUnified {
                if result.unified == nil { result.unified = mount.directory(forOwnPath: ownPath("", in: cgroup)) }
            } else if legacy {
                result.note(mount, cgroup)
            }
        }
        return result
    }

    private mutating func note(_ mount: MountLine, _ cgroup: UnsafeRawBufferPointer) {
        if memory == nil, mount.superOptions.hasItem("memory") {
            memory = mount.directory(forOwnPath: Self.ownPath("memory", in: cgroup))
        }
        if freezer == nil, mount.superOptions.hasItem("freezer") {
            freezer = mount.directory(forOwnPath: Self.ownPath("freezer", in: cgroup))
        }
        if cpu == nil, mount.superOptions.hasItem("cpu") {
            cpu = mount.directory(forOwnPath: Self.ownPath("cpu", in: cgroup))
        }
    }

    /// Where that process is in the v2 hierarchy, as this one sees it; nil once it is gone.
    public static func unifiedPath(of pid: Int32) -> String? {
        guard Procfs.stat(pid)?.isGone == false else { return nil }
        return SmallFile.bytes(of: "/proc/\(pid)/cgroup").flatMap { ownPath("", in: $0) }
    }

    /// This process's path in the hierarchy with that controller ("" is v2), from lines like `4:memory:/a/b`.
    static func ownPath(_ controller: StaticString, in cgroup: [UInt8]) -> String? {
        cgroup.withUnsafeBytes { ownPath(controller, in: $0).map { String(decoding: $0, as: UTF8.self) } }
    }

    private static func ownPath(
        _ controller: StaticString, in cgroup: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer? {
        var start = 0
        while start < cgroup.count {
            let line = cgroup.piece(from: start, upTo: 10)
            start += line.count + 1
            let number = line.piece(from: 0, upTo: 58)
            guard number.count < line.count else { continue }
            let controllers = line.piece(from: number.count + 1, upTo: 58)
            let path = number.count + 1 + controllers.count + 1
            guard path <= line.count else { continue }
            let matches = controller.utf8CodeUnitCount == 0 ? controllers.isEmpty : controllers.hasItem(controller)
            if matches { return UnsafeRawBufferPointer(rebasing: line[path...]) }
        }
        return nil
    }
}

/// One cgroup line of mountinfo: `36 35 0:28 ROOT POINT options - TYPE SOURCE SUPEROPTIONS`.
private struct MountLine {
    let root: UnsafeRawBufferPointer
    let point: UnsafeRawBufferPointer
    let isUnified: Bool
    let superOptions: UnsafeRawBufferPointer

    /// Nil for any other file system's.
    init?(_ line: UnsafeRawBufferPointer) {
        guard let type = MountLine.typeStart(line) else { return nil }
        let name = line.piece(from: type, upTo: 32)
        isUnified = name.isEqual("cgroup2")
        guard isUnified || name.isEqual("cgroup") else { return nil }
        let source = line.piece(from: type + name.count + 1, upTo: 32)
        superOptions = line.piece(from: type + name.count + source.count + 2, upTo: 32)
        var field = 0
        for _ in 0..<3 { field += line.piece(from: field, upTo: 32).count + 1 }
        root = line.piece(from: field, upTo: 32)
        point = line.piece(from: field + root.count + 1, upTo: 32)
        guard !root.isEmpty, !point.isEmpty else { return nil }
    }

    /// The index of the type, which follows ` - `.
    private static func typeStart(_ line: UnsafeRawBufferPointer) -> Int? {
        var dash = line.index(of: 45, from: 1)
        while dash + 2 < line.count {
            if line[dash - 1] == 32, line[dash + 1] == 32 { return dash + 2 }
            dash = line.index(of: 45, from: dash + 1)
        }
        return nil
    }

    /// The directory of `path`, as far as this mount shows it.
    func directory(forOwnPath path: UnsafeRawBufferPointer?) -> String? {
        guard let path, !MountLine.isOutside(path) else { return nil }
        let point = MountLine.unescaped(self.point)
        if root.isEqual("/") { return path.isEqual("/") ? point : point + String(decoding: path, as: UTF8.self) }
        // A mount of a part of the hierarchy: only what lies below its root can be seen.
        let root = MountLine.unescaped(self.root)
        let own = String(decoding: path, as: UTF8.self)
        if own == root { return point }
        return own.hasPrefix(root + "/") ? point + own.dropFirst(root.count) : nil
    }

    /// Outside our cgroup namespace a path begins with `/..`; appended to the mount it would lead out of it.
    static func isOutside(_ path: UnsafeRawBufferPointer) -> Bool {
        path.count >= 3 && path[1] == 46 && path[2] == 46 && (path.count == 3 || path[3] == 47)
    }

    /// Blanks, tabs, newlines and backslashes stand as octal. Source: proc_pid_mountinfo(5).
    private static func unescaped(_ bytes: UnsafeRawBufferPointer) -> String {
        guard bytes.contains(92) else { return String(decoding: bytes, as: UTF8.self) }
        var plain: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == 92, index + 3 < bytes.count {
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
}

extension UnsafeRawBufferPointer {
    /// The index of the next such byte, or the end's. By memchr(3): the C library looks at many bytes at once.
    fileprivate func index(of byte: UInt8, from start: Int) -> Int {
        guard start < count, let baseAddress else { return count }
        guard let found = memchr(baseAddress + start, Int32(byte), count - start) else { return count }
        return UnsafeRawPointer(found) - baseAddress
    }

    /// What lies between `start` and the next `separator`, or the end.
    fileprivate func piece(from start: Int, upTo separator: UInt8) -> UnsafeRawBufferPointer {
        guard start < count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(rebasing: self[start..<index(of: separator, from: start)])
    }

    fileprivate func isEqual(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount, let baseAddress else { return false }
        return memcmp(baseAddress, text.utf8Start, count) == 0
    }

    /// Whether a list parted by commas has that item.
    fileprivate func hasItem(_ item: StaticString) -> Bool {
        var start = 0
        while start < count {
            let piece = piece(from: start, upTo: 44)
            if piece.isEqual(item) { return true }
            start += piece.count + 1
        }
        return false
    }
}
