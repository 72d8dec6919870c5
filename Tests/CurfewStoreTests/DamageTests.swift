import Glibc
import Testing

@testable import CurfewStore

@Suite("A damaged database")
struct DamageTests {
    private let folder = Folder()

    /// Ten apps with ten runs each, closed.
    private func fill() throws {
        let writer = try folder.writer()
        for app in 0..<10 {
            writer.note(.appLaunched(.sample("app\(app)", launches: 10), toFront: true))
            for run in 1...10 { writer.note(.runBegan(.sample("app\(app)", run))) }
        }
        writer.close()
    }

    private func damage(_ change: (inout [UInt8]) -> Void) {
        var bytes = readFile(folder.files.database)
        change(&bytes)
        writeFile(folder.files.database, bytes)
    }

    private static let kinds: [(String, @Sendable (inout [UInt8]) -> Void)] = [
        ("cut in the middle of a page", { $0.removeLast($0.count / 2 + 100) }),
        ("cut to a few bytes", { $0 = Array($0.prefix(40)) }),
        ("a header of rubbish", { for index in 0..<100 { $0[index] = UInt8(index ^ 0x5a) } }),
        ("a page of zeros", { for index in 4096..<8192 { $0[index] = 0 } }),
        ("a page's kind", { $0[4096] ^= 0xff }),
        ("text", { $0 = Array("not a database, whatever it is called\n".utf8) }),
    ]

    @Test("It is moved aside, a new one is begun, and that is told", arguments: kinds.indices)
    func atStart(kind: Int) throws {
        defer { folder.remove() }
        try fill()
        damage(Self.kinds[kind].1)
        let bytes = readFile(folder.files.database)
        let writer = try folder.writer()
        let aside = folder.files.database + ".damaged-20010909T014640Z"
        let news = writer.takeNews()
        #expect(news.count == 1, "\(Self.kinds[kind].0)")
        guard case .damaged(_, let path) = news.first else { return #expect(Bool(false), "\(news)") }
        #expect(path == aside)
        #expect(readFile(aside) == bytes)
        #expect(writer.state.word == "damaged")
        #expect(writer.names == [])
        #expect(writer.do(.appLaunched(.sample("new"), toFront: true)) == .kept)
        writer.close()
        let next = try folder.writer()
        #expect(next.names == ["new"])
        #expect(next.state.word == "ok")
        next.close()
    }

    @Test("A byte that was flipped anywhere ends nobody: it is told of, or what can be read is read", arguments: 0..<12)
    func flipped(seed: UInt64) throws {
        defer { folder.remove() }
        try fill()
        let whole = readFile(folder.files.database)
        var random = SplitMix64(seed: seed)
        for _ in 0..<8 {
            writeFile(folder.files.database, whole)
            let place = random.below(whole.count)
            damage { $0[place] ^= UInt8(1 << random.below(8)) }
            do throws(StoreRefusal) {
                let writer = try folder.writer()
                let isTold = writer.state.movedAside != nil
                #expect(writer.do(.appLaunched(.sample("new"), toFront: true)) == .kept, "byte \(place)")
                #expect(writer.names.first == "new", "byte \(place)")
                #expect(isTold || writer.state.movedAside != nil || writer.names.count == 11, "byte \(place)")
                writer.close()
            } catch {
                // The header's application_id, or the name of a migration.
                #expect(error == .foreign(path: folder.files.database) || error == .newer(path: folder.files.database))
            }
        }
    }

    /// As another process may: it commits something, so that SQLite reads anew, and then writes rubbish over all pages but the first.
    private func damageFromOutside() throws {
        let program = """
            import sqlite3, sys
            other = sqlite3.connect(sys.argv[1], isolation_level=None)
            other.execute("INSERT INTO meta VALUES ('other', '1') ON CONFLICT DO UPDATE SET value = value + 1")
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            with open(sys.argv[1], "r+b") as file:
                size = file.seek(0, 2)
                file.seek(4096)
                file.write(b"\\xa5" * (size - 4096))
            print("damaged", flush=True)
            """
        let child = try #require(Child.python(program, folder.files.database))
        #expect(child.line() == "damaged")
        // It ends without closing: it would write its pages then.
        child.kill()
        child.wait()
    }

    @Test("Found while it runs: the next one has every app and its latest run")
    func whileRunning() throws {
        defer { folder.remove() }
        try fill()
        let writer = try folder.writer()
        try damageFromOutside()
        #expect(writer.do(.moveToFront("app3")) == .kept)
        #expect(writer.state.word == "damaged")
        #expect(writer.takeNews().count == 1)
        #expect(writer.do(.runEnded(app: "app4", number: 10, .sample)) == .kept)
        writer.close()
        let next = try folder.writer()
        #expect(next.names == ["app3"] + [9, 8, 7, 6, 5, 4, 2, 1, 0].map { "app\($0)" })
        #expect(next.history().count == 10)
        #expect(next.history("app4").map(\.end) == [.sample])
        next.close()
    }

    @Test("Found by a read: that one fails, the next doesn't")
    func byReading() throws {
        defer { folder.remove() }
        try fill()
        let writer = try folder.writer()
        defer { writer.close() }
        try damageFromOutside()
        guard case .unreadable = writer.ask(.history(app: "app1", limit: 5))[0] else {
            return #expect(Bool(false), "it was read: \(writer.history("app1"))")
        }
        #expect(writer.history("app1", limit: 5).map(\.number) == [10])
    }

    @Test("With the fourth it isn't the file that is at fault: what is to be kept is held, and that is said")
    func again() throws {
        defer { folder.remove() }
        try fill()
        let writer = try folder.writer()
        defer { writer.close() }
        for _ in 0..<3 {
            try damageFromOutside()
            #expect(writer.do(.moveToFront("app3")) == .kept)
        }
        #expect(folder.names.filter { $0.hasSuffix("20010909T014640Z-3") }.count == 1)
        try damageFromOutside()
        #expect(writer.do(.moveToFront("app5")) == .held)
        #expect(writer.state.word == "failing")
        #expect(writer.names.first == "app5")
        #expect(writer.names.count == 10)
    }

    @Test("Taken away while it runs: made anew, with every app")
    func takenAway() throws {
        defer { folder.remove() }
        try fill()
        let writer = try folder.writer()
        for name in folder.names where !name.hasSuffix(".lock") { unlink(folder.directory + "/" + name) }
        #expect(writer.do(.moveToFront("app3")) == .kept)
        writer.close()
        let next = try folder.writer()
        #expect(next.names.count == 10)
        #expect(next.names.first == "app3")
        next.close()
    }

    @Test("What somebody else deleted is written again, with what belongs to it")
    func deleted() throws {
        defer { folder.remove() }
        try fill()
        let writer = try folder.writer()
        let child = try #require(Child(["sqlite3", folder.files.database, "DELETE FROM app"]))
        #expect(child.wait() == 0)
        #expect(writer.do(.runBegan(.sample("app3", 11))) == .kept)
        writer.close()
        let next = try folder.writer()
        #expect(next.names.count == 10)
        #expect(next.lastRuns("app3") == 11)
        next.close()
    }
}

extension StoreWriter {
    fileprivate func lastRuns(_ app: String) -> Int? { load().lastRuns[app]?.number }
}
