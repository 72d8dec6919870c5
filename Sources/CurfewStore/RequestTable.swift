import GRDB

/// Refresh and processing requests in SQL, in both directions.
enum RequestTable {
    static func write(_ rows: StoreRows, to database: Database) throws {
        for (key, row) in rows.requests {
            if let row {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO request VALUES (?, ?, ?, ?, ?, ?, ?)",
                    arguments: [
                        key.app, key.id, row.kind, row.earliest, row.needsNetwork, row.needsPower, row.submitted,
                    ])
            } else {
                try database.execute(
                    sql: "DELETE FROM request WHERE app = ? AND id = ?", arguments: [key.app, key.id])
            }
        }
    }

    static func all(in database: Database) throws -> [StoredRequest] {
        try Row.fetchAll(database, sql: "SELECT * FROM request").map { row in
            StoredRequest(
                key: StoredRequest.Key(app: try row.decode(forColumn: "app"), id: try row.decode(forColumn: "id")),
                kind: try row.decode(forColumn: "kind"), earliest: try row.decode(forColumn: "earliest"),
                needsNetwork: try row.decode(forColumn: "needs_network"),
                needsPower: try row.decode(forColumn: "needs_power"),
                submitted: try row.decode(forColumn: "submitted"))
        }
    }
}
