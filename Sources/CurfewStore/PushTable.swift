import GRDB

/// Remote notifications in SQL, in both directions.
enum PushTable {
    static func write(_ rows: StoreRows, to database: Database) throws {
        for push in rows.pushes.values.sorted(by: { $0.number < $1.number }) {
            try database.execute(
                sql: "INSERT OR REPLACE INTO push VALUES (?, ?, ?, ?, ?, ?, ?)",
                arguments: [
                    push.app, push.number, push.received, push.apnsID, push.isSilent, push.delivered, push.payload,
                ])
            try database.execute(
                sql: """
                    DELETE FROM push WHERE app = ? AND number <=
                        (SELECT number FROM push WHERE app = ? ORDER BY number DESC LIMIT 1 OFFSET ?)
                    """,
                arguments: [push.app, push.app, StoreBounds.pushesOfAnApp])
        }
        for (key, time) in rows.deliveries {
            try database.execute(
                sql: "UPDATE push SET delivered = ? WHERE app = ? AND number = ?",
                arguments: [time, key.app, key.number])
        }
        for app in rows.deletedApps { try database.execute(sql: "DELETE FROM push WHERE app = ?", arguments: [app]) }
    }

    /// In the order of their numbers. Of what was delivered without its payload: thousands would be held for nothing.
    static func all(in database: Database) throws -> [StoredPush] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT app, number, received, apns_id, silent, delivered,
                    iif(delivered IS NULL, payload, '') AS payload FROM push ORDER BY number
                """
        ).map(push(of:))
    }

    static func push(_ app: String, _ number: Int, in database: Database) throws -> StoredPush? {
        try Row.fetchOne(
            database, sql: "SELECT * FROM push WHERE app = ? AND number = ?", arguments: [app, number]
        ).map(push(of:))
    }

    private static func push(of row: Row) throws -> StoredPush {
        StoredPush(
            app: try row.decode(forColumn: "app"), number: try row.decode(forColumn: "number"),
            received: try row.decode(forColumn: "received"), apnsID: try row.decode(forColumn: "apns_id"),
            isSilent: try row.decode(forColumn: "silent"), delivered: try row.decode(forColumn: "delivered"),
            payload: try row.decode(forColumn: "payload"))
    }
}
