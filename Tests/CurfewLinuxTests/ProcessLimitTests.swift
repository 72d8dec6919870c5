import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

@Suite("How many processes there can be")
struct ProcessLimitTests {
    @Test("There is one on each machine, and it has a name")
    func least() throws {
        let limit = try #require(ProcessLimit.least())
        #expect(limit.count > 0)
        #expect(!limit.name.isEmpty)
    }

    @Test("The machine's, by the kernel's names")
    func machines() {
        #expect(
            ProcessLimit.machines(under: "/proc/sys/kernel").map(\.name) == ["kernel.threads-max", "kernel.pid_max"])
        #expect(ProcessLimit.machines(under: "/nowhere").isEmpty)
    }

    @Test("A cgroup's, and of all that are above it; where nothing is said there is none")
    func cgroups() {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let (above, own) = (scratch.path + "/above", scratch.path + "/above/own")
        for folder in [above, own] { _ = curfew_mkdir_at(AT_FDCWD, folder, 0o700) }
        for (folder, text) in [(scratch.path, "900\n"), (above, "max\n"), (own, "400\n")] {
            let file = fopen(folder + "/pids.max", "w")
            fputs(text, file)
            fclose(file)
        }
        let limits = ProcessLimit.cgroups(above: own)
        #expect(limits.map(\.count) == [400, 900])
        #expect(limits.map(\.name) == ["pids.max of \(own)", "pids.max of \(scratch.path)"])
    }

    @Test("A user namespace of which each user is another outside")
    func maps() {
        #expect(ProcessLimit.isWholeMap(Array("         0          0 4294967295\n".utf8)))
        #expect(!ProcessLimit.isWholeMap(Array("         0       1000          1\n".utf8)))
        #expect(!ProcessLimit.isWholeMap([]))
    }
}
