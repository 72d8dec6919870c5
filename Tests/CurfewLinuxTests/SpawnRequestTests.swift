import CCurfew
import CurfewLinux
import Glibc
import Testing

@Suite("Starting a program")
struct SpawnRequestTests {
    private func failure(_ arguments: [String], _ configure: (inout SpawnRequest) -> Void = { _ in }) -> SpawnError? {
        do {
            let child = try TestChild(arguments, configure)
            child.end()
            return nil
        } catch {
            return error as? SpawnError
        }
    }

    @Test("A program that isn't there", arguments: ["/nonexistent/program", ""])
    func notFound(program: String) {
        let failure = failure([program])
        #expect(failure?.stage == .exec)
        #expect(failure?.errno == ENOENT)
        #expect(failure?.reason == "No such file or directory")
    }

    @Test("A program that isn't in PATH")
    func notInPath() {
        let failure = failure(["no-such-program-anywhere"])
        #expect(failure?.stage == .exec)
        // EACCES where PATH has a directory that this user may not search, as execvp(3) has it.
        #expect([ENOENT, EACCES].contains(failure?.errno))
    }

    @Test("One that can't be executed: a directory, a file without the permission")
    func notExecutable() throws {
        #expect(failure(["/tmp"])?.stage == .exec)
        #expect(failure(["/tmp"])?.errno == EACCES)
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        var file = try ScratchDirectory.touch(scratch.path + "/program")
        file.close()
        #expect(failure([scratch.path + "/program"])?.errno == EACCES)
    }

    @Test(
        "Copied in part, its table has what is below and no more, and this process keeps its own with what it has locked",
        .enabled(if: SpawnRequest.canCopyDescriptorsInPart, "close_range(2) is not to be had"))
    func tableSize() throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        var file = try ScratchDirectory.touch(scratch.path + "/locked")
        defer { file.close() }
        // None of Swift's is handed down; this one would be.
        var handedDown: Int32 = -1
        defer { close(handedDown) }
        var lock = flock(
            l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 1, l_pid: 0)
        #expect(withUnsafeMutablePointer(to: &lock) { fcntl(file.number, F_SETLK, $0) } == 0)
        let list = "ls /proc/$$/fd | tr '\\n' ' ' >&8; echo >&8; read line <&8"

        // Above all that the next one opens, too.
        let whole = try TestChild(shell: list) { handedDown = fcntl(0, F_DUPFD, $0.channel + 64) }
        defer { whole.end() }
        #expect(whole.line()?.split(separator: " ").contains("\(handedDown)") == true)

        let part = try TestChild(shell: list) { $0.tableSize = $0.channel + 1 }
        defer { part.end() }
        let seen = try #require(part.line()).split(separator: " ")
        #expect(seen.contains("8"))
        #expect(!seen.contains("\(handedDown)"))
        #expect(fcntl(handedDown, F_GETFD) == 0)
        #expect(isLocked(file))
    }

    /// Asked of the kernel's list: who has locked it isn't told of that by fcntl(2).
    private func isLocked(_ file: Descriptor) -> Bool {
        var status = curfew_file_status()
        guard curfew_fstat(file.number, &status) == 0, let bytes = SmallFile.bytes(of: "/proc/locks") else {
            return false
        }
        return String(decoding: bytes, as: UTF8.self).contains(":\(status.inode) 0 0")
    }

    @Test("A cgroup that is none fails the clone")
    func noCgroup() {
        var directory = Descriptor(curfew_open_at(AT_FDCWD, "/tmp", O_RDONLY | O_DIRECTORY, 0))
        defer { directory.close() }
        #expect(failure(["/bin/true"]) { $0.cgroup = directory.number }?.stage == .clone)
    }

    @Test("A v1 cgroup that can't be joined, a terminal that is none, a channel that isn't open")
    func preparation() {
        var null = Descriptor(curfew_open_at(AT_FDCWD, "/dev/null", O_RDONLY, 0))
        defer { null.close() }
        let join = failure(["/bin/true"]) { $0.joining = [null.number] }
        #expect(join?.stage == .join)
        #expect(join?.errno == EBADF)
        let terminal = failure(["/bin/true"]) { $0.terminal = null.number }
        #expect(terminal?.stage == .terminal)
        #expect(terminal?.errno == ENOTTY)
        let channel = failure(["/bin/true"]) { $0.channel = 1_000_000 }
        #expect(channel?.stage == .channel)
        #expect(channel?.errno == EBADF)
    }

    @Test("A program is searched for in PATH, runs, and its status comes back")
    func runs() throws {
        let child = try TestChild(["sh", "-c", "exit 7"])
        defer { child.end() }
        #expect(child.wait() == .exited(code: 7))
    }

    @Test("A process group of its own, or its caller's")
    func group() throws {
        for hasOwn in [true, false] {
            let child = try TestChild(shell: TestChild.stay) { $0.hasOwnProcessGroup = hasOwn }
            defer { child.end() }
            #expect(child.line() == "ready")
            #expect(Procfs.stat(child.pid)?.processGroup == (hasOwn ? child.pid : getpgrp()))
        }
    }

    @Test("A session of its own, which no terminal is of, and whose group it leads; none without a group of its own")
    func session() throws {
        let child = try TestChild(shell: TestChild.stay) { $0.hasOwnSession = true }
        defer { child.end() }
        #expect(child.line() == "ready")
        #expect(getsid(child.pid) == child.pid)
        #expect(Procfs.stat(child.pid)?.processGroup == child.pid)
        let beside = try TestChild(shell: TestChild.stay) {
            $0.hasOwnProcessGroup = false
            $0.hasOwnSession = true
        }
        defer { beside.end() }
        #expect(beside.line() == "ready")
        #expect(getsid(beside.pid) == getsid(0))
    }

    @Test("The group of another process, which it joins itself; one that isn't there fails the launch")
    func joinedGroup() throws {
        let leader = try TestChild(shell: TestChild.stay)
        defer { leader.end() }
        #expect(leader.line() == "ready")
        let child = try TestChild(shell: TestChild.stay) {
            $0.hasOwnProcessGroup = false
            $0.processGroup = leader.pid
        }
        defer { child.end() }
        #expect(child.line() == "ready")
        #expect(Procfs.stat(child.pid)?.processGroup == leader.pid)
        let absent = failure(["/bin/true"]) {
            $0.hasOwnProcessGroup = false
            $0.processGroup = .max
        }
        #expect(absent?.stage == .group)
    }

    @Test("It gets the signal mask that was asked for")
    func signalMask() throws {
        let child = try TestChild(["tail", "-f", "/dev/null"]) { $0.signalMask = 1 << UInt64(SIGUSR1 - 1) }
        defer { child.end() }
        let status = try #require(SmallFile.bytes(of: "/proc/\(child.pid)/status"))
        #expect(String(decoding: status, as: UTF8.self).contains("SigBlk:\t0000000000000200\n"))
    }

    @Test("Privileges that can't be had again")
    func noNewPrivileges() throws {
        let child = try TestChild(shell: "grep NoNewPrivs /proc/self/status >&8") { $0.setsNoNewPrivileges = true }
        defer { child.end() }
        #expect(child.line() == "NoNewPrivs:\t1")
    }

    @Test("All capabilities dropped")
    func dropsCapabilities() throws {
        let child = try TestChild(shell: "grep Cap /proc/self/status >&8") {
            $0.dropsCapabilities = true
            $0.setsNoNewPrivileges = true
        }
        defer { child.end() }
        for set in ["CapInh", "CapPrm", "CapEff"] { #expect(child.line() == "\(set):\t0000000000000000") }
    }
}
