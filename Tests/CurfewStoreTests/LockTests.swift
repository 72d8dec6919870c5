import Glibc
import Testing

@testable import CurfewStore

@Suite("One server, one database", .timeLimit(.minutes(2)))
struct LockTests {
    private let folder = Folder()

    @Test("A second server is refused, and told who has it; once that one has ended it isn't")
    func second() throws {
        defer { folder.remove() }
        let other = try #require(Child.worker("hold", folder.directory))
        #expect(other.line() == "open")
        #expect(throws: StoreRefusal.anotherServer(path: folder.files.database, pid: other.pid)) { try folder.writer() }
        #expect(folder.time.milliseconds == 0)
        other.endInput()
        #expect(other.wait() == 0)
        let writer = try folder.writer()
        let third = try #require(Child.worker("hold", folder.directory))
        #expect(third.line()?.contains("another server, pid \(getpid())") == true)
        #expect(third.wait() == 1 << 8)
        writer.close()
    }

    @Test("One that was killed holds nothing")
    func killed() throws {
        defer { folder.remove() }
        let other = try #require(Child.worker("hold", folder.directory))
        #expect(other.line() == "open")
        other.kill()
        other.wait()
        try folder.writer().close()
    }

    @Test(
        "What a killed one was just starting has its lock for a moment, and is waited for", arguments: [false, true])
    func startedJustBefore(isReaped: Bool) throws {
        defer { folder.remove() }
        let other = try killedServer()
        if isReaped { other.wait() }
        defer { if !isReaped { other.wait() } }
        let held = try lock(of: other.pid)
        defer { close(held) }
        var clock = folder.time.clock
        clock.pause = { [time = folder.time] milliseconds in
            time.pass(milliseconds: milliseconds)
            // Whatever copies of it there are.
            if time.milliseconds == 50 { flock(held, LOCK_UN) }
        }
        let writer = StoreWriter(folder.files, clock: clock)
        try writer.begin()
        #expect(folder.time.milliseconds == 50)
        writer.close()
    }

    @Test("Who has it for longer than that is told by the pid that stands there")
    func heldByWhomever() throws {
        defer { folder.remove() }
        let other = try killedServer()
        other.wait()
        let held = try lock(of: other.pid)
        defer { close(held) }
        let refusal = StoreRefusal.anotherServer(path: folder.files.database, pid: other.pid)
        #expect(throws: refusal) { try folder.writer() }
        #expect(folder.time.milliseconds == StoreBounds.lockMilliseconds)
    }

    /// A server that has ended, and isn't waited for yet.
    private func killedServer() throws -> Child {
        let other = try #require(Child.worker("hold", folder.directory))
        #expect(other.line() == "open")
        other.kill()
        var ended = siginfo_t()
        #expect(waitid(P_PID, id_t(other.pid), &ended, WEXITED | WNOWAIT) == 0)
        return other
    }

    /// Somebody has the lock of the server with that pid, which stands in the file.
    private func lock(of pid: pid_t) throws -> Int32 {
        #expect(readFile(folder.files.lock) == Array("\(pid)\n".utf8))
        let held = open(folder.files.lock, O_RDWR | O_CLOEXEC)
        try #require(flock(held, LOCK_EX | LOCK_NB) == 0)
        return held
    }

    @Test("A lock file that can't be opened: begun in memory, tried again, and what was held is written")
    func unreadable() throws {
        defer { folder.remove() }
        try folder.writer().close()
        unlink(folder.files.lock)
        mkdir(folder.files.lock, 0o700)
        let writer = try folder.writer()
        #expect(writer.state.word == "failing")
        #expect(
            writer.takeNews().map(\.text).joined().contains(
                "kept in memory alone: open \(folder.files.lock): Is a directory"))
        #expect(writer.do(.appLaunched(.sample("a"), toFront: true)) == .held)
        #expect(writer.names == ["a"])
        rmdir(folder.files.lock)
        folder.time.pass(milliseconds: 1000)
        writer.tryAgain()
        #expect(writer.state.word == "ok")
        #expect(writer.takeNews() == [.keptAgain])
        writer.close()
        let next = try folder.writer()
        #expect(next.names == ["a"])
        next.close()
    }

    @Test("What was begun in memory comes after what the database turns out to have: list, launches, runs")
    func late() throws {
        defer { folder.remove() }
        let first = try folder.writer()
        first.note(.appLaunched(.sample("old", launches: 1), toFront: true))
        first.note(.appLaunched(.sample("both", launches: 2), toFront: true))
        first.note(.runBegan(.sample("both", 2)))
        first.close()
        unlink(folder.files.lock)
        mkdir(folder.files.lock, 0o700)
        let writer = try folder.writer()
        #expect(writer.names == [])
        writer.note(.appLaunched(.sample("both", launches: 1), toFront: true))
        writer.note(.runBegan(.sample("both", 1)))
        rmdir(folder.files.lock)
        folder.time.pass(milliseconds: 1000)
        writer.tryAgain()
        #expect(writer.names == ["both", "old"])
        #expect(writer.load().apps[0].launches == 3)
        #expect(writer.do(.runEnded(app: "both", number: 1, .sample)) == .kept)
        #expect(writer.history("both").map(\.number) == [3, 2])
        #expect(writer.history("both").map(\.end) == [.sample, nil])
        writer.close()
    }
}
