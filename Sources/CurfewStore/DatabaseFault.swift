import CurfewLinux
import GRDB
import Glibc

/// What went wrong with the database, by what follows from it.
enum DatabaseFault: Error, Equatable {
    /// Tried again later; nothing was kept.
    case trouble(StoreTrouble)
    /// What was read can't be: moved aside, a new one begun.
    case damaged(String)
    /// It isn't as it was when it was last looked at: somebody else has changed it, or put another in its place.
    case differs(String)
    case refused(StoreRefusal)

    /// What `body` throws, in these words.
    static func telling<Result>(_ body: () throws -> Result) throws(DatabaseFault) -> Result {
        do {
            return try body()
        } catch let error as DatabaseFault {
            throw error
        } catch let error as DatabaseError {
            throw DatabaseFault(error)
        } catch let error as DatabaseTables.Unreadable {
            throw .damaged(error.what)
        } catch let error as RowDecodingError {
            throw .damaged("a row can't be read: \(error)")
        } catch let error as KernelError {
            throw DatabaseFault(error)
        } catch {
            throw .trouble(.failing("\(error)"))
        }
    }

    /// Source: sqlite.org/rescode.html. EDQUOT and EFBIG come as SQLITE_IOERR_WRITE: src/os_unix.c, unixWrite().
    private init(_ error: DatabaseError) {
        let text = error.message ?? "\(error.extendedResultCode)"
        switch (error.resultCode, error.extendedResultCode) {
        case (.SQLITE_BUSY, _), (.SQLITE_LOCKED, _): self = .trouble(.busy)
        // SQLITE_ERROR: our statements are right, so its tables aren't as the migrations make them.
        case (.SQLITE_CORRUPT, _), (.SQLITE_NOTADB, _), (.SQLITE_ERROR, _), (_, .SQLITE_IOERR_CORRUPTFS):
            self = .damaged(text)
        case (.SQLITE_FULL, _): self = .trouble(.full)
        case (.SQLITE_READONLY, _), (.SQLITE_CANTOPEN, _), (.SQLITE_PERM, _): self = .trouble(.readOnly(text))
        case (.SQLITE_CONSTRAINT, _): self = .differs(text)
        default: self = .trouble(.failing("SQLite: \(text) (\(error.extendedResultCode.rawValue))"))
        }
    }

    init(_ error: KernelError) {
        switch error.errno {
        case ENOSPC, EDQUOT: self = .trouble(.full)
        case EROFS, EACCES, EPERM: self = .trouble(.readOnly(error.text))
        default: self = .trouble(.failing(error.text))
        }
    }
}
