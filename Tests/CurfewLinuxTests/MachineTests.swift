import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

@Suite("The machine's memory and disks")
struct MachineTests {
    @Test("Memory: what there is, what can be had")
    func memory() throws {
        let memory = try #require(SystemMemory.read())
        #expect(memory.total > 16 << 20)
        #expect(memory.available > 0)
        #expect(memory.available <= memory.total)
        #expect(memory.swapFree <= memory.swapTotal)
        #expect(memory.total == UInt64(sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))))
    }

    @Test("Kilobytes become bytes; a file that lacks the lines gives nothing, one without swap none")
    func meminfo() throws {
        let directory = ScratchDirectory()
        defer { directory.remove() }
        func read(_ text: String) throws -> SystemMemory? {
            var file = try ScratchDirectory.touch(directory.path + "/meminfo")
            file.close()
            try SmallFile.write(text, to: directory.path + "/meminfo")
            defer { _ = curfew_unlink_at(AT_FDCWD, directory.path + "/meminfo") }
            return SystemMemory.read(directory.path + "/meminfo")
        }
        let whole = """
            MemTotal:       24680000 kB
            MemFree:        1 kB
            MemAvailable:   12340000 kB
            SwapCached:     3 kB
            SwapTotal:      2048 kB
            SwapFree:       1024 kB

            """
        #expect(
            try read(whole)
                == SystemMemory(
                    total: 24_680_000 << 10, available: 12_340_000 << 10, swapTotal: 2048 << 10, swapFree: 1024 << 10))
        #expect(
            try read("MemTotal: 8 kB\nMemAvailable: 4 kB\n")
                == SystemMemory(total: 8192, available: 4096, swapTotal: 0, swapFree: 0))
        #expect(try read("MemTotal: 8 kB\nMemFree: 4 kB\n") == nil)
        #expect(try read("") == nil)
        #expect(SystemMemory.read("/nonexistent") == nil)
    }

    @Test("A disk: what there is, what can be had; a path that isn't there has none")
    func disk() throws {
        let space = try #require(DiskSpace.available(at: "/"))
        #expect(space.total > 0)
        #expect(space.available <= space.total)
        #expect(DiskSpace.available(at: "/nonexistent/path") == nil)
    }
}
