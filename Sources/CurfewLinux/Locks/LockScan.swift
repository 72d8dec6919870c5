import CCurfew
import Glibc

/// Gathers the locks of processes from what /proc says of each descriptor: the one place that also tells who holds an
/// OFD lock, and one that was inherited.
///
/// /proc/locks would be no quick look beforehand. A read of it after some rest waits for a grace period of the
/// kernel's RCU, 5 to 15 ms; and outside the first pid namespace it leaves out a lock whose taker has ended, though
/// a child that inherited it holds it still. Source: kernel, fs/locks.c, locks_start and locks_show; both measured.
struct LockScan {
    /// How many descriptors are looked at, of one process and in all: 2 to 5 µs each.
    static let descriptorsOfEach = 4_096
    static let descriptorsInAll = 32_768
    /// How many locks that count only when waited for are kept in mind.
    static let others = 1_024

    struct Found: Sendable, Hashable {
        var lock: LockRange
        /// The first process that was seen to have it open, and by which descriptor.
        var pid: Int32
        var descriptor: Int32
        /// The process that took it, which may be another that had the file open then; 0 or less: not told.
        var taker: Int32
    }

    private(set) var writes: [Found] = []
    private(set) var others: [Found] = []
    private var seen: Set<LockRange> = []
    private var descriptorsLeft = Self.descriptorsInAll
    /// On the clock of `curfew_monotonic_nanoseconds`.
    private let deadline: Int64

    init(until deadline: Int64 = .max) { self.deadline = deadline }

    var isEmpty: Bool { seen.isEmpty }

    private var isOver: Bool {
        descriptorsLeft <= 0 || writes.count >= FileLocks.maximum
            || (deadline < .max && curfew_monotonic_nanoseconds() >= deadline)
    }

    /// Whether something of this file is locked by what was looked at.
    func holds(_ file: LockRange.File) -> Bool {
        writes.contains { $0.lock.file == file } || others.contains { $0.lock.file == file }
    }

    /// Adds what the process holds; nothing if it is gone, or may not be looked at.
    mutating func look(at pid: Int32) {
        guard !isOver else { return }
        _ = Procfs.withPath(pid, "/fdinfo") { path -> Void? in
            var directory = Descriptor(curfew_open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0))
            guard directory.isOpen else { return nil }
            defer { directory.close() }
            var count = 0
            Directory.forEachName(in: directory.number) { name in
                guard count < Self.descriptorsOfEach, !isOver else { return }
                count += 1
                descriptorsLeft -= 1
                var file = Descriptor(curfew_open_at(directory.number, name, O_RDONLY, 0))
                guard file.isOpen else { return }
                read(file, pid, atoi(name))
                file.close()
            }
            return ()
        }
    }

    /// The locks of one descriptor: they follow `ino:`, and what is peculiar to its kind of file follows them.
    /// Source: proc_pid_fdinfo(5); kernel, fs/proc/fd.c, seq_show.
    mutating func read(_ file: Descriptor, _ pid: Int32, _ descriptor: Int32) {
        var hasSeenLock = false
        SmallFile.forEachLine(of: file) { line in
            guard let text = line.dropping(prefix: "lock:\t") else { return !hasSeenLock }
            hasSeenLock = true
            if let row = LockLine(text) {
                add(Found(lock: row.lock, pid: pid, descriptor: descriptor, taker: row.taker))
            }
            return writes.count < FileLocks.maximum
        }
    }

    private mutating func add(_ found: Found) {
        let isWrite = found.lock.countsByItself
        guard isWrite || others.count < Self.others, seen.insert(found.lock).inserted else { return }
        if isWrite { writes.append(found) } else { others.append(found) }
    }
}

extension UnsafeRawBufferPointer {
    /// What follows the prefix; nil if it begins otherwise.
    fileprivate func dropping(prefix: StaticString) -> UnsafeRawBufferPointer? {
        let length = prefix.utf8CodeUnitCount
        guard count >= length, let base = baseAddress, memcmp(base, prefix.utf8Start, length) == 0 else { return nil }
        return UnsafeRawBufferPointer(rebasing: self[length...])
    }
}
