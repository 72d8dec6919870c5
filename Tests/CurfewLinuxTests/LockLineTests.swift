import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

@Suite("Reading the kernel's lists of locks")
struct LockLineTests {
    private func parsed(_ text: String) -> LockLine? { Array(text.utf8).withUnsafeBytes { LockLine($0) } }

    private func lock(_ text: String) throws -> LockRange { try #require(parsed(text)).lock }

    @Test("A POSIX lock on a part of a file")
    func posix() throws {
        let line = try #require(parsed("1: POSIX  ADVISORY  WRITE 24748 fe:00:16614164 5 14"))
        #expect(line.taker == 24748)
        #expect(!line.isWaiter)
        #expect(line.lock.file == LockRange.File(major: 0xfe, minor: 0, inode: 16_614_164))
        #expect(line.lock.file.text == "fe:00:16614164")
        #expect(line.lock.kind == .posix)
        #expect(line.lock.access == .write)
        #expect(line.lock.start == 5)
        #expect(line.lock.end == 14)
    }

    @Test("An OFD lock has no pid; a dead taker outside the first pid namespace is 0")
    func takers() throws {
        let line = try #require(parsed("3: OFDLCK ADVISORY  READ -1 00:1a:7 0 EOF"))
        #expect(line.taker == -1)
        #expect(line.lock.kind == .ofd)
        #expect(line.lock.access == .read)
        #expect(line.lock.end == nil)
        #expect(parsed("4: FLOCK  ADVISORY  WRITE 0 fe:00:16616194 0 EOF")?.taker == 0)
    }

    @Test("Who waits, also for another who waits, and for a lease, whose row names no file")
    func waiters() throws {
        #expect(parsed("2: -> POSIX  ADVISORY  WRITE 24790 fe:00:16614167 0 EOF")?.isWaiter == true)
        let second = try #require(parsed("2:     -> FLOCK  ADVISORY  READ 24793 fe:00:16614167 0 EOF"))
        #expect(second.isWaiter)
        #expect(second.taker == 24793)
        let breaker = try #require(parsed("2: -> LEASE  BREAKER   WRITE 9 <none>:0 0 EOF"))
        #expect(breaker.lock.file == LockRange.File())
        #expect(breaker.lock.kind == .lease)
    }

    @Test("Leases and delegations, also while they are broken")
    func leases() throws {
        #expect(try lock("1: LEASE  ACTIVE    WRITE 1 fe:00:3 0 EOF").kind == .lease)
        #expect(try lock("1: LEASE  BREAKING  UNLCK 1 fe:00:3 0 EOF").access == .read)
        #expect(try lock("1: DELEG  ACTIVE    READ 1 fe:00:3 0 EOF").kind == .lease)
    }

    @Test(
        "What isn't a lock is none",
        arguments: [
            "", ":", "1:", "1", "1: ->", "1: POSIX", "1: UNKNOWN UNKNOWN  WRITE 1 fe:00:3 0 EOF",
            "1: POSIX  ADVISORY  WRITE x fe:00:3 0 EOF", "1: POSIX  ADVISORY  WRITE 1 fe:00 0 EOF",
            "1: POSIX  ADVISORY  WRITE 1 fe:00:3x 0 EOF", "1: POSIX  ADVISORY  WRITE 1 fe:00:3 0",
            "1: POSIX  ADVISORY  WRITE 1 fe:00:3 0 FOE", "x POSIX  ADVISORY  WRITE 1 fe:00:3 0 EOF",
        ])
    func garbage(text: String) { #expect(parsed(text) == nil) }

    @Test("Any cut of a row is read without a trap")
    func cuts() {
        let row = "12:  -> POSIX  ADVISORY  WRITE 24748 fe:00:16614164 1073741824 1073742335"
        for length in 0...row.count { _ = parsed(String(row.prefix(length))) }
        #expect(parsed(row) != nil)
    }

    @Test("Which locks exclude each other")
    func conflicts() throws {
        let write = try lock("1: POSIX  ADVISORY  WRITE 1 fe:00:3 10 19")
        let read = try lock("1: POSIX  ADVISORY  READ 1 fe:00:3 10 19")
        let rest = try lock("1: OFDLCK ADVISORY  WRITE -1 fe:00:3 19 EOF")
        let beyond = try lock("1: POSIX  ADVISORY  WRITE 1 fe:00:3 20 EOF")
        let flock = try lock("1: FLOCK  ADVISORY  WRITE 1 fe:00:3 0 EOF")
        let otherFile = try lock("1: POSIX  ADVISORY  WRITE 1 fe:01:3 10 19")
        let lease = try lock("1: LEASE  ACTIVE    READ 1 fe:00:3 0 EOF")
        #expect(write.conflicts(with: read))
        #expect(read.conflicts(with: write))
        #expect(!read.conflicts(with: read))
        #expect(rest.conflicts(with: read))
        #expect(read.conflicts(with: rest))
        #expect(!beyond.conflicts(with: read))
        #expect(!read.conflicts(with: beyond))
        #expect(!flock.conflicts(with: write))
        #expect(flock.conflicts(with: flock))
        #expect(!otherFile.conflicts(with: write))
        #expect(lease.conflicts(with: lease))
        #expect(!lease.conflicts(with: flock))
    }

    // MARK: Whole files

    private func withFile<Result>(_ text: String, _ body: (Descriptor) throws -> Result) throws -> Result {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        var file = try ScratchDirectory.touch(scratch.path + "/text")
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { curfew_write(file.number, $0.baseAddress, $0.count) }
        file.close()
        var again = Descriptor(curfew_open_at(AT_FDCWD, scratch.path + "/text", O_RDONLY, 0))
        defer { again.close() }
        return try body(again)
    }

    private func lines(_ text: String) throws -> [String] {
        try withFile(text) { file in
            var lines: [String] = []
            SmallFile.forEachLine(of: file) { line in
                lines.append(String(decoding: line, as: UTF8.self))
                return line.count != 3
            }
            return lines
        }
    }

    @Test("Lines come whole from a file read in pieces; one that is too long is passed over")
    func pieces() throws {
        let many = (0..<2_000).map { "line \($0)" }
        #expect(try lines(many.joined(separator: "\n") + "\n") == many)
        #expect(try lines("a\n\nb") == ["a", "", "b"])
        #expect(try lines("") == [])
        let long = String(repeating: "x", count: 10_000)
        #expect(try lines("a\n\(long)\nb\n") == ["a", "b"])
        #expect(try lines("a\n\(long)") == ["a"])
        let full = String(repeating: "y", count: 4_095)
        #expect(try lines("\(full)\nb\n") == [full, "b"])
        #expect(try lines("ab\nabc\nnot read\n") == ["ab", "abc"])
    }

    @Test("Locks stand between ino: and what is peculiar to the kind of file")
    func descriptorText() throws {
        var scan = LockScan()
        try withFile(
            """
            pos:\t0
            flags:\t02100002
            mnt_id:\t27
            ino:\t3
            lock:\t1: POSIX  ADVISORY  READ 7 fe:00:3 0 9
            lock:\t2: POSIX  ADVISORY  WRITE 7 fe:00:3 10 19
            lock:\t3: WHAT   ADVISORY  WRITE 7 fe:00:3 10 19
            tfd: 5 events: 19
            lock:\t4: POSIX  ADVISORY  WRITE 7 fe:00:3 30 39

            """
        ) { scan.read($0, 7, 4) }
        #expect(scan.others.map(\.lock.start) == [0])
        #expect(scan.writes.map(\.lock.start) == [10])
        #expect(scan.writes.map(\.descriptor) == [4])
    }

    @Test("A file with more locks than fit one piece: those to read don't crowd out one to write; 64 are enough")
    func manyLocks() throws {
        let reads = (0..<2_000).map { "lock:\t\($0): POSIX  ADVISORY  READ 7 fe:00:3 \($0 * 2) \($0 * 2)\n" }.joined()
        var scan = LockScan()
        try withFile(reads + "lock:\t9: POSIX  ADVISORY  WRITE 7 fe:00:3 9000 9001\n") { scan.read($0, 7, 4) }
        #expect(scan.others.count == LockScan.others)
        #expect(scan.writes.count == 1)
        let writes = (0..<100).map { "lock:\t\($0): POSIX  ADVISORY  WRITE 7 fe:00:4 \($0 * 2) \($0 * 2)\n" }.joined()
        try withFile(writes) { scan.read($0, 7, 5) }
        #expect(scan.writes.count == FileLocks.maximum)
    }

    @Test("Who waits counts when it is none of ours, and for a file of ours")
    func whoWaits() throws {
        var scan = LockScan()
        try withFile("lock:\t1: FLOCK  ADVISORY  READ 7 fe:00:3 0 EOF\n") { scan.read($0, 7, 4) }
        let locks = """
            1: FLOCK  ADVISORY  READ 99 fe:00:3 0 EOF
            1: -> FLOCK  ADVISORY  WRITE 8 fe:00:3 0 EOF
            1:  -> FLOCK  ADVISORY  WRITE 50 fe:00:3 0 EOF
            2: FLOCK  ADVISORY  WRITE 99 fe:00:4 0 EOF
            2: -> FLOCK  ADVISORY  WRITE 51 fe:00:4 0 EOF
            3: LEASE  BREAKING  UNLCK 7 fe:00:3 0 EOF
            3: -> LEASE  BREAKER   WRITE 52 <none>:0 0 EOF

            """
        let outside = try withFile(locks) { FileLocks.waiters(in: $0, for: scan, outside: [7, 8]) }
        #expect(outside.map(\.kind) == [.flock, .lease])
        #expect(outside.allSatisfy { $0.file.inode == 3 })
        let none = try withFile(locks) { FileLocks.waiters(in: $0, for: scan, outside: [7, 8, 50, 52]) }
        #expect(none == [])
    }
}
