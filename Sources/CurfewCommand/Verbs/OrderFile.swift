import CCurfew
import CurfewLinux
import Glibc

/// What is too long for a line of the protocol: left in a file of this user's alone, which a server takes away once it has read it.
enum OrderFile {
    /// Writes it where the server looks; returns its name there.
    static func write(_ bytes: [UInt8], in folder: RuntimeDirectory) throws(KernelError) -> String {
        var directory = try folder.prepare()
        defer { directory.close() }
        let name = "\(getpid()).order"
        // One of this name was left by a process that had our pid.
        _ = curfew_unlink_at(directory.number, name)
        let opened = curfew_open_at(directory.number, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        if opened < 0 { throw KernelError("make", folder.path + "/" + name, errno: -opened) }
        var file = Descriptor(opened)
        defer { file.close() }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { rest in
                curfew_write(file.number, rest.baseAddress.map { $0 + written }, rest.count - written)
            }
            if count <= 0 {
                _ = curfew_unlink_at(directory.number, name)
                throw KernelError("write", folder.path + "/" + name, errno: Int32(clamping: -count))
            }
            written += Int(count)
        }
        return name
    }

    /// Where nobody has read it.
    static func remove(_ name: String, in folder: RuntimeDirectory) {
        _ = curfew_unlink_at(AT_FDCWD, folder.path + "/" + name)
    }
}
