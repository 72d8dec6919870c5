import GRDB

/// Rows of what is scheduled in SQL, in both directions.
enum ScheduleTables {
    static func write(_ rows: StoreRows, to database: Database) throws {
        try writeFetches(rows, to: database)
        try PushTable.write(rows, to: database)
        try RequestTable.write(rows, to: database)
        for (key, row) in rows.notifications {
            if let row {
                try database.cachedStatement(sql: notificationSQL).execute(arguments: arguments(of: row))
            } else {
                try database.cachedStatement(sql: "DELETE FROM notification WHERE app = ? AND id = ?")
                    .execute(arguments: [key.app, key.id])
            }
        }
        for (app, count) in rows.badges {
            if count == 0 {
                try database.execute(sql: "DELETE FROM badge WHERE app = ?", arguments: [app])
            } else {
                try database.execute(
                    sql: "INSERT INTO badge VALUES (?, ?) ON CONFLICT (app) DO UPDATE SET count = excluded.count",
                    arguments: [app, count])
            }
        }
    }

    private static func writeFetches(_ rows: StoreRows, to database: Database) throws {
        for app in rows.deletedApps {
            try database.execute(sql: "DELETE FROM fetch WHERE app = ?", arguments: [app])
            try database.execute(sql: "DELETE FROM opening WHERE app = ?", arguments: [app])
        }
        for fetch in rows.fetches.values {
            try database.execute(
                sql: """
                    INSERT INTO fetch VALUES (?, ?, ?, ?) ON CONFLICT (app) DO UPDATE SET
                        interval = excluded.interval, last = excluded.last, fruitless = excluded.fruitless
                    """,
                arguments: [fetch.app, fetch.interval, fetch.last, fetch.fruitless])
        }
        for opening in rows.openings {
            try database.execute(
                sql: "INSERT OR REPLACE INTO opening VALUES (?, ?, ?)",
                arguments: [opening.app, opening.time, opening.shown])
            try database.execute(
                sql: "DELETE FROM opening WHERE app = ? AND time < ?",
                arguments: [opening.app, opening.time - StoreBounds.openingsMemory])
        }
    }

    static func fetches(in database: Database) throws -> [StoredFetch] {
        try Row.fetchAll(database, sql: "SELECT * FROM fetch ORDER BY app").map { row in
            StoredFetch(
                app: try row.decode(forColumn: "app"), interval: try row.decode(forColumn: "interval"),
                last: try row.decode(forColumn: "last"), fruitless: try row.decode(forColumn: "fruitless"))
        }
    }

    static func openings(in database: Database) throws -> [StoredOpening] {
        try Row.fetchAll(database, sql: "SELECT * FROM opening ORDER BY time, app").map { row in
            StoredOpening(
                app: try row.decode(forColumn: "app"), time: try row.decode(forColumn: "time"),
                shown: try row.decode(forColumn: "shown"))
        }
    }

    /// By app.
    static func notifications(in database: Database) throws -> [String: [StoredNotification]] {
        // There can be ten thousand: one row is read after the other, by the places of its columns, and those of an app follow
        // each other.
        let rows = try Row.fetchCursor(
            database,
            sql: "SELECT app, id, moment, civil, zone, repetition, passed, content FROM notification ORDER BY app")
        var found: [String: [StoredNotification]] = [:]
        var (app, ofApp): (String, [StoredNotification]) = ("", [])
        while let row = try rows.next() {
            let next: String = try row.decode(atIndex: 0)
            if next != app {
                if !ofApp.isEmpty { found[app] = ofApp }
                (app, ofApp) = (next, [])
            }
            ofApp.append(try notification(of: row, app))
        }
        if !ofApp.isEmpty { found[app] = ofApp }
        return found
    }

    static func badges(in database: Database) throws -> [String: Int] {
        let rows = try Row.fetchAll(database, sql: "SELECT * FROM badge")
        return try rows.reduce(into: [:]) { badges, row in
            badges[try row.decode(forColumn: "app")] = try row.decode(Int.self, forColumn: "count")
        }
    }

    private static let notificationSQL = """
        INSERT INTO notification VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (app, id) DO UPDATE SET
            moment = excluded.moment, civil = excluded.civil, zone = excluded.zone, repetition = excluded.repetition,
            passed = excluded.passed, content = excluded.content
        """

    private static func arguments(of row: StoredNotification) -> StatementArguments {
        [
            row.key.app, row.key.id, row.moment, row.civil, row.zone, row.repetition, row.passed, row.content,
        ]
    }

    private static func notification(of row: Row, _ app: String) throws -> StoredNotification {
        StoredNotification(
            key: StoredNotification.Key(app: app, id: try row.decode(atIndex: 1)),
            moment: try row.decode(atIndex: 2), civil: try row.decode(atIndex: 3), zone: try row.decode(atIndex: 4),
            repetition: try row.decode(atIndex: 5), passed: try row.decode(atIndex: 6),
            content: try row.decode(atIndex: 7))
    }
}
