import CCurfew
import CurfewEngine
import Glibc

/// The executable that knows every verb's help and completions; its library would cost the hot verbs milliseconds.
enum Helper {
    static let name = "curfew-help"

    /// Becomes it. Installed it is in `../libexec/curfew/`, in a build folder beside us.
    static func run(_ arguments: ArgumentReader.Arguments, count: Int) -> Int32 {
        let folder = ownFolder()
        for path in ["\(folder)/../libexec/curfew/\(name)", "\(folder)/\(name)"] { execv(path, arguments) }
        StandardError.print("curfew: help: \(name) isn't installed beside curfew, in ../libexec/curfew; see the README")
        return ExitStatus.unavailable
    }

    private static func ownFolder() -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            guard let base = buffer.baseAddress, case let length = readlink("/proc/self/exe", base, 4095), length > 0
            else { return "." }
            let bytes = buffer[..<length].map { UInt8(bitPattern: $0) }
            let end = bytes.lastIndex(of: 47) ?? 0
            return String(decoding: bytes[..<end], as: UTF8.self)
        }
    }
}
