import CCurfew
import CurfewLinux
import Glibc

/// A bare command that a client wants to be an app, with all that its caller gives it; handed over as a file, for a message
/// has no room for an environment.
///
/// Fields, each ended by a NUL: `name=…`, `directory=…`, `umask=OCTAL`, `limit.NUMBER=SOFT:HARD`, `option=…`, `command=…`,
/// `environment=KEY=VALUE`; the last four as often as there are such, in order. A directory, a command and an environment are any
/// bytes; all else is UTF-8.
public struct LaunchOrder: Sendable, Hashable {
    public var name: String?
    public var directory: ByteString?
    public var umask: UInt32?
    public var limits: [ResourceLimit] = []
    /// Options of `curfew run`, as typed.
    public var options: [String] = []
    public var command: [ByteString] = []
    public var environment: [ByteString] = []

    /// Bytes of a file; as much as execve(2) takes of arguments and environment on a usual machine.
    static let maximumBytes = 2 << 20

    public init() {}

    /// Throws for what is no order, in words that name the field.
    public init(_ bytes: [UInt8]) throws(DefinitionRefusal) {
        for field in bytes.split(separator: 0) {
            guard let equals = field.firstIndex(of: UInt8(ascii: "=")) else {
                throw DefinitionRefusal("the order has a field without a value")
            }
            let key = String(decoding: field[..<equals], as: UTF8.self)
            try read(key, ByteString(field[field.index(after: equals)...]))
        }
        guard !command.isEmpty else { throw DefinitionRefusal("the order has no command") }
    }

    private mutating func read(_ key: String, _ value: ByteString) throws(DefinitionRefusal) {
        switch key {
        case "directory":
            guard value.bytes.first == UInt8(ascii: "/") else {
                throw DefinitionRefusal("directory=\(value.text) isn't an absolute path")
            }
            directory = value
        case "command": command.append(value)
        case "environment": environment.append(value)
        default:
            guard let text = value.exactText else {
                throw DefinitionRefusal(
                    "\(key)=\(value.text) isn't UTF-8, and only a command, a directory and an environment may be so")
            }
            try read(key, text)
        }
    }

    private mutating func read(_ key: String, _ value: String) throws(DefinitionRefusal) {
        switch key {
        case "name": name = value
        case "umask":
            guard let mask = UInt32(value, radix: 8), mask <= 0o777 else {
                throw DefinitionRefusal("umask=\(value) isn't an octal number up to 777")
            }
            umask = mask
        case "option": options.append(value)
        default:
            guard key.hasPrefix("limit."), let limit = Self.limit(key.dropFirst("limit.".count), value) else {
                throw DefinitionRefusal("the order has a field \(key) that nothing is known of")
            }
            limits.append(limit)
        }
    }

    private static func limit(_ number: Substring, _ value: String) -> ResourceLimit? {
        let parts = value.split(separator: ":", omittingEmptySubsequences: false)
        guard let resource = Int32(number), resource >= 0, parts.count == 2, let soft = UInt64(parts[0]),
            let hard = UInt64(parts[1]), soft <= hard
        else { return nil }
        return ResourceLimit(resource: resource, soft: soft, hard: hard)
    }

    static func take(_ file: String, in folder: RuntimeDirectory) throws(DefinitionRefusal) -> LaunchOrder {
        try LaunchOrder(takeBytes(file, in: folder))
    }

    /// Reads the file of that base name in the server's folder, and removes it.
    static func takeBytes(_ file: String, in folder: RuntimeDirectory) throws(DefinitionRefusal) -> [UInt8] {
        guard !file.isEmpty, !file.utf8.contains(UInt8(ascii: "/")), file != ".", file != "..",
            !file.hasSuffix(RuntimeDirectory.socketSuffix)
        else { throw DefinitionRefusal("order= needs the name of a file in \(folder.path)") }
        let path = folder.path + "/" + file
        var descriptor = Descriptor(curfew_open_at(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0))
        guard descriptor.isOpen else {
            throw DefinitionRefusal("can't open \(path): \(String(cString: strerror(-descriptor.number)))")
        }
        defer { descriptor.close() }
        var status = curfew_file_status()
        guard curfew_fstat(descriptor.number, &status) == 0, status.mode & S_IFMT == S_IFREG, status.uid == geteuid()
        else { throw DefinitionRefusal("\(path) isn't a file of this user's") }
        _ = curfew_unlink_at(AT_FDCWD, path)
        guard status.size <= maximumBytes else {
            throw DefinitionRefusal("the order is longer than \(maximumBytes) bytes")
        }
        return readAll(descriptor, Int(status.size))
    }

    private static func readAll(_ descriptor: Descriptor, _ size: Int) -> [UInt8] {
        Array(unsafeUninitializedCapacity: size) { buffer, count in
            while count < size, let base = buffer.baseAddress {
                let got = curfew_read(descriptor.number, base + count, size - count)
                if got <= 0 { return }
                count += Int(got)
            }
        }
    }
}
