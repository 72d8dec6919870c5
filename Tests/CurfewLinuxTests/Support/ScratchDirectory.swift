import CCurfew
import CurfewLinux
import Glibc

/// A directory of its own for a test, taken away with all that is in it.
struct ScratchDirectory {
    let path: String

    init() {
        var template = Array("/tmp/curfew-test-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, mkdtemp(base) != nil else { return "/nonexistent" }
            return String(cString: base)
        }
    }

    func remove() { Self.remove(path) }

    private static func remove(_ path: String) {
        for name in Directory.names(of: path) ?? [] {
            let below = path + "/" + name
            if curfew_unlink_at(AT_FDCWD, below) < 0 { remove(below) }
        }
        _ = curfew_rmdir_at(AT_FDCWD, path)
    }
}

extension ScratchDirectory {
    /// Makes an empty file.
    static func touch(_ path: String, mode: Int32 = 0o600) throws -> Descriptor {
        let number = curfew_open_at(AT_FDCWD, path, O_WRONLY | O_CREAT, mode)
        if number < 0 { throw KernelError("make", path, errno: -number) }
        return Descriptor(number)
    }
}
