import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

@Suite("The removal of a directory for what outlives a run")
struct StateDirectoryRemovalTests {
    private func isThere(_ path: String) -> Bool {
        var status = curfew_file_status()
        return curfew_stat_at(AT_FDCWD, path, false, &status) == 0
    }

    @Test("All that is in it goes, and what its links lead to stays")
    func removed() throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let path = scratch.path + "/state"
        #expect(
            mkdir(path, 0o700) == 0 && mkdir(path + "/deep", 0o700) == 0 && mkdir(scratch.path + "/kept", 0o700) == 0)
        #expect(symlink(scratch.path + "/kept", path + "/deep/link") == 0)
        try StateDirectory(path: path).remove()
        #expect(!isThere(path))
        #expect(isThere(scratch.path + "/kept"))
    }

    @Test("One that was never made is no mistake")
    func missing() throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        try StateDirectory(path: scratch.path + "/never").remove()
    }

    @Test("What the file system refuses is told, with its path")
    func refused() {
        #expect(throws: KernelError("remove", "/proc/self/attr", errno: EPERM)) {
            try StateDirectory(path: "/proc/self/attr").remove()
        }
    }
}
