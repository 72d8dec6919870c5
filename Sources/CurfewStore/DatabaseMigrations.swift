import GRDB

/// The steps by which a database of any earlier version becomes today's. A step that was released never changes.
enum DatabaseMigrations {
    /// "CRFW": says whose file it is. Source: sqlite.org, PRAGMA application_id.
    static let applicationID = 0x4352_4657

    /// Of those that somebody has made. The migrator makes its own before the first step: alone it is left by a server that was ended
    /// just then.
    static let countOfTables = "SELECT count(*) FROM sqlite_master WHERE tbl_name <> 'grdb_migrations'"

    static var all: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1", migrate: first)
        migrator.registerMigration("v2", migrate: second)
        migrator.registerMigration("v3", migrate: third)
        migrator.registerMigration("v4", migrate: fourth)
        migrator.registerMigration("v5", migrate: fifth)
        return migrator
    }

    /// Columns are ordered as people read them: `SELECT *` is for them.
    private static func first(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE app (
                    name TEXT NOT NULL PRIMARY KEY,
                    source TEXT NOT NULL CHECK (source IN ('manifest', 'desktop', 'bare')),
                    words TEXT NOT NULL CHECK (json_valid(words)),
                    directory TEXT,
                    position INTEGER NOT NULL,
                    removed INTEGER NOT NULL CHECK (removed IN (0, 1)),
                    launches INTEGER NOT NULL,
                    restart_pause INTEGER,
                    restart_due INTEGER,
                    restored_ends INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE run (
                    app TEXT NOT NULL REFERENCES app (name) ON DELETE CASCADE,
                    number INTEGER NOT NULL,
                    began INTEGER NOT NULL,
                    ended INTEGER,
                    reason TEXT,
                    status INTEGER,
                    signal INTEGER,
                    cpu INTEGER,
                    peak INTEGER,
                    was_in_front INTEGER NOT NULL CHECK (was_in_front IN (0, 1)),
                    pid INTEGER NOT NULL,
                    PRIMARY KEY (app, number)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX run_by_began ON run (began);
                CREATE TABLE meta (
                    key TEXT NOT NULL PRIMARY KEY,
                    value TEXT NOT NULL
                ) STRICT, WITHOUT ROWID;
                PRAGMA application_id = \(applicationID);
                """)
    }

    /// What is scheduled. Of apps by their names alone: one that has only a manifest has no row.
    private static func second(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE notification (
                    app TEXT NOT NULL,
                    id TEXT NOT NULL,
                    moment INTEGER,
                    civil TEXT,
                    zone TEXT,
                    repetition TEXT,
                    passed INTEGER NOT NULL,
                    content TEXT NOT NULL CHECK (json_valid(content)),
                    PRIMARY KEY (app, id),
                    CHECK ((moment IS NULL) = (civil IS NOT NULL) AND (civil IS NULL) = (zone IS NULL))
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE badge (
                    app TEXT NOT NULL PRIMARY KEY,
                    count INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                """)
    }

    /// How apps fetch, and when those were opened.
    private static func third(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE fetch (
                    app TEXT NOT NULL PRIMARY KEY,
                    interval INTEGER,
                    last INTEGER,
                    fruitless INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE opening (
                    app TEXT NOT NULL,
                    time INTEGER NOT NULL,
                    shown TEXT NOT NULL,
                    PRIMARY KEY (app, time)
                ) STRICT, WITHOUT ROWID;
                """)
    }

    /// Remote notifications.
    private static func fourth(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE push (
                    app TEXT NOT NULL,
                    number INTEGER NOT NULL,
                    received INTEGER NOT NULL,
                    apns_id TEXT,
                    silent INTEGER NOT NULL CHECK (silent IN (0, 1)),
                    delivered INTEGER,
                    payload TEXT NOT NULL,
                    PRIMARY KEY (app, number)
                ) STRICT, WITHOUT ROWID;
                """)
    }

    /// Refresh and processing requests.
    private static func fifth(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE request (
                    app TEXT NOT NULL,
                    id TEXT NOT NULL,
                    kind TEXT NOT NULL,
                    earliest INTEGER,
                    needs_network INTEGER NOT NULL CHECK (needs_network IN (0, 1)),
                    needs_power INTEGER NOT NULL CHECK (needs_power IN (0, 1)),
                    submitted INTEGER NOT NULL,
                    PRIMARY KEY (app, id)
                ) STRICT, WITHOUT ROWID;
                """)
    }
}
