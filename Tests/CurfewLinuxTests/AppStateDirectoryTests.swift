import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

@Suite("The directory that an app keeps its state in")
struct AppStateDirectoryTests {
    private func problem(_ path: String) -> AppStateDirectory.Problem? {
        do throws(AppStateDirectory.Problem) {
            _ = try AppStateDirectory.prepare(path)
            return nil
        } catch {
            return error
        }
    }

    private func mode(_ path: String) -> UInt32 {
        var status = curfew_file_status()
        return curfew_stat_at(AT_FDCWD, path, false, &status) == 0 ? status.mode & 0o7777 : 0
    }

    @Test("It is made for this user alone, with all that is missing on the way, and found again")
    func made() throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let path = scratch.path + "/a//b/c/"
        #expect(try AppStateDirectory.prepare(path) == path)
        #expect(["a", "a/b", "a/b/c"].map { mode(scratch.path + "/" + $0) } == [0o700, 0o700, 0o700])
        #expect(problem(path) == nil)
    }

    @Test("Others may read it, and a link may lead to it")
    func lenient() {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let (path, link) = (scratch.path + "/state", scratch.path + "/link")
        #expect(mkdir(path, 0o755) == 0)
        #expect(symlink(path, link) == 0)
        #expect(problem(path) == nil)
        #expect(problem(link) == nil)
        #expect(mode(path) == 0o755)
    }

    @Test("One that others can write to is refused, whoever they are", arguments: [0o720, 0o702, 0o777, 0o1777])
    func open(mode: UInt32) {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let path = scratch.path + "/state"
        #expect(mkdir(path, 0o700) == 0)
        #expect(chmod(path, mode) == 0)
        #expect(problem(path) == .open(mode: mode))
        #expect(self.mode(path) == mode)
    }

    @Test("What belongs to another user is refused")
    func foreign() {
        guard geteuid() == 0 else { return #expect(problem("/") == .foreign(owner: 0)) }
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let path = scratch.path + "/state"
        #expect(mkdir(path, 0o700) == 0)
        #expect(chown(path, 4711, 0) == 0)
        #expect(problem(path) == .foreign(owner: 4711))
    }

    @Test("What is no directory is refused, and so is what leads through it or nowhere")
    func noDirectory() {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let link = scratch.path + "/link"
        #expect(symlink(scratch.path + "/gone", link) == 0)
        #expect(problem("/dev/null") == .noDirectory)
        #expect(problem("/dev/null/state") == .unusable(KernelError("look at", "/dev/null/state", errno: ENOTDIR)))
        #expect(problem(link) == .unusable(KernelError("look at", link, errno: ENOENT)))
        #expect(problem("/proc/state") == .unusable(KernelError("make", "/proc/state", errno: ENOENT)))
    }

    @Test("A relative path is told as an absolute one")
    func relative() throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let here = try #require(getcwd(nil, 0))
        defer { free(here) }
        // From the root down to the scratch directory, without leaving this one, which other tests share.
        let up = String(cString: here).split(separator: "/").map { _ in ".." }.joined(separator: "/")
        let path = up + scratch.path + "/state"
        #expect(try AppStateDirectory.prepare(path) == String(cString: here) + "/" + path)
        #expect(mode(scratch.path + "/state") == 0o700)
    }
}
