import CCurfew
import Glibc

/// Where an app keeps what its next run is to find: a directory that nobody but this user can write to.
public enum AppStateDirectory {
    /// Why a directory can't be that.
    public enum Problem: Error, Sendable, Hashable {
        case unusable(KernelError)
        case noDirectory
        case foreign(owner: UInt32)
        case open(mode: UInt32)
    }

    /// Makes sure of it, and of what is missing on the way to it: made with permission 0700.
    ///
    /// - Returns: the absolute path, for the app may have another working directory.
    /// - Throws: what the file system refuses; `.open` for one that its group or others can write to.
    public static func prepare(_ path: String) throws(Problem) -> String {
        var status = curfew_file_status()
        var result = curfew_stat_at(AT_FDCWD, path, true, &status)
        if result == -ENOENT {
            do throws(KernelError) { try make(path) } catch { throw .unusable(error) }
            result = curfew_stat_at(AT_FDCWD, path, true, &status)
        }
        if result < 0 { throw .unusable(KernelError("look at", path, errno: -result)) }
        guard status.mode & S_IFMT == S_IFDIR else { throw .noDirectory }
        guard status.uid == geteuid() else { throw .foreign(owner: status.uid) }
        guard status.mode & 0o022 == 0 else { throw .open(mode: status.mode & 0o7777) }
        return try absolute(path)
    }

    /// Another who makes the same at the same time is no trouble.
    private static func make(_ path: String) throws(KernelError) {
        var result = curfew_mkdir_at(AT_FDCWD, path, 0o700)
        if result == -ENOENT, let parent = parent(of: path) {
            try make(parent)
            result = curfew_mkdir_at(AT_FDCWD, path, 0o700)
        }
        if result < 0, result != -EEXIST { throw KernelError("make", path, errno: -result) }
    }

    /// Nil for a single name, whose parent is there.
    private static func parent(of path: String) -> String? {
        var parent = Substring(path)
        while parent.utf8.last == slash { parent.removeLast() }
        guard let end = parent.utf8.lastIndex(of: slash) else { return nil }
        parent = parent[..<end]
        while parent.utf8.last == slash { parent.removeLast() }
        return parent.isEmpty ? nil : String(parent)
    }

    private static func absolute(_ path: String) throws(Problem) -> String {
        if path.utf8.first == slash { return path }
        guard let current = getcwd(nil, 0) else {
            throw .unusable(KernelError("find the working directory for", path, errno: errno))
        }
        defer { free(current) }
        return String(cString: current) + "/" + path
    }

    private static let slash = UInt8(ascii: "/")
}

extension AppStateDirectory.Problem {
    /// For people: what is wrong with it, and what to do.
    public var text: String {
        switch self {
        case .unusable(let error): error.text
        case .noDirectory: "it isn't a directory; name one, or what isn't there yet"
        case .foreign(let owner): "it belongs to the user with uid \(owner); name a directory of your own"
        case .open(let mode):
            "others can write to it (mode \(String(mode, radix: 8))); take that away with chmod go-w, or name another"
        }
    }
}
