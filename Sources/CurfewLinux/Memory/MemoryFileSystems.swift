import CCurfew
import Glibc

/// Which mounts and devices are file systems in memory, told without asking one: the server of another may never answer.
///
/// What is open on one that is mounted no more, and was never seen before, isn't told.
struct MemoryFileSystems {
    /// Numbers are given anew to other mounts and devices.
    private static let lifetime: Int64 = 1_000_000_000
    /// How many processes' mounts are read in that time.
    private static let mostTables = 64

    /// By the mount's number, which is one in all namespaces.
    private(set) var mounts: [UInt64: Bool] = [:]
    private(set) var devices: [UInt64: Bool] = [:]
    /// Whose mounts have been read.
    private var readers: [UInt64: Bool] = [:]
    private var end: Int64 = 0

    /// Whether a file of that mount may be looked at, opened by this process; false of all that is known to be elsewhere.
    ///
    /// The process can be of another mount namespace, or have the file from one that is.
    mutating func mayHold(_ mount: UInt64, of pid: Int32) -> Bool {
        readAnew()
        if let known = mounts[mount] { return known }
        if readers.count < Self.mostTables, readers.updateValue(true, forKey: UInt64(pid)) == nil {
            readMounts(of: pid)
        }
        // Mounted nowhere: the kernel's own, as for System V's shared memory, or one that has been detached. Of a program's
        // file system only what the kernel knows is seen then; the device tells.
        return mounts[mount] ?? true
    }

    func hold(device: UInt64) -> Bool { devices[device] ?? false }

    private mutating func readAnew() {
        let now = curfew_monotonic_nanoseconds()
        guard now >= end else { return }
        end = now + Self.lifetime
        mounts = [:]
        devices = [:]
        readers = [:]
        noteKernelsOwn(curfew_memory_file(false))
        noteKernelsOwn(curfew_memory_file(true))
        readMounts(of: getpid())
    }

    /// Where memfds are.
    private mutating func noteKernelsOwn(_ number: Int32) {
        var file = Descriptor(number)
        defer { file.close() }
        var status = curfew_file_status()
        guard file.isOpen, curfew_fstat(file.number, &status) == 0 else { return }
        devices[status.device] = true
        let mount = String(file.number).withCString { MemoryFiles.mount(of: $0, in: getpid()) }
        if let mount { mounts[mount] = true }
    }

    /// Those that can be reached from its root. Source: proc_pid_mountinfo(5).
    private mutating func readMounts(of pid: Int32) {
        let number = Procfs.withPath(pid, "/mountinfo") { curfew_open_at(AT_FDCWD, $0, O_RDONLY, 0) }
        var table = Descriptor(number ?? -ENOENT)
        guard table.isOpen else { return }
        defer { table.close() }
        SmallFile.forEachLine(of: table) { line in
            note(line)
            return true
        }
    }

    /// `36 35 0:28 ROOT POINT options - TYPE SOURCE SUPEROPTIONS`.
    mutating func note(_ line: UnsafeRawBufferPointer) {
        var index = 0
        guard let mount = line.number(at: &index) else { return }
        line.skip(32, at: &index)
        guard line.number(at: &index) != nil else { return }
        line.skip(32, at: &index)
        guard let major = line.number(at: &index), index < line.count, line[index] == 58 else { return }
        index += 1
        guard let minor = line.number(at: &index), let isInMemory = Self.isInMemory(line[index...]) else { return }
        mounts[mount] = isInMemory
        if isInMemory { devices[MemoryFiles.device(major, minor)] = true }
    }

    /// By the type, which follows ` - `; nil where there is none. Blanks in paths stand as octal.
    private static func isInMemory(_ rest: Slice<UnsafeRawBufferPointer>) -> Bool? {
        let line = UnsafeRawBufferPointer(rebasing: rest)
        for index in line.indices.dropLast(3) where line[index] == 32 && line[index + 1] == 45 && line[index + 2] == 32
        {
            let type = UnsafeRawBufferPointer(rebasing: line[(index + 3)...])
            return type.begins(with: "tmpfs ") || type.begins(with: "devtmpfs ") || type.begins(with: "hugetlbfs ")
        }
        return nil
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func begins(with text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount, let baseAddress else { return false }
        return memcmp(baseAddress, text.utf8Start, text.utf8CodeUnitCount) == 0
    }
}
