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
        #expect(throws: StoreRefusal.anotherServer(path: folder.files.database, pid: other.pid)) { try folder.keeper() }
        other.endInput()
        #expect(other.wait() == 0)
        let keeper = try folder.keeper()
        let third = try #require(Child.worker("hold", folder.directory))
        #expect(third.line()?.contains("another server, pid \(getpid())") == true)
        #expect(third.wait() == 1 << 8)
        keeper.close()
    }

    @Test("One that was killed holds nothing")
    func killed() throws {
        defer { folder.remove() }
        let other = try #require(Child.worker("hold", folder.directory))
        #expect(other.line() == "open")
        other.kill()
        other.wait()
        try folder.keeper().close()
    }

    @Test("A lock file that can't be opened: begun in memory, tried again, and what was held is written")
    func unreadable() throws {
        defer { folder.remove() }
        try folder.keeper().close()
        unlink(folder.files.lock)
        mkdir(folder.files.lock, 0o700)
        let keeper = try folder.keeper()
        #expect(keeper.state.word == "failing")
        #expect(
            keeper.takeNews().map(\.text).joined().contains(
                "kept in memory alone: open \(folder.files.lock): Is a directory"))
        #expect(keeper.do(.appLaunched(.sample("a"), toFront: true)) == .held)
        #expect(keeper.names == ["a"])
        rmdir(folder.files.lock)
        folder.time.pass(milliseconds: 1000)
        keeper.tryAgain()
        #expect(keeper.state.word == "ok")
        #expect(keeper.takeNews() == [.keptAgain])
        keeper.close()
        let next = try folder.keeper()
        #expect(next.names == ["a"])
        next.close()
    }

    @Test("What was begun in memory comes after what the database turns out to have: list, launches, runs")
    func late() throws {
        defer { folder.remove() }
        let first = try folder.keeper()
        first.note(.appLaunched(.sample("old", launches: 1), toFront: true))
        first.note(.appLaunched(.sample("both", launches: 2), toFront: true))
        first.note(.runBegan(.sample("both", 2)))
        first.close()
        unlink(folder.files.lock)
        mkdir(folder.files.lock, 0o700)
        let keeper = try folder.keeper()
        #expect(keeper.names == [])
        keeper.note(.appLaunched(.sample("both", launches: 1), toFront: true))
        keeper.note(.runBegan(.sample("both", 1)))
        rmdir(folder.files.lock)
        folder.time.pass(milliseconds: 1000)
        keeper.tryAgain()
        #expect(keeper.names == ["both", "old"])
        #expect(keeper.load().apps[0].launches == 3)
        #expect(keeper.do(.runEnded(app: "both", number: 1, .sample)) == .kept)
        #expect(keeper.history("both").map(\.number) == [3, 2])
        #expect(keeper.history("both").map(\.end) == [.sample, nil])
        keeper.close()
    }
}
