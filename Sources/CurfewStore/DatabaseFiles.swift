import CCurfew
import CurfewLinux
import Glibc

/// Where the database is, and the files beside it.
///
/// A process's POSIX locks on a file go with any of its descriptors of that file, so once SQLite has it open nothing here opens it.
/// Source: fcntl_locking(2), "released if the process closes any file descriptor referring to the file".
struct DatabaseFiles: Sendable, Hashable {
    static let name = "server.sqlite"
    let directory: String

    var database: String { directory + "/" + Self.name }
    var lock: String { database + ".lock" }

    /// Makes the directory (0700) and the file (0600) where they are missing.
    func prepare() throws(KernelError) {
        try makeDirectory(directory)
        let made = curfew_open_at(AT_FDCWD, database, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        guard made != -EEXIST else { return try keepToOwner() }
        guard made >= 0 else { throw KernelError("create", database, errno: -made) }
        _ = curfew_close(made)
        syncDirectory()
    }

    /// SQLite gives the files it makes beside it the same mode. Source: sqlite.org, src/os_unix.c, findCreateFileMode().
    private func keepToOwner() throws(KernelError) {
        var status = curfew_file_status()
        let looked = curfew_stat_at(AT_FDCWD, database, true, &status)
        guard looked == 0 else { throw KernelError("look at", database, errno: -looked) }
        if status.mode & 0o077 != 0, chmod(database, 0o600) != 0 { throw KernelError("chmod", database, errno: errno) }
    }

    private func makeDirectory(_ path: String) throws(KernelError) {
        let made = curfew_mkdir_at(AT_FDCWD, path, 0o700)
        switch made {
        case 0, -EEXIST: return
        case -ENOENT:
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { break }
            try makeDirectory(String(path[..<slash]))
            let again = curfew_mkdir_at(AT_FDCWD, path, 0o700)
            guard again == 0 || again == -EEXIST else { throw KernelError("create", path, errno: -again) }
            return
        default: break
        }
        throw KernelError("create", path, errno: -made)
    }

    /// Renames the database and what belongs to it, which isn't open; where to.
    func moveAside(at seconds: Int) throws(KernelError) -> String {
        var name = "\(database).damaged-\(Self.stamp(seconds))"
        for count in 2...100 {
            let moved = curfew_rename_new_at(AT_FDCWD, database, name)
            if moved == 0 { break }
            guard moved == -EEXIST, count < 100 else { throw KernelError("rename", database, errno: -moved) }
            name = "\(database).damaged-\(Self.stamp(seconds))-\(count)"
        }
        for suffix in ["-wal", "-shm", "-journal"] { _ = curfew_rename_at(AT_FDCWD, database + suffix, name + suffix) }
        syncDirectory()
        return name
    }

    /// A file of this name may be there after a power failure only if its directory was written, too.
    private func syncDirectory() {
        let opened = curfew_open_at(AT_FDCWD, directory, O_RDONLY | O_DIRECTORY, 0)
        guard opened >= 0 else { return }
        _ = fsync(opened)
        _ = curfew_close(opened)
    }

    /// Whether a commit was left half done beside it, in a rollback journal; of a symbolic link, beside what it leads to.
    ///
    /// Source: sqlite.org, src/os_unix.c, unixFullPathname().
    var hasJournal: Bool {
        guard let path = realpath(database, nil) else { return false }
        defer { free(path) }
        var status = curfew_file_status()
        return curfew_stat_at(AT_FDCWD, String(cString: path) + "-journal", true, &status) == 0 && status.size > 0
    }

    /// Which file it is now: its inode; nil where there is none.
    var inode: UInt64? {
        var status = curfew_file_status()
        return curfew_stat_at(AT_FDCWD, database, true, &status) == 0 ? status.inode : nil
    }

    /// As 20260131T235959Z.
    private static func stamp(_ seconds: Int) -> String {
        var seconds = time_t(seconds)
        var calendar = tm()
        gmtime_r(&seconds, &calendar)
        var text = [CChar](repeating: 0, count: 32)
        let length = strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &calendar)
        return String(decoding: text.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
