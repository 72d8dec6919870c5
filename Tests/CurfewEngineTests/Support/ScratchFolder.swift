import CCurfew
import CurfewLinux
import Glibc

/// A folder of its own for a test, taken away with all that is in it.
struct ScratchFolder {
    let path: String

    init() {
        var template = Array("/tmp/curfew-test-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, mkdtemp(base) != nil else { return "/nonexistent" }
            return String(cString: base)
        }
    }

    /// One that another process has made.
    init(at path: String) { self.path = path }

    func remove() { Self.remove(path) }

    /// Of what is in it.
    var names: [String] { Directory.names(of: path) ?? [] }

    private static func remove(_ path: String) {
        for name in Directory.names(of: path) ?? [] {
            let below = path + "/" + name
            if curfew_unlink_at(AT_FDCWD, below) < 0 { remove(below) }
        }
        _ = curfew_rmdir_at(AT_FDCWD, path)
    }

    /// The permissions of a file; nil where there is none.
    static func mode(_ path: String) -> UInt32? {
        var status = curfew_file_status()
        return curfew_stat_at(AT_FDCWD, path, false, &status) == 0 ? status.mode & 0o7777 : nil
    }

    /// Makes a file, last changed at `modified`, in seconds since 1970.
    static func make(_ path: String, _ text: String = "{}", modified: Int? = nil) throws {
        var file = Descriptor(curfew_open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600))
        guard file.isOpen else { throw KernelError("make", path, errno: -file.number) }
        defer { file.close() }
        guard text.withCString({ curfew_write(file.number, $0, strlen($0)) }) == text.utf8.count else {
            throw KernelError("write", path, errno: EIO)
        }
        guard let modified else { return }
        let times = [timespec(tv_sec: modified, tv_nsec: 0), timespec(tv_sec: modified, tv_nsec: 0)]
        if utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) != 0 {
            throw KernelError("date", path, errno: errno)
        }
    }
}
