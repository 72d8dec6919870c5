import CCurfew
import Glibc
import Testing

@testable import CurfewLinux

@Suite("The directory of the control sockets")
struct RuntimeDirectoryTests {
    /// What a mistake says of a directory.
    private func refusal(_ path: String) -> KernelError? {
        do throws(KernelError) {
            var descriptor = try RuntimeDirectory(path: path).prepare()
            descriptor.close()
            return nil
        } catch {
            return error
        }
    }

    private func mode(_ path: String) -> UInt32 {
        var status = curfew_file_status()
        return curfew_stat_at(AT_FDCWD, path, false, &status) == 0 ? status.mode & 0o7777 : 0
    }

    @Test("It is made for this user alone, and found again")
    func made() {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let path = scratch.path + "/curfew"
        #expect(refusal(path) == nil)
        #expect(mode(path) == 0o700)
        #expect(refusal(path) == nil)
    }

    @Test("One that others may enter, read or write isn't trusted", arguments: [0o701, 0o740, 0o720, 0o777, 0o1777])
    func open(mode: UInt32) {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let path = scratch.path + "/curfew"
        #expect(refusal(path) == nil)
        #expect(chmod(path, mode) == 0)
        let refusal = refusal(path)
        #expect(refusal?.errno == EPERM)
        #expect(
            refusal?.text == "trust (it must belong to this user alone, mode 0700) \(path): Operation not permitted")
    }

    // Skipped for anybody but root, who alone can give a directory away.
    @Test("Somebody else's isn't trusted", .enabled(if: geteuid() == 0, "only root can give a directory away"))
    func somebodyElses() {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let path = scratch.path + "/curfew"
        #expect(refusal(path) == nil)
        #expect(chown(path, 65534, 65534) == 0)
        #expect(refusal(path)?.errno == EPERM)
    }

    @Test("A symbolic link isn't followed, wherever it leads", arguments: ["/tmp", "there", "nowhere"])
    func link(target: String) {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        #expect(mkdir(scratch.path + "/there", 0o700) == 0)
        let path = scratch.path + "/curfew"
        #expect(symlink(target, path) == 0)
        #expect([ENOTDIR, ELOOP].contains(refusal(path)?.errno))
        #expect(mode(scratch.path + "/nowhere") == 0)
    }

    @Test("A file isn't a directory")
    func file() throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        var file = try ScratchDirectory.touch(scratch.path + "/curfew")
        file.close()
        let refusal = refusal(scratch.path + "/curfew")
        #expect(refusal?.errno == ENOTDIR)
        #expect(refusal?.text == "open \(scratch.path)/curfew: Not a directory")
    }

    @Test("Where it can't be made, that is told")
    func unmakeable() {
        #expect(refusal("/nonexistent/curfew")?.text == "make /nonexistent/curfew: No such file or directory")
    }

    @Test("Where others have planted something, the next place serves, and is found", arguments: ["file", "link"])
    func planted(what: String) throws {
        try expectTheNextPlace {
            if what == "file" {
                #expect(close(Glibc.open($0, O_CREAT | O_WRONLY, 0o600)) == 0)
            } else {
                #expect(symlink("/tmp", $0) == 0)
            }
        }
    }

    // Skipped for anybody but root, who alone can give a directory away.
    @Test(
        "So where others have made it theirs", .enabled(if: geteuid() == 0, "only root can give a directory away"))
    func plantedByOthers() throws {
        try expectTheNextPlace {
            #expect(mkdir($0, 0o700) == 0)
            #expect(chown($0, 65534, 65534) == 0)
        }
    }

    /// Where the first one was planted.
    private func expectTheNextPlace(_ plant: (String) -> Void) throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let first = RuntimeDirectory.place(0, below: scratch.path)
        let second = RuntimeDirectory.place(1, below: scratch.path)
        plant(first)
        #expect(RuntimeDirectory.existing(below: scratch.path) == nil)
        #expect(RuntimeDirectory.vacant(below: scratch.path) == second)
        #expect(try RuntimeDirectory.forSupervisor(below: scratch.path).path == second)
        #expect(mode(second) == 0o700)
        #expect(RuntimeDirectory.existing(below: scratch.path) == second)
        // It stays the one when the first is free again.
        _ = rmdir(first)
        _ = unlink(first)
        #expect(try RuntimeDirectory.forSupervisor(below: scratch.path).path == second)
    }

    @Test("Where all places are taken, that is told")
    func allPlanted() throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        for number in 0..<16 {
            #expect(
                close(Glibc.open(RuntimeDirectory.place(number, below: scratch.path), O_CREAT | O_WRONLY, 0o600)) == 0)
        }
        do throws(KernelError) {
            _ = try RuntimeDirectory.forSupervisor(below: scratch.path)
            Issue.record("one was found")
        } catch {
            #expect(error.errno == EEXIST)
            #expect(error.text.contains("set XDG_RUNTIME_DIR"))
        }
    }

    @Test("The names in a directory that others may write to aren't believed")
    func namesOfOthers() throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        var file = try ScratchDirectory.touch(scratch.path + "/a.sock")
        file.close()
        #expect(RuntimeDirectory(path: scratch.path).names() == ["a"])
        #expect(chmod(scratch.path, 0o777) == 0)
        #expect(RuntimeDirectory(path: scratch.path).names() == [])
    }

    @Test("The names are those of the sockets, in order")
    func names() throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        for name in ["b.sock", "a.sock", "c.txt", "sock", "d.sock.old"] {
            var file = try ScratchDirectory.touch(scratch.path + "/" + name)
            file.close()
        }
        #expect(RuntimeDirectory(path: scratch.path).names() == ["a", "b"])
        #expect(RuntimeDirectory(path: "/nonexistent").names() == [])
    }
}

@Suite("A supervisor's name")
struct NamedSocketTests {
    private func claim(_ name: String, _ scratch: ScratchDirectory) throws -> NamedSocket? {
        switch try NamedSocket.claim(name, in: RuntimeDirectory(path: scratch.path)) {
        case .claimed(let socket): socket
        case .taken, .blocked: nil
        }
    }

    /// A socket whose supervisor is gone.
    private func leave(_ name: String, _ scratch: ScratchDirectory) throws {
        var dead = try #require(try claim(name, scratch)).descriptor
        // A process that another test starts holds a copy of it until its exec.
        #expect(shutdown(dead.number, Int32(SHUT_RDWR)) == 0)
        dead.close()
    }

    private func lock(_ scratch: ScratchDirectory) -> Int32 {
        let directory = open(scratch.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #expect(flock(directory, LOCK_EX) == 0)
        return directory
    }

    @Test("Whoever holds the directory's lock holds up nobody, but where a dead socket is in the way")
    func locked() throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        try leave("dead", scratch)
        let directory = lock(scratch)
        var free = try #require(try claim("app", scratch)).descriptor
        #expect(try claim("app", scratch) == nil)
        guard case .blocked = try NamedSocket.claim("dead", in: RuntimeDirectory(path: scratch.path), while: { true })
        else {
            Issue.record("it was claimed, or taken")
            return
        }
        var asked = 0
        let given = try NamedSocket.claim("dead", in: RuntimeDirectory(path: scratch.path)) {
            asked += 1
            return asked < 3
        }
        guard case .blocked = given else {
            Issue.record("it was claimed, or taken")
            return
        }
        #expect(asked == 3)
        // Nothing is left of the attempts.
        #expect(Directory.names(of: scratch.path)?.sorted() == ["app.sock", "dead.sock"])
        free.close()
        close(directory)
        var now = try #require(try claim("dead", scratch)).descriptor
        now.close()
    }

    @Test("One that was killed before it had its name is passed over")
    func nascent() throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        try leave("app", scratch)
        #expect(rename(scratch.path + "/app.sock", scratch.path + "/.\(getpid())") == 0)
        var socket = try #require(try claim("app", scratch)).descriptor
        #expect(Directory.names(of: scratch.path) == ["app.sock"])
        socket.close()
    }

    @Test("A sweep takes what is dead, and nothing else")
    func sweep() throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let directory = RuntimeDirectory(path: scratch.path)
        var alive = try #require(try claim("alive", scratch)).descriptor
        try leave("dead", scratch)
        try leave("nascent", scratch)
        #expect(rename(scratch.path + "/nascent.sock", scratch.path + "/.1") == 0)
        var file = try ScratchDirectory.touch(scratch.path + "/notes")
        file.close()
        let held = lock(scratch)
        directory.sweep()
        #expect(directory.names() == ["alive", "dead"])
        close(held)
        directory.sweep()
        #expect(Directory.names(of: scratch.path)?.sorted() == ["alive.sock", "notes"])
        alive.close()
    }

    @Test("It can be had once, and again when its socket was removed")
    func once() throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let first = try #require(try claim("app", scratch))
        var listening = first.descriptor
        defer { listening.close() }
        #expect(first.path == scratch.path + "/app.sock")
        #expect(try claim("app", scratch) == nil)
        #expect(RuntimeDirectory(path: scratch.path).names() == ["app"])
        first.remove()
        var again = try #require(try claim("app", scratch)).descriptor
        again.close()
    }

    @Test("Others' names are free")
    func others() throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        var first = try #require(try claim("a", scratch)).descriptor
        var second = try #require(try claim("b", scratch)).descriptor
        first.close()
        second.close()
    }

    @Test("Of a supervisor that is gone the socket is left, and the name is free")
    func stale() throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        var dead = try #require(try claim("app", scratch)).descriptor
        // A process that another test starts holds a copy of it until its exec.
        #expect(shutdown(dead.number, Int32(SHUT_RDWR)) == 0)
        dead.close()
        #expect(RuntimeDirectory(path: scratch.path).names() == ["app"])
        var alive = try #require(try claim("app", scratch)).descriptor
        defer { alive.close() }
        #expect(try claim("app", scratch) == nil)
    }

    @Test("Only a dead socket is taken away")
    func removeDead() throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let directory = RuntimeDirectory(path: scratch.path)
        let socket = try #require(try claim("app", scratch))
        var listening = socket.descriptor
        NamedSocket.removeDead(socket.path, in: directory)
        #expect(directory.names() == ["app"])
        // As above.
        #expect(shutdown(listening.number, Int32(SHUT_RDWR)) == 0)
        listening.close()
        NamedSocket.removeDead(socket.path, in: directory)
        #expect(directory.names() == [])
    }

    @Test("The socket is for this user alone")
    func mode() throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let socket = try #require(try claim("app", scratch))
        var listening = socket.descriptor
        defer { listening.close() }
        var status = curfew_file_status()
        #expect(curfew_stat_at(AT_FDCWD, socket.path, false, &status) == 0)
        #expect(status.mode & 0o177 == 0)
    }

    @Test("A path too long for a socket's address, and a directory that isn't trusted, are told")
    func failures() throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let long = String(repeating: "n", count: RuntimeDirectory.maximumSocketPathBytes)
        do throws(KernelError) {
            _ = try NamedSocket.claim(long, in: RuntimeDirectory(path: scratch.path))
            Issue.record("claimed")
        } catch {
            #expect(error.errno == ENAMETOOLONG)
        }
        #expect(chmod(scratch.path, 0o755) == 0)
        #expect(throws: KernelError.self) { try claim("app", scratch) }
    }

    @Test("The longest path that fits works")
    func longestPath() throws {
        let scratch = ScratchDirectory()
        defer { scratch.remove() }
        let room = RuntimeDirectory.maximumSocketPathBytes - scratch.path.utf8.count - "/.sock".utf8.count
        var listening = try #require(try claim(String(repeating: "n", count: room), scratch)).descriptor
        listening.close()
    }
}
