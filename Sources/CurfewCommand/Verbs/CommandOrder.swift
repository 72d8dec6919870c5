import CurfewLinux
import Glibc

/// A command for a server to run as its caller would, as an `OrderFile` has it.
///
/// Fields `key=value`, each ended by NUL: `name`, `directory`, `umask` (octal), `limit.N=SOFT:HARD` for each RLIMIT number, and
/// as often as there are words `option`, `command` and `environment=K=V`. A value may be any bytes.
struct CommandOrder {
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
}
