import CCurfew
import Glibc

/// How a stopped app's memory is moved to swap.
public enum PageOutMethod: String, Sendable, Hashable, CaseIterable {
    /// `memory.reclaim` of its v2 cgroup, Linux 5.19: no capability is needed in a delegated one.
    case memoryReclaim
    /// `memory.force_empty` of its v1 cgroup.
    case forceEmpty
    /// `MADV_PAGEOUT` by process_madvise(2), Linux 5.10: needs CAP_SYS_NICE.
    case processMadvise
}

/// Moving a stopped tree's memory to swap, and telling where it is.
///
/// Without swap all of these succeed and move nothing: `residency` tells what came of it. Each blocks its caller until the
/// pages are written: 256 MiB take a third of a second with zram. `PageOutJob` does it piece by piece.
public enum Paging {
    // MARK: By cgroup

    /// Has the kernel take that many bytes from a v2 memory cgroup; false if it got less, be it for there was no more.
    ///
    /// ENOENT: no memory controller there, or before Linux 5.19.
    @discardableResult
    public static func reclaim(_ bytes: UInt64, from cgroup: Descriptor) throws(KernelError) -> Bool {
        let result = curfew_write_file_at(cgroup.number, "memory.reclaim", String(bytes))
        if result == -EAGAIN { return false }
        try check(result, "reclaim \(bytes) bytes by", "memory.reclaim")
        return true
    }

    /// Has the kernel take all it can from a v1 memory cgroup. EBUSY: there are cgroups below it.
    /// Source: Documentation/admin-guide/cgroup-v1/memory.rst, 5.1.
    public static func forceEmpty(_ cgroup: Descriptor) throws(KernelError) {
        try check(curfew_write_file_at(cgroup.number, "memory.force_empty", "0"), "empty by", "memory.force_empty")
    }

    // MARK: By process

    /// Asks for all that only swap can hold of these processes; how many bytes of their address spaces were asked for.
    ///
    /// Throws only if nothing could be asked for. EPERM: needs CAP_SYS_NICE, even for processes of one's own.
    /// EACCES: needs the rights to trace them. ESRCH: they are gone.
    @discardableResult
    public static func pageOut(_ pids: [Int32]) throws(KernelError) -> UInt64 {
        var walk = PageOutWalk(pids)
        while walk.step() {}
        if walk.asked == 0, let failure = walk.failure { throw failure }
        return walk.asked
    }

    // MARK: A process's map

    /// The ranges whose pages only swap can hold: private ones, and shared ones without a file.
    static func swappableRanges(of pid: Int32) throws(KernelError) -> [curfew_range] {
        let contents = Procfs.withPath(pid, "/maps") { path -> (result: Int32, bytes: [UInt8]?)? in
            var descriptor = Descriptor(curfew_open_at(AT_FDCWD, path, O_RDONLY, 0))
            defer { descriptor.close() }
            return (descriptor.number, descriptor.isOpen ? SmallFile.bytes(of: descriptor) : nil)
        }
        try check(contents?.result ?? -ENOENT, "open the map of", "process \(pid)")
        guard let bytes = contents?.bytes else {
            throw KernelError("read the map of", "process \(pid)", errno: ESRCH)
        }
        return swappableRanges(inMap: bytes)
    }

    /// Lines are `START-END PERMISSIONS OFFSET DEVICE INODE NAME`. Source: proc_pid_maps(5).
    static func swappableRanges(inMap map: [UInt8]) -> [curfew_range] {
        var ranges: [curfew_range] = []
        for line in map.split(separator: 10) {
            let fields = line.split(separator: 32, maxSplits: 5)
            guard fields.count >= 5, isSwappable(fields), let dash = fields[0].firstIndex(of: 45),
                let start = hexadecimal(fields[0][..<dash]), let end = hexadecimal(fields[0][(dash + 1)...])
            else {
                continue
            }
            append(start, end, to: &ranges)
        }
        return ranges
    }

    /// In pieces that one call can take.
    private static func append(_ start: UInt64, _ end: UInt64, to ranges: inout [curfew_range]) {
        var start = start
        while start < end {
            let length = min(end - start, PageOutWalk.bytesPerStep)
            ranges.append(curfew_range(start: start, length: length))
            start += length
        }
    }

    private static func isSwappable(_ fields: [ArraySlice<UInt8>]) -> Bool {
        let permissions = fields[1]
        guard permissions.count == 4, let isShared = permissions.last.map({ $0 == UInt8(ascii: "s") }) else {
            return false
        }
        // The name is padded with blanks.
        let name = fields.count > 5 ? fields[5].drop { $0 == 32 } : []
        // The kernel's own pages: [vvar], [vdso], [vsyscall].
        if name.starts(with: "[v".utf8) { return false }
        if isShared { return ["/dev/zero", "/memfd:", "/SYSV"].contains { name.starts(with: $0.utf8) } }
        let isWritable = permissions[permissions.startIndex + 1] == UInt8(ascii: "w")
        return isWritable || fields[4].elementsEqual("0".utf8)
    }

    private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard !digits.isEmpty, digits.count <= 16 else { return nil }
        var value: UInt64 = 0
        for byte in digits {
            switch byte {
            case 48...57: value = value << 4 | UInt64(byte - 48)
            case 97...102: value = value << 4 | UInt64(byte - 87)
            default: return nil
            }
        }
        return value
    }

    // MARK: Where it is

    /// What these processes have in memory and in swap, in bytes, of what only swap can hold; pages that several of them
    /// share count once. Processes that are gone, or may not be looked at, count nothing.
    ///
    /// Walks every mapping: 7 ms at 500 MiB. Source: proc_pid_smaps(5).
    public static func residency(of pids: [Int32]) -> (resident: UInt64, swapped: UInt64) {
        var sum: (resident: UInt64, swapped: UInt64) = (0, 0)
        for pid in pids {
            guard let memory = Procfs.proportionalMemory(pid) else { continue }
            sum.resident += memory.resident
            sum.swapped += memory.swapped
        }
        return sum
    }
}
