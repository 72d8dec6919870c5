import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

private let hasSharedMemory: Bool = {
    let mounts = String(decoding: SmallFile.bytes(of: "/proc/self/mountinfo") ?? [], as: UTF8.self)
    return mounts.split(separator: "\n").contains { $0.contains(" /dev/shm ") && $0.contains(" - tmpfs ") }
}()

// Skipped where /dev/shm is no tmpfs.
@Suite(
    "Memory in files that are in no process's map",
    .enabled(if: hasSharedMemory, "no tmpfs at /dev/shm"))
struct MemoryFilesTests {
    /// A file in memory without a name, and so much in it; open until it is closed.
    private func memoryFile(_ bytes: Int) throws -> Int32 {
        let path = "/dev/shm/curfew-test-\(getpid())-\(Int32.random(in: 0...(.max)))"
        let number = curfew_open_at(AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL, 0o600)
        try #require(number >= 0)
        _ = curfew_unlink_at(AT_FDCWD, path)
        let piece = [UInt8](repeating: 1, count: 1 << 20)
        for _ in 0..<(bytes >> 20) { try #require(write(number, piece, piece.count) == piece.count) }
        return number
    }

    private func file(_ number: Int32) -> MemoryFiles.File {
        var status = curfew_file_status()
        _ = curfew_fstat(number, &status)
        return MemoryFiles.File(device: status.device, inode: status.inode)
    }

    private func found() -> MemoryFiles {
        var files = MemoryFiles()
        files.look(at: getpid())
        return files
    }

    @Test("It counts once however often it is open, by what is there and not by its length")
    func once() throws {
        let number = try memoryFile(4 << 20)
        let again = dup(number)
        defer { for one in [number, again] { close(one) } }
        ftruncate(number, 1 << 40)
        #expect(found().sizes[file(number)] == 4 << 20)
        var twice = found()
        twice.look(at: getpid())
        #expect(twice.sizes[file(number)] == 4 << 20)
    }

    @Test(
        "What is open to read only counts where it has no name, as nobody else's file; what is on a disk is no memory")
    func others() throws {
        let number = try memoryFile(1 << 20)
        let reader = open("/proc/self/fd/\(number)", O_RDONLY)
        let which = file(number)
        close(number)
        defer { close(reader) }
        #expect(reader >= 0)
        #expect(found().sizes[which] == 1 << 20)
        let program = open("/proc/self/exe", O_RDONLY)
        defer { close(program) }
        let files = found()
        #expect(!files.fileSystems.hold(device: file(program).device))
        #expect(files.fileSystems.hold(device: which.device))
    }

    @Test("A memfd counts, though it is on no mount that anybody has")
    func memfds() throws {
        let number = curfew_memory_file(false)
        try #require(number >= 0)
        defer { close(number) }
        #expect(ftruncate(number, 1 << 20) == 0)
        let page = [UInt8](repeating: 1, count: 8192)
        #expect(write(number, page, page.count) == page.count)
        #expect(found().sizes[file(number)] == 8192)
    }

    @Test("Lines of mountinfo tell what is in memory")
    func mounts() {
        var systems = MemoryFileSystems()
        for line in [
            "4000000001 35 0:28 / /dev/shm rw,nosuid shared:4 - tmpfs tmpfs rw,size=1k",
            "4000000002 35 259:1 /a\\040-\\040tmpfs /c rw - ext4 /dev/vda rw",
            "4000000003 35 0:29 / /h rw - hugetlbfs none rw",
            "4000000004 35 0:30 / /fuse rw - fuse tmpfs rw,user_id=0", "4000000005 35 0:31 / /x rw - tmpfsx none rw",
            "4000000006 35 0:32 / /cut rw", "4000000007", "",
        ] {
            Array(line.utf8).withUnsafeBytes { systems.note($0) }
        }
        #expect(
            systems.mounts == [
                4_000_000_001: true, 4_000_000_002: false, 4_000_000_003: true, 4_000_000_004: false,
                4_000_000_005: false,
            ])
        #expect(systems.devices == [28: true, 29: true])
    }

    @Test("What was there before is taken off, and no more than is there now")
    func handedDown() throws {
        let number = try memoryFile(3 << 20)
        defer { close(number) }
        var files = found()
        files.subtract([file(number): 1 << 20, MemoryFiles.File(device: 1, inode: 1): 1 << 20])
        #expect(files.sizes[file(number)] == 2 << 20)
        files.subtract([file(number): 1 << 40])
        #expect(files.sizes[file(number)] == 0)
    }

    @Test("Of our own those count that go on to whom we start, and nothing that we opened ourselves")
    func ownThatGoOn() throws {
        let kept = try memoryFile(1 << 20)
        let other = try memoryFile(2 << 20)
        let handed = fcntl(other, F_DUPFD, 0)
        defer { for one in [kept, other, handed] { close(one) } }
        let numbers = HandedDownDescriptors.find()
        #expect(!numbers.contains(kept))
        #expect(numbers.contains(handed))
        var files = MemoryFiles()
        files.look(atOwn: numbers)
        #expect(files.sizes[file(handed)] == 2 << 20)
        #expect(files.sizes[file(kept)] == nil)
    }

    // Skipped where so many may not be open.
    @Test(
        "Of thousands of our own those with low numbers are looked at, which are what was handed to us",
        .enabled(if: DescriptorLimit.raised().count > 5_300, "needs a limit of 5,300 descriptors"))
    func thousands() throws {
        let null = open("/dev/null", O_RDONLY)
        let high = fcntl(null, F_DUPFD, 4096)
        let many = (0..<1100).map { _ in fcntl(null, F_DUPFD_CLOEXEC, 0) }
        defer { for one in many + [null, high] { close(one) } }
        try #require(high >= 4096 && many.allSatisfy { $0 >= 0 })
        let numbers = HandedDownDescriptors.find()
        #expect(numbers.contains(null))
        #expect(!numbers.contains(high))
    }

    @Test("What is mapped of it is found in the map")
    func mapped() throws {
        let number = try memoryFile(8 << 20)
        defer { close(number) }
        let files = found()
        let before = files.mapped(by: [getpid()])
        let map = try #require(mmap(nil, 6 << 20, PROT_READ, MAP_SHARED | MAP_POPULATE, number, 0))
        defer { munmap(map, 6 << 20) }
        let after = files.mapped(by: [getpid()])
        #expect(after - before == 6 << 20)
    }

    @Test("Lines of a map")
    func lines() {
        let file = { (line: String) in
            Array(line.utf8).withUnsafeBytes { MemoryFiles.file(ofMapping: $0) }
        }
        #expect(
            file("7f0b2a000000-7f0b2a600000 rw-s 00000000 00:01 2051                       /memfd:x (deleted)")
                == MemoryFiles.File(device: 1, inode: 2051))
        #expect(
            file("00400000-00452000 r-xp 00000000 fe:102 173521      /usr/bin/dbus-daemon")
                == MemoryFiles.File(device: 0xfe << 8 | 0x02 | 0x100 << 12, inode: 173521))
        for other in ["Pss:   12 kB", "", "VmFlags: rd mr", "Anonymous:  0 kB", "ab-", "00-01 rw-p 0"] {
            #expect(file(other) == nil, "\(other)")
        }
    }

    @Test("What a private mapping has copied isn't the file's")
    func copied() throws {
        let text = """
            00400000-00452000 rw-p 00000000 00:01 77      /memfd:x (deleted)
            Rss:                 100 kB
            Pss:                 100 kB
            Pss_Dirty:            40 kB
            Anonymous:            40 kB
            00500000-00552000 rw-s 00000000 00:01 78      /memfd:y (deleted)
            Pss:                   8 kB

            """
        let number = try memoryFile(0)
        var map = Descriptor(number)
        defer { map.close() }
        _ = Array(text.utf8).withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
        lseek(number, 0, SEEK_SET)
        let which = MemoryFiles.File(device: 1, inode: 77)
        var mapped: [MemoryFiles.File: UInt64] = [:]
        MemoryFiles(sizes: [which: 1 << 20]).addMapped(in: map, to: &mapped)
        #expect(mapped == [which: 60 * 1024])
    }
}

@Suite("How often memory in files is looked for")
struct SampledMemoryTests {
    private typealias Machine = SampledMemory.Machine

    @Test("Where the machine has less than there is room, more of it can't be the app's")
    func fits() {
        var sampled = SampledMemory()
        #expect(sampled.bytesInFiles(of: [], Machine(shared: 10 << 20), room: 100 << 20) == 0)
        sampled.nextLook = .max
        #expect(sampled.bytesInFiles(of: [], Machine(shared: 11 << 20), room: 100 << 20) == 1 << 20)
    }

    @Test("What the machine has more is taken for the app's until that could matter")
    func growth() {
        var sampled = SampledMemory()
        _ = sampled.bytesInFiles(of: [], Machine(shared: 1 << 30), room: 100 << 20)
        sampled.nextLook = .max
        #expect(sampled.bytesInFiles(of: [], Machine(shared: (1 << 30) + (90 << 20)), room: 100 << 20) == 90 << 20)
        #expect(sampled.bytesInFiles(of: [], Machine(shared: (1 << 30) + (101 << 20)), room: 100 << 20) == 0)
    }
}
