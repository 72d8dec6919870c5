import Testing

@testable import CurfewStore

/// A transaction that another process has open for as long as it isn't ended.
private struct OpenTransaction {
    private let child: Child

    init?(_ database: String) {
        let program = """
            import sqlite3, sys
            other = sqlite3.connect(sys.argv[1], isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            other.execute("UPDATE app SET launches = 99")
            print("open", flush=True)
            sys.stdin.read()
            other.execute("ROLLBACK")
            """
        guard let child = Child.python(program, database), child.line() == "open" else { return nil }
        self.child = child
    }

    func end() { child.wait() }
}

@Suite("What can't be kept just now", .timeLimit(.minutes(2)))
struct TroubleTests {
    private static let isolation: Comment = "no process can have mounts of its own here"
    private let folder = Folder()

    @Test("Another's transaction is waited for, for two seconds; then it is busy, and nothing half kept")
    func busy() throws {
        defer { folder.remove() }
        let writer = try folder.writer()
        #expect(writer.do(.appLaunched(.sample("a"), toFront: true)) == .kept)
        let other = try #require(OpenTransaction(folder.files.database))
        let before = folder.time.milliseconds
        let answers = writer.ask(
            .change(.appLaunched(.sample("b"), toFront: true)), .change(.runBegan(.sample("b"))),
            .change(.appRemoved("a")),
            .load)
        #expect(folder.time.milliseconds - before == 2000)
        #expect(Array(answers.prefix(3)) == [.busy, .busy, .busy])
        #expect(writer.names == ["a"])
        #expect(writer.load().apps[0].isRemoved == false)
        #expect(writer.state.word == "ok")
        #expect(writer.takeNews() == [])
        other.end()
        #expect(writer.do(.runBegan(.sample("b"))) == .unknown)
        #expect(writer.do(.appLaunched(.sample("b"), toFront: true)) == .kept)
        #expect(writer.load().apps.map(\.launches) == [1, 1])
        writer.close()
    }

    @Test("What nobody waits for is held meanwhile, and written once that is over")
    func busyNote() throws {
        defer { folder.remove() }
        let writer = try folder.writer()
        writer.note(.appLaunched(.sample("a"), toFront: true))
        writer.note(.runBegan(.sample("a")))
        let other = try #require(OpenTransaction(folder.files.database))
        writer.note(.runEnded(app: "a", number: 1, .sample))
        #expect(writer.state.word == "busy")
        #expect(writer.state.held == 1)
        #expect(writer.takeNews() == [.notKept(.busy)])
        #expect(writer.history("a").map(\.end) == [.sample])
        #expect(writer.do(.appRemoved("a")) == .busy)
        other.end()
        #expect(writer.do(.moveToFront("a")) == .kept)
        #expect(writer.takeNews() == [.keptAgain])
        #expect(writer.state == StoreState())
        writer.close()
        let next = try folder.writer()
        #expect(next.history("a").map(\.end) == [.sample])
        next.close()
    }

    /// What a worker says.
    private func lines(_ child: Child?) throws -> [String] {
        defer { folder.remove() }
        let child = try #require(child)
        let lines = child.lines()
        #expect(child.wait() == 0, "\(lines)")
        return lines
    }

    @Test(
        "A full disk: what isn't written is held, read, and written once there is room",
        .enabled(if: Child.canIsolate, Self.isolation))
    func fullDisk() throws {
        let lines = try lines(Child.isolatedWorker("full", folder.path))
        #expect(
            lines.first?.hasPrefix("news: the task list and runs are kept in memory alone: the disk is full") == true)
        #expect(
            Array(lines.dropFirst()) == [
                "not kept: full, held 3", "still read: true", "before its time: full",
                "news: the task list and runs are written again, with what was held in memory", "all there: true",
                "then: ok, first app2, held 0",
            ])
    }

    @Test("A file that may grow no more")
    func fileLimit() throws {
        let lines = try lines(Child.worker("file-limit", folder.path))
        #expect(lines.first?.contains("kept in memory alone: SQLite: disk I/O error (778)") == true)
        #expect(
            Array(lines.dropFirst()) == [
                "not kept: failing, held 3", "still read: true", "before its time: failing",
                "news: the task list and runs are written again, with what was held in memory", "all there: true",
                "then: ok, first app2, held 0",
            ])
    }

    @Test("A disk that can't be written at the start, and then can", .enabled(if: Child.canIsolate, Self.isolation))
    func readOnly() throws {
        let lines = try lines(Child.isolatedWorker("read-only", folder.path))
        #expect(lines.contains("began with read-only"))
        #expect(lines.contains { $0.contains("create") && $0.contains("Read-only file system") }, "\(lines)")
        #expect(lines.contains("held 3"))
        #expect(lines.last == "then: ok, first app1, held 0")
    }
}
