import CCurfew
import CurfewLinux
import Glibc
import Testing

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
        case .taken: nil
        }
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
