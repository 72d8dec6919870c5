import Glibc
import Testing

@testable import CurfewLinux

/// What the files of a memory cgroup say, in a folder that only looks like one.
@Suite("What a memory cgroup holds, by files that don't tell of one moment")
struct ChargedMemoryTests {
    private static let mebibyte: UInt64 = 1 << 20

    private struct Files: CgroupFiles {
        let path: String
        let directory: Descriptor
    }

    private func read(_ files: [String: String], _ read: (Files) -> ChargedMemory?) throws -> ChargedMemory? {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        for (name, text) in files {
            var file = try ScratchDirectory.touch(scratch.path + "/" + name)
            file.close()
            try SmallFile.write(text, to: scratch.path + "/" + name)
        }
        var directory = Descriptor(open(scratch.path, O_RDONLY | O_DIRECTORY))
        defer { directory.close() }
        return read(Files(path: scratch.path, directory: directory))
    }

    private func legacy(_ files: [String: String], ofProcesses: UInt64 = 77) throws -> ChargedMemory? {
        try read(files) { ChargedMemory(legacy: $0) { ofProcesses } }
    }

    private func unified(_ files: [String: String]) throws -> ChargedMemory? {
        try read(files) { ChargedMemory(unified: $0) }
    }

    // MARK: What is read

    private static let legacyStat = """
        cache 1
        rss 2
        shmem 3
        total_cache 50
        total_rss 100
        total_shmem 20
        total_swap 7

        """

    @Test("v1: of the whole subtree; caches and what is the kernel's are others")
    func ofLegacy() throws {
        let charged = try legacy([
            "memory.stat": Self.legacyStat, "memory.usage_in_bytes": "165\n", "memory.memsw.usage_in_bytes": "172\n",
            "memory.kmem.usage_in_bytes": "15\n",
        ])
        #expect(charged == ChargedMemory(resident: 120, swapped: 7, others: 45, total: 165))
    }

    @Test("v1: without swap accounting each process is asked")
    func ofProcesses() throws {
        let stat = Self.legacyStat.replacing("total_swap 7\n", with: "")
        let charged = try legacy(["memory.stat": stat, "memory.usage_in_bytes": "165\n"])
        #expect(charged?.swapped == 77)
    }

    @Test("v1: of swap no more counts than is charged with it beyond what is charged without")
    func swapIsBounded() throws {
        let files = ["memory.stat": Self.legacyStat, "memory.usage_in_bytes": "165\n"]
        #expect(try legacy(files.merging(["memory.memsw.usage_in_bytes": "168\n"]) { $1 })?.swapped == 3)
        #expect(try legacy(files.merging(["memory.memsw.usage_in_bytes": "160\n"]) { $1 })?.swapped == 0)
        #expect(try legacy(files)?.swapped == 7)
    }

    @Test("v2: anonymous, shared, and what of the kernel's it can't drop; the rest are others")
    func ofUnified() throws {
        let stat = """
            anon 100
            file 50
            kernel 40
            kernel_stack 1
            pagetables 2
            sec_pagetables 300
            percpu 400
            sock 500
            vmalloc 600
            shmem 20
            zswap 700
            slab_reclaimable 4
            slab_unreclaimable 8

            """
        let charged = try unified([
            "memory.stat": stat, "memory.current": "2800\n", "memory.swap.current": "9\n",
        ])
        #expect(charged == ChargedMemory(resident: 131, swapped: 9, others: 2534, total: 2800))
    }

    @Test("Files that aren't there tell of nothing", arguments: ["memory.stat", "memory.usage_in_bytes"])
    func absent(name: String) throws {
        var files = ["memory.stat": Self.legacyStat, "memory.usage_in_bytes": "165\n"]
        files[name] = nil
        #expect(try legacy(files) == nil)
        #expect(try unified([:]) == nil)
    }

    // MARK: What is made of it

    private func charged(_ resident: UInt64, others: UInt64 = 0, swapped: UInt64 = 0, of total: UInt64) -> ChargedMemory
    {
        ChargedMemory(
            resident: resident * Self.mebibyte, swapped: swapped * Self.mebibyte, others: others * Self.mebibyte,
            total: total * Self.mebibyte)
    }

    @Test("A footprint is what can't be dropped, in memory and in swap")
    func footprint() { #expect(charged(100, others: 50, swapped: 7, of: 150).footprint == 107 * Self.mebibyte) }

    @Test("It is never more than is charged, whatever is counted that is gone already")
    func countedTwice() { #expect(charged(219, swapped: 3, of: 130).footprint == 133 * Self.mebibyte) }

    @Test("It may be at most what is charged and isn't known to be something else, nor processors' stock")
    func atMost() {
        let most = charged(120, others: 30, swapped: 5, of: 203).footprintAtMost
        #expect(most == max(125 * Self.mebibyte, 178 * Self.mebibyte - ChargedMemory.stock))
    }

    @Test("What agrees, and what is charged less than its files seem to hold, may be what it is told to be")
    func atMostTold() {
        #expect(charged(120, others: 30, swapped: 5, of: 150).footprintAtMost == 125 * Self.mebibyte)
        #expect(charged(20, others: 300, of: 200).footprintAtMost == 20 * Self.mebibyte)
        #expect(charged(0, of: 0).footprintAtMost == 0)
    }
}
