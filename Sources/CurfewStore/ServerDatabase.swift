import CCurfew
import CurfewLinux
import GRDB
import Glibc

/// The file `server.sqlite`, open: the one place that speaks to SQLite. Used by one thread only.
///
/// WAL, synchronous=EXTRA: a commit is in the log and on the disk when it returns. docs/adr/0014-server-database.md.
final class ServerDatabase {
    let files: DatabaseFiles
    let queue: DatabaseQueue
    private let inode: UInt64?
    /// Whether the machine has been started anew since a server had it open.
    let isAfterReboot: Bool

    /// Opens or makes it. Whoever calls has the lock.
    init(_ files: DatabaseFiles, clock: StoreClock) throws(DatabaseFault) {
        self.files = files
        (queue, isAfterReboot) = try DatabaseFault.telling {
            try files.prepare()
            try Self.examine(files, clock)
            let queue = try DatabaseQueue(
                path: files.database, configuration: Self.configuration(clock, readonly: false))
            return (queue, try Self.setUp(queue))
        }
        inode = files.inode
    }

    /// Is it ours, of our time, and sound? Nothing is changed by it, but for what was left to be rolled back.
    ///
    /// Whoever had it open and was ended amid a commit has left it to be rolled back by the next one that looks, where there
    /// is no log or before there was one; that one has to be able to write. The journal tells of it, and not a read-only try
    /// that fails: a queue that can't be opened isn't closed as `close` does it.
    private static func examine(_ files: DatabaseFiles, _ clock: StoreClock) throws {
        let configuration = configuration(clock, readonly: !files.hasJournal)
        let queue = try DatabaseQueue(path: files.database, configuration: configuration)
        defer { close(queue) }
        try queue.inDatabase { database in
            let id = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
            let isEmpty = try Int.fetchOne(database, sql: DatabaseMigrations.countOfTables) == 0
            guard id == DatabaseMigrations.applicationID || id == 0 && isEmpty else {
                throw DatabaseFault.refused(.foreign(path: files.database))
            }
            if try DatabaseMigrations.all.hasBeenSuperseded(database) {
                throw DatabaseFault.refused(.newer(path: files.database))
            }
            // What constraints say of each row was so when it was written.
            try database.execute(sql: "PRAGMA ignore_check_constraints = ON")
            let found = try String.fetchOne(database, sql: "PRAGMA quick_check(1)") ?? "nothing can be read"
            guard found == "ok" else { throw DatabaseFault.damaged(found) }
        }
    }

    private static func configuration(_ clock: StoreClock, readonly: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.label = "CurfewStore"
        configuration.readonly = readonly
        configuration.busyMode = .callback { clock.waitsAgain(after: $0) }
        // Of thousands of apps 2 MiB would be kept otherwise, for rows that are written and hardly ever read.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = EXTRA; PRAGMA cache_size = -256") }
        return configuration
    }

    private static func setUp(_ queue: DatabaseQueue) throws -> Bool {
        try queue.inDatabase { database in
            // Where the file system has no shared memory it stays a rollback journal, for which EXTRA is meant.
            _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
            _ = try Int.fetchOne(database, sql: "PRAGMA journal_size_limit = 4194304")
        }
        try DatabaseMigrations.all.migrate(queue)
        return try queue.inDatabase { database in
            let boot = bootID()
            let last = try DatabaseTables.meta("boot", in: database)
            if last != boot {
                try database.inTransaction(.immediate) {
                    try DatabaseTables.setMeta("boot", to: boot, in: database)
                    return .commit
                }
            }
            return last != nil && last != boot
        }
    }

    /// Source: random(4), /proc/sys/kernel/random/boot_id.
    private static func bootID() -> String {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = curfew_read_file_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id", &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, Int(count))).prefix { $0 != 10 }, as: UTF8.self)
    }

    func close() { Self.close(queue) }

    /// It stays in memory, some hundred bytes: with the last reference to it libdispatch would start a thread to clean up after it,
    /// and from then on wake up each second, for ever, to look after its threads. A server of apps that are all suspended sleeps.
    ///
    /// Source: swift-corelibs-libdispatch, src/queue.c, _dispatch_queue_specific_head_dispose; src/event/workqueue.c.
    private static func close(_ queue: DatabaseQueue) {
        try? queue.close()
        _ = Unmanaged.passRetained(queue)
    }

    func load() throws(DatabaseFault) -> DatabaseTables.All {
        try DatabaseFault.telling { try queue.inDatabase { try DatabaseTables.all(in: $0) } }
    }

    /// All of it or nothing; on the disk when this returns.
    func write(_ rows: StoreRows) throws(DatabaseFault) {
        guard files.inode == inode else { throw .differs("\(files.database) was taken away or replaced") }
        try DatabaseFault.telling {
            try queue.inDatabase { database in
                try database.inTransaction(.immediate) {
                    try DatabaseTables.write(rows, to: database)
                    return .commit
                }
            }
        }
    }

    /// Nil where there is none.
    func push(_ app: String, _ number: Int) throws(DatabaseFault) -> StoredPush? {
        try DatabaseFault.telling { try queue.inDatabase { try PushTable.push(app, number, in: $0) } }
    }

    /// The latest first.
    func history(of app: String?, limit: Int) throws(DatabaseFault) -> [StoredRun] {
        try DatabaseFault.telling {
            try queue.inDatabase { try DatabaseTables.history(of: app, limit: limit, in: $0) }
        }
    }
}
