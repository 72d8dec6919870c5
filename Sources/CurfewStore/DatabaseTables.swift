import CurfewLinux
import CurfewWire
import GRDB

/// Rows in SQL, in both directions.
enum DatabaseTables {
    /// A value that no server has written: somebody else has, or the file is damaged.
    struct Unreadable: Error { var what: String }

    /// What a server has in memory.
    struct All: Sendable, Equatable {
        var apps: [StoredApp] = []
        var lastRuns: [StoredRun] = []
        /// By app.
        var notifications: [String: [StoredNotification]] = [:]
        var badges: [String: Int] = [:]
        var fetches: [StoredFetch] = []
        /// The oldest first.
        var openings: [StoredOpening] = []
        /// In the order of their numbers.
        var pushes: [StoredPush] = []
        var requests: [StoredRequest] = []
    }

    static func all(in database: Database) throws -> All {
        All(
            apps: try apps(in: database), lastRuns: try lastRuns(in: database),
            notifications: try ScheduleTables.notifications(in: database),
            badges: try ScheduleTables.badges(in: database), fetches: try ScheduleTables.fetches(in: database),
            openings: try ScheduleTables.openings(in: database), pushes: try PushTable.all(in: database),
            requests: try RequestTable.all(in: database))
    }

    static func write(_ rows: StoreRows, to database: Database) throws {
        for name in rows.deletedApps { try database.execute(sql: "DELETE FROM app WHERE name = ?", arguments: [name]) }
        let app = try database.cachedStatement(sql: appSQL)
        for row in rows.apps.values { try app.execute(arguments: arguments(of: row)) }
        let run = try database.cachedStatement(sql: runSQL)
        for row in rows.runs.values { try run.execute(arguments: arguments(of: row)) }
        if rows.prunesRuns { try prune(database) }
        try ScheduleTables.write(rows, to: database)
    }

    static func apps(in database: Database) throws -> [StoredApp] {
        try Row.fetchAll(database, sql: "SELECT * FROM app").map(app(of:))
    }

    static func lastRuns(in database: Database) throws -> [StoredRun] {
        try Row.fetchAll(
            database, sql: "SELECT * FROM run AS r WHERE number = (SELECT max(number) FROM run WHERE app = r.app)"
        ).map(run(of:))
    }

    /// The latest first.
    static func history(of app: String?, limit: Int, in database: Database) throws -> [StoredRun] {
        let rows =
            if let app {
                try Row.fetchAll(
                    database, sql: "SELECT * FROM run WHERE app = ? ORDER BY number DESC LIMIT ?",
                    arguments: [app, limit])
            } else {
                try Row.fetchAll(
                    database, sql: "SELECT * FROM run ORDER BY began DESC, app, number DESC LIMIT ?", arguments: [limit]
                )
            }
        return try rows.map(run(of:))
    }

    static func meta(_ key: String, in database: Database) throws -> String? {
        try String.fetchOne(database, sql: "SELECT value FROM meta WHERE key = ?", arguments: [key])
    }

    static func setMeta(_ key: String, to value: String, in database: Database) throws {
        try database.execute(
            sql: "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            arguments: [key, value])
    }

    private static func prune(_ database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM run WHERE number <= (SELECT max(number) FROM run AS r WHERE r.app = run.app) - ?;
                DELETE FROM run WHERE began < (SELECT began FROM run ORDER BY began DESC LIMIT 1 OFFSET ?);
                """,
            arguments: [StoreBounds.runsOfAnApp, StoreBounds.runs - 1])
    }

    private static let appSQL = """
        INSERT INTO app VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET
            source = excluded.source, words = excluded.words, directory = excluded.directory, position = excluded.position,
            removed = excluded.removed, launches = excluded.launches, restart_pause = excluded.restart_pause,
            restart_due = excluded.restart_due, restored_ends = excluded.restored_ends
        """

    private static func arguments(of app: StoredApp) -> StatementArguments {
        [
            app.name, app.source.rawValue, words(of: app), app.directory?.exactText, app.position, app.isRemoved,
            app.launches,
            app.restartPause, app.restartDue, app.restoredEnds,
        ]
    }

    private static func words(of app: StoredApp) -> String {
        var members: [(key: String, value: JSON)] = [
            (key: "command", value: .array(app.command.map(json))),
            (key: "options", value: .array(app.options.map(JSON.string))),
        ]
        // SQLite's text is UTF-8.
        if let directory = app.directory, directory.exactText == nil {
            members.append((key: "directory", value: json(directory)))
        }
        return JSON.object(members).text
    }

    /// A string, or of a word that isn't UTF-8 an object with its bytes.
    private static func json(_ word: ByteString) -> JSON {
        word.exactText.map { .string($0) } ?? .object([("hex", .string(hexadecimal(word)))])
    }

    private static func hexadecimal(_ word: ByteString) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: word.bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Nil for what isn't a word.
    private static func word(_ value: JSON) -> ByteString? {
        if case .string(let text) = value { return ByteString(text) }
        guard case .string(let text)? = value["hex"], text.utf8.count.isMultiple(of: 2) else { return nil }
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue ?? -1 }
        if digits.contains(-1) { return nil }
        return ByteString(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }

    private static func words(_ value: JSON?) -> [ByteString]? {
        guard case .array(let values) = value else { return nil }
        let words = values.compactMap(word)
        return words.count == values.count ? words : nil
    }

    private static func app(of row: Row) throws -> StoredApp {
        let name: String = try row.decode(forColumn: "name")
        guard let source = StoredApp.Source(rawValue: try row.decode(forColumn: "source")) else {
            throw Unreadable(what: "the app \(name) has an unknown source")
        }
        let text: String = try row.decode(forColumn: "words")
        guard let words = try? JSON.parse(text), let command = self.words(words["command"]),
            let options = strings(words["options"])
        else { throw Unreadable(what: "the words of the app \(name) aren't lists of strings") }
        let directory: String? = try row.decode(forColumn: "directory")
        var app = StoredApp(
            name: name, source: source, command: command, options: options,
            directory: directory.map { ByteString($0) } ?? words["directory"].flatMap(word),
            isRemoved: try row.decode(forColumn: "removed"), launches: try row.decode(forColumn: "launches"),
            restartPause: try row.decode(forColumn: "restart_pause"),
            restartDue: try row.decode(forColumn: "restart_due"),
            restoredEnds: try row.decode(forColumn: "restored_ends"))
        app.position = try row.decode(forColumn: "position")
        return app
    }

    static func strings(_ value: JSON?) -> [String]? {
        guard case .array(let values) = value else { return nil }
        let strings = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        return strings.count == values.count ? strings : nil
    }

    private static let runSQL = """
        INSERT INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (app, number) DO UPDATE SET
            began = excluded.began, ended = excluded.ended, reason = excluded.reason, status = excluded.status,
            signal = excluded.signal, cpu = excluded.cpu, peak = excluded.peak, was_in_front = excluded.was_in_front,
            pid = excluded.pid
        """

    private static func arguments(of run: StoredRun) -> StatementArguments {
        [
            run.app, run.number, run.began, run.end?.ended, run.end?.reason, run.end?.status, run.end?.signal,
            run.end?.cpu,
            run.end?.peak, run.wasInFront, run.pid,
        ]
    }

    private static func run(of row: Row) throws -> StoredRun {
        var run = StoredRun(
            app: try row.decode(forColumn: "app"), number: try row.decode(forColumn: "number"),
            began: try row.decode(forColumn: "began"), pid: try row.decode(forColumn: "pid"),
            wasInFront: try row.decode(forColumn: "was_in_front"))
        let ended: Int64? = try row.decode(forColumn: "ended")
        if let ended {
            run.end = StoredRun.End(
                ended: ended, reason: try row.decode(String?.self, forColumn: "reason") ?? "",
                status: try row.decode(forColumn: "status"), signal: try row.decode(forColumn: "signal"),
                cpu: try row.decode(forColumn: "cpu"), peak: try row.decode(forColumn: "peak"))
        }
        return run
    }
}
