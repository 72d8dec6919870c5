import CurfewLinux
import GRDB
import Testing

@testable import CurfewStore

@Suite("Databases of each version")
struct MigrationTests {
    private let folder = Folder()

    /// Tables and indexes as SQLite has them.
    static func schema(of path: String) throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.inDatabase {
            try String.fetchAll(
                $0, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'grdb%' ORDER BY rowid")
        }
    }

    private func make(_ sql: String) throws {
        try folder.files.prepare()
        let queue = try DatabaseQueue(path: folder.files.database)
        try queue.inDatabase { try $0.execute(sql: sql) }
        try queue.close()
    }

    @Test("A new one is its owner's alone, and so is what is beside it")
    func modes() throws {
        defer { folder.remove() }
        let writer = try folder.writer()
        #expect(writer.do(.appLaunched(.sample("a"), toFront: true)) == .kept)
        #expect(folder.mode(folder.directory) == 0o700)
        #expect(folder.names == ["server.sqlite", "server.sqlite-shm", "server.sqlite-wal", "server.sqlite.lock"])
        for name in folder.names { #expect(folder.mode(folder.directory + "/" + name) == 0o600, "\(name)") }
        #expect(writer.state.word == "ok")
        writer.close()
        #expect(folder.names == ["server.sqlite", "server.sqlite.lock"])
    }

    @Test("A commit is written through to the disk, into a log that readers don't hold up")
    func durable() throws {
        defer { folder.remove() }
        let database = try ServerDatabase(folder.files, clock: folder.time.clock)
        defer { database.close() }
        let settings = try database.queue.inDatabase { database in
            try ["journal_mode", "synchronous", "foreign_keys"].map { name in
                try String.fetchOne(database, sql: "PRAGMA \(name)")
            }
        }
        // 3 is EXTRA, which is what FULL is with a log. Source: sqlite.org, PRAGMA synchronous.
        #expect(settings == ["wal", "3", "1"])
    }

    @Test("Each earlier version's becomes today's, with all that was in it", arguments: ["v1", "v2", "v3", "v4", "v5"])
    func earlier(version: String) throws {
        defer { folder.remove() }
        let fixture = String(
            decoding: readFile("\(#filePath)".replacing("MigrationTests.swift", with: "Fixtures/\(version).sql")),
            as: UTF8.self)
        try make(fixture)
        let writer = try folder.writer()
        defer { writer.close() }
        #expect(writer.takeNews() == [])
        let server = writer.load()
        #expect(server.apps.map(\.name) == ["mail", "backup"])
        #expect(server.apps.map(\.source) == [.manifest, .bare])
        #expect(server.apps[0].command == ["/usr/bin/mail", "--sync"])
        #expect(server.apps[1].options == ["--budget", "10m"])
        #expect(server.apps[1].isRemoved)
        #expect(server.apps[1].directory == "/srv")
        #expect(server.isAfterReboot)
        #expect(server.lastRuns["mail"]?.end == nil)
        let end = StoredRun.End(
            ended: 1_700_000_060_000_000, reason: "memory-limit", signal: 9, cpu: 1_500_000, peak: 104_857_600)
        #expect(server.lastRuns["backup"]?.end == end)
        if version != "v1" {
            #expect(
                server.notifications == [
                    "mail": [.sample("mail", "n1", passed: 1)], "news": [.sample("news", "n2", passed: 2)],
                ])
            #expect(server.badges == ["mail": 3])
        }
        if ["v3", "v4", "v5"].contains(version) {
            #expect(
                server.fetches == [
                    StoredFetch(app: "mail", interval: 3_600_000_000, last: 1_800_000_000_000_000, fruitless: 2),
                    StoredFetch(app: "news", interval: nil, last: nil, fruitless: 0),
                ])
            #expect(
                server.openings == [
                    StoredOpening(app: "mail", time: 1_700_000_000_000_000, shown: "2023-11-14T23:13:20")
                ])
        }
        if ["v4", "v5"].contains(version) {
            let pushes = server.pushes
            #expect(pushes.map(\.number) == [1, 2])
            #expect(pushes.map(\.payload) == ["", "{\"aps\":{\"alert\":\"a\"}}"])
            #expect(pushes.map(\.apnsID) == ["7f3a", nil])
            #expect(pushes.map(\.delivered) == [1_700_000_000_000_001, nil])
            #expect(pushes.map(\.isSilent) == [true, false])
        }
        if version == "v5" {
            #expect(
                server.requests == [
                    StoredRequest(
                        key: StoredRequest.Key(app: "backup", id: "nightly"), kind: "processing",
                        earliest: 1_800_000_000_000_000, needsNetwork: true, needsPower: true,
                        submitted: 1_700_000_000_000_000),
                    StoredRequest(
                        key: StoredRequest.Key(app: "mail", id: "inbox"), kind: "refresh",
                        submitted: 1_700_000_000_000_001),
                ])
        }
        let new = Folder()
        defer { new.remove() }
        try new.writer().close()
        #expect(try Self.schema(of: folder.files.database) == Self.schema(of: new.files.database))
    }

    @Test("A newer version's is refused, and stays as it is")
    func newer() throws {
        defer { folder.remove() }
        try folder.writer().close()
        try make("INSERT INTO grdb_migrations VALUES ('v99')")
        let before = readFile(folder.files.database)
        #expect(throws: StoreRefusal.newer(path: folder.files.database)) { try folder.writer() }
        #expect(readFile(folder.files.database) == before)
        #expect(folder.names.contains("server.sqlite"))
        #expect(!folder.names.contains { $0.contains("damaged") })
    }

    @Test("Another program's is refused, and stays as it is")
    func foreign() throws {
        defer { folder.remove() }
        try make("CREATE TABLE bookmark (url TEXT)")
        let before = readFile(folder.files.database)
        #expect(throws: StoreRefusal.foreign(path: folder.files.database)) { try folder.writer() }
        #expect(readFile(folder.files.database) == before)
    }

    @Test("docs/server-database.md has the schema")
    func document() throws {
        defer { folder.remove() }
        try folder.writer().close()
        let path = "\(#filePath)".replacing(
            "Tests/CurfewStoreTests/MigrationTests.swift", with: "docs/server-database.md")
        let text = String(decoding: readFile(path), as: UTF8.self)
        let block = try #require(text.split(separator: "```sql\n").dropFirst().first?.split(separator: "```").first)
        let schema = try Self.schema(of: folder.files.database)
        #expect(block == schema.map { $0 + ";\n" }.joined())
        let queue = try DatabaseQueue(path: folder.files.database)
        defer { try? queue.close() }
        for table in ["app", "run", "meta", "notification", "badge", "fetch", "opening", "push", "request"] {
            for column in try queue.inDatabase({ try $0.columns(in: table).map(\.name) }) {
                #expect(text.contains("`\(column)`"), "\(table).\(column)")
            }
        }
    }
}
