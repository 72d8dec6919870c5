import CCurfew
import Glibc

/// Another program's memory, as far as it is there: what would have to be fetched, from a disk or by whoever serves a file
/// system, may take for ever. Source: kernel, Documentation/admin-guide/mm/pagemap.rst.
struct ResidentMemory {
    private let pid: Int32
    private var map = Descriptor.none

    init(of pid: Int32) { self.pid = pid }

    mutating func close() { map.close() }

    /// Two numbers of 64 bits that stand side by side; nil where they aren't to be had.
    mutating func numbers(at address: UInt64) -> (Int64, Int64)? {
        guard isResident(address), isResident(address &+ 15) else { return nil }
        return withUnsafeTemporaryAllocation(of: Int64.self, capacity: 2) { numbers in
            guard curfew_read_memory(pid, address, numbers.baseAddress, 16) == 16 else { return nil }
            return (numbers[0], numbers[1])
        }
    }

    private mutating func isResident(_ address: UInt64) -> Bool {
        if !map.isOpen {
            map = Descriptor(Procfs.withPath(pid, "/pagemap") { curfew_open_at(AT_FDCWD, $0, O_RDONLY, 0) } ?? -ESRCH)
        }
        let page = address / UInt64(sysconf(Int32(_SC_PAGESIZE)))
        var entry: UInt64 = 0
        guard map.isOpen, let offset = Int64(exactly: page * 8), curfew_pread(map.number, &entry, 8, offset) == 8 else {
            return false
        }
        return entry >> 63 == 1
    }
}
