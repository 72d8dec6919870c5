import CCurfew
import Glibc

/// Which mounts are this machine's own: about a file of another's nothing may be asked, for its server may never
/// answer.
struct LocalMounts {
    /// How many processes' mounts are read.
    private static let mostTables = 16

    /// By the mount's number, which is one in all namespaces.
    private var mounts: [UInt64: Bool] = [:]
    /// Whose have been read.
    private var readers: Set<Int32> = []

    /// False also of what is mounted nowhere any more.
    mutating func hold(_ mount: UInt64, of pid: Int32) -> Bool {
        if let known = mounts[mount] { return known }
        // A process in a namespace of its own has its terminal from ours.
        for reader in [getpid(), pid] where readers.count < Self.mostTables && readers.insert(reader).inserted {
            read(reader)
            if let known = mounts[mount] { return known }
        }
        return false
    }

    private mutating func read(_ pid: Int32) {
        let number = Procfs.withPath(pid, "/mountinfo") { curfew_open_at(AT_FDCWD, $0, O_RDONLY, 0) }
        var table = Descriptor(number ?? -ENOENT)
        guard table.isOpen else { return }
        defer { table.close() }
        SmallFile.forEachLine(of: table) { line in
            if let (mount, isLocal) = Self.parse(line) { mounts[mount] = isLocal }
            return true
        }
    }

    /// `36 35 0:28 ROOT POINT options - TYPE SOURCE SUPEROPTIONS`. Source: proc_pid_mountinfo(5).
    static func parse(_ line: UnsafeRawBufferPointer) -> (mount: UInt64, isLocal: Bool)? {
        let words = line.split(separator: 32)
        guard let end = words.firstIndex(where: { $0.elementsEqual([45]) }), end > 5, end + 1 < words.count else {
            return nil
        }
        var index = 0
        guard let mount = line.number(at: &index) else { return nil }
        let hasDisk = !words[2].starts(with: "0:".utf8)
        let type = String(decoding: words[end + 1], as: UTF8.self)
        return (mount, hasDisk ? !shared.contains(type) : own.contains(type))
    }

    /// On a disk, and served all the same, or other machines' too.
    private static let shared: Set = ["fuseblk", "gfs2", "ocfs2"]
    /// Without a disk of its own, and the kernel's nevertheless.
    private static let own: Set = [
        "bcachefs", "btrfs", "devpts", "devtmpfs", "overlay", "ramfs", "rootfs", "tmpfs", "zfs",
    ]
}
