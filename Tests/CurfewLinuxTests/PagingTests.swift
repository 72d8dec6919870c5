import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

@Suite("Moving a stopped program's memory to swap", .serialized)
struct PagingTests {
    /// How much the program below holds; `tail` keeps all it reads, for there is no end of its input.
    private static let size = 32 << 20

    /// A program that holds 32 MiB of its own, stopped.
    private func holder(_ configure: (inout SpawnRequest) -> Void = { _ in }) throws -> (TestChild, Int32) {
        let child = try TestChild(
            shell: """
                (head -c \(Self.size) /dev/zero; echo filled >&8; read line <&8) |
                    sh -c 'echo $$ >&8; exec tail -c \(Self.size) > /dev/null'
                """, configure)
        do {
            let first = child.line()
            let second = child.line()
            let pid = try #require([first, second].compactMap { $0.flatMap { Int32($0) } }.first)
            #expect([first, second].contains("filled"))
            signal(pid, SIGSTOP)
            #expect(eventually { isStopped(pid) })
            // The rest of the pipe may not have been read; that is 64 KiB.
            #expect(Paging.residency(of: [pid]).resident >= Self.size - (1 << 20))
            return (child, pid)
        } catch {
            child.end()
            throw error
        }
    }

    // Skipped where no swap device can be made.
    @Test(
        "By process: its memory goes to swap, and comes back when it is used",
        .enabled(if: ScratchSwap.problem == nil, "\(ScratchSwap.problem ?? "")"))
    func byProcess() throws {
        let swap = try #require(ScratchSwap())
        defer { #expect(swap.remove()) }
        #expect(try #require(SystemMemory.read()).swapTotal > 0)
        let (child, pid) = try holder()
        defer { child.end() }
        let asked = try Paging.pageOut([pid])
        #expect(asked >= Self.size)
        let after = Paging.residency(of: [pid])
        #expect(after.swapped >= Self.size - (1 << 20), "\(after)")
        #expect(after.resident < 1 << 20, "\(after)")
        #expect(isStopped(pid))
        // With its input's end `tail` writes all it holds.
        signal(pid, SIGCONT)
        child.say("")
        #expect(child.wait() == .exited(code: 0))
    }

    // Skipped where no swap device can be made, or no v1 memory controller is mounted.
    @Test(
        "By a v1 cgroup: its memory goes to swap",
        .enabled(if: ScratchSwap.problem == nil, "\(ScratchSwap.problem ?? "")"),
        .enabled(if: ScratchCgroup.hasMemory, "no cgroup v1 memory controller that this user may write to"))
    func byForceEmpty() throws {
        let swap = try #require(ScratchSwap())
        defer { #expect(swap.remove()) }
        let scratch = try #require(ScratchCgroup(.memory))
        defer { scratch.remove() }
        var cgroup = try Cgroup1(parent: scratch.path, name: "curfew.test.\(nobody)")
        let (child, pid) = try holder { $0.joining = [cgroup.joining.number] }
        defer { child.end() }
        cgroup.closeJoining()
        try Paging.forceEmpty(cgroup.directory)
        let after = Paging.residency(of: [pid])
        #expect(after.swapped >= Self.size - (1 << 20), "\(after)")
    }

    // Skipped where no swap device can be made, or there is no v2 memory controller.
    @Test(
        "By a v2 cgroup: its memory goes to swap; asked for more than there is, it says so",
        .enabled(if: ScratchSwap.problem == nil, "\(ScratchSwap.problem ?? "")"),
        .enabled(if: hasReclaim, "no cgroup v2 with memory.reclaim that this user may write to"))
    func byReclaim() throws {
        let swap = try #require(ScratchSwap())
        defer { #expect(swap.remove()) }
        let scratch = try #require(ScratchCgroup(.unified))
        defer { scratch.remove() }
        let cgroup = try Cgroup2(parent: scratch.path, name: "curfew.test.\(nobody)")
        let (child, pid) = try holder { $0.cgroup = cgroup.directory.number }
        defer { child.end() }
        #expect(try !Paging.reclaim(1 << 30, from: cgroup.directory))
        let after = Paging.residency(of: [pid])
        #expect(after.swapped >= Self.size - (1 << 20), "\(after)")
    }

    private static let hasReclaim: Bool = {
        guard let scratch = ScratchCgroup(.unified) else { return false }
        defer { scratch.remove() }
        return access(scratch.path + "/memory.reclaim", W_OK) == 0
    }()

    // Skipped where the machine has swap of its own, or this user may not page out.
    @Test(
        "Without swap it is asked for in vain",
        .enabled(if: SystemMemory.read()?.swapTotal == 0, "this machine has swap"),
        .enabled(if: geteuid() == 0, "needs CAP_SYS_NICE"))
    func withoutSwap() throws {
        let swap = try #require(ScratchSwap.keptOff())
        defer { swap.end() }
        #expect(SystemMemory.read()?.swapTotal == 0)
        let (child, pid) = try holder()
        defer { child.end() }
        #expect(try Paging.pageOut([pid]) >= Self.size)
        let after = Paging.residency(of: [pid])
        #expect(after.swapped == 0)
        #expect(after.resident >= Self.size - (1 << 20))
    }

    @Test("One that is gone is passed over; if all are, that is told")
    func gone() throws {
        do throws(KernelError) {
            try Paging.pageOut([nobody])
            Issue.record("paged out")
        } catch {
            #expect(error == KernelError("open process", "\(nobody)", errno: ESRCH))
        }
        #expect(try Paging.pageOut([]) == 0)
        #expect(Paging.residency(of: [nobody]) == (0, 0))
        let child = try TestChild(shell: TestChild.stay)
        defer { child.end() }
        #expect(child.line() == "ready")
        #expect(Paging.residency(of: [nobody, child.pid]).resident > 0)
    }

    @Test("Between those that are gone the others are paged out", .enabled(if: geteuid() == 0, "needs CAP_SYS_NICE"))
    func goneBetween() throws {
        let child = try TestChild(shell: TestChild.stay)
        defer { child.end() }
        #expect(child.line() == "ready")
        #expect(try Paging.pageOut([nobody, child.pid, nobody]) > 0)
    }

    @Test("A cgroup without the file is told")
    func noController() throws {
        let directory = ScratchDirectory()
        defer { directory.remove() }
        var descriptor = Descriptor(curfew_open_at(AT_FDCWD, directory.path, O_RDONLY | O_DIRECTORY, 0))
        defer { descriptor.close() }
        #expect(throws: KernelError("reclaim 4096 bytes by", "memory.reclaim", errno: ENOENT)) {
            try Paging.reclaim(4096, from: descriptor)
        }
        #expect(throws: KernelError("empty by", "memory.force_empty", errno: ENOENT)) {
            try Paging.forceEmpty(descriptor)
        }
    }

    @Test("Of a map, what only swap can hold")
    func map() {
        let lines = """
            55d0c0000000-55d0c0001000 r--p 00000000 fd:00 131 /usr/bin/tail
            55d0c0001000-55d0c0002000 rw-p 00001000 fd:00 131 /usr/bin/tail
            55d0c1000000-55d0c1004000 rw-p 00000000 00:00 0                          [heap]
            7f0000000000-7f0000008000 ---p 00000000 00:00 0 
            7f0000010000-7f0000020000 rw-s 00000000 00:01 7 /dev/zero (deleted)
            7f0000020000-7f0000030000 rw-s 00000000 00:01 8 /memfd:a b c (deleted)
            7f0000030000-7f0000040000 rw-s 00000000 fd:00 9 /var/lib/database
            7f0000040000-7f0005040000 rw-p 00000000 00:00 0 
            7ffd00000000-7ffd00004000 r--p 00000000 00:00 0                          [vvar]
            7ffd00004000-7ffd00006000 r-xp 00000000 00:00 0                          [vdso]
            rubbish
            7ffd00006000 rw-p 00000000 00:00 0
            7ffx00004000-7ffd00006000 rw-p 00000000 00:00 0
            """
        let ranges = Paging.swappableRanges(inMap: Array(lines.utf8))
        let expected: [(UInt64, UInt64)] = [
            (0x55d0_c000_1000, 0x1000), (0x55d0_c100_0000, 0x4000), (0x7f00_0000_0000, 0x8000),
            (0x7f00_0001_0000, 0x10000), (0x7f00_0002_0000, 0x10000),
            // In pieces that take one step.
            (0x7f00_0004_0000, 32 << 20), (0x7f00_0204_0000, 32 << 20), (0x7f00_0404_0000, 16 << 20),
        ]
        #expect(ranges.map(\.start) == expected.map(\.0))
        #expect(ranges.map(\.length) == expected.map(\.1))
        #expect(Paging.swappableRanges(inMap: []).isEmpty)
    }

    // Skipped where this user may not page out.
    @Test("A locked range doesn't keep the others", .enabled(if: geteuid() == 0, "needs CAP_SYS_NICE"))
    func locked() throws {
        let size = 16 << 20
        let memory = try #require(mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
        try #require(memory != MAP_FAILED)
        defer { munmap(memory, size) }
        memset(memory, 1, size)
        // In the middle, so that three ranges stand in the map.
        try #require(mlock(memory + 4096, 4096) == 0)
        #expect(try Paging.pageOut([getpid()]) >= size - 4096)
    }
}
