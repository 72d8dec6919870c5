import CCurfew
import CurfewLinux
import Glibc

/// A command for a server to run as its caller would: too long for a line of the protocol, it is left in a file of this user's
/// alone, which the server takes away once it has read it.
///
/// Fields `key=value`, each ended by NUL: `name`, `directory`, `umask` (octal), `limit.N=SOFT:HARD` for each RLIMIT number, and
/// as often as there are words `option`, `command` and `environment=K=V`. A value may be any bytes.
struct LaunchOrder {
    private(set) var bytes: [UInt8] = []

    /// As this process would run it.
    init(_ arguments: LaunchArguments) {
        if let name = arguments.name { add("name", name) }
        addSurroundings()
        for option in arguments.options { add("option", option.bytes) }
        for word in arguments.command { add("command", word.bytes) }
        addEnvironment()
    }

    private mutating func add(_ key: String, _ value: String) { add(key, Array(value.utf8)) }

    private mutating func add(_ key: String, _ value: some Sequence<UInt8>) {
        bytes += Array(key.utf8) + [UInt8(ascii: "=")]
        bytes += value
        bytes.append(0)
    }

    private mutating func addSurroundings() {
        if let directory = ByteString.currentDirectory { add("directory", directory.bytes) }
        let mask = umask(0o077)
        _ = umask(mask)
        add("umask", String(mask, radix: 8))
        for number in 0..<Self.limitCount {
            var limit = rlimit()
            guard getrlimit(__rlimit_resource_t(number), &limit) == 0 else { continue }
            add("limit.\(number)", "\(limit.rlim_cur):\(limit.rlim_max)")
        }
    }

    /// Source: asm-generic/resource.h, RLIM_NLIMITS.
    private static let limitCount: UInt32 = 16

    private mutating func addEnvironment() {
        var entry = environ
        while let text = entry.pointee {
            add("environment", Self.bytes(of: text))
            entry += 1
        }
    }

    private static func bytes(of text: UnsafePointer<CChar>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text, count: strlen(text))
    }

    // MARK: The file

    /// Writes it where the server looks; returns its name there.
    func write(in folder: RuntimeDirectory) throws(KernelError) -> String { try Self.write(bytes, in: folder) }

    /// The same of any bytes.
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
