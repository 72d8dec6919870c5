import CCurfew
import CurfewLinux
import CurfewWire
import Glibc

/// How a launch ended, as the report of `curfew run` has it.
struct LaunchReport {
    /// The program's; nil where none was started.
    let pid: Int32?
    /// Why Curfew ended it; nil when it ended by itself.
    let reason: String?

    /// More than any report has.
    private static let longest = 1 << 22

    /// Nil where there is none: `curfew run` couldn't begin.
    init?(_ path: String) {
        let number = curfew_open_at(AT_FDCWD, path, O_RDONLY | O_NONBLOCK, 0)
        guard number >= 0 else { return nil }
        let file = OwnedDescriptor(number)
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 14)
        while bytes.count < Self.longest {
            let count = piece.withUnsafeMutableBytes { curfew_read(file.number, $0.baseAddress, $0.count) }
            if count == -EINTR { continue }
            if count <= 0 { break }
            bytes += piece[..<Int(count)]
        }
        guard let report = try? JSON.parse(bytes) else { return nil }
        if case .integer(let pid) = report["pid"] { self.pid = Int32(exactly: pid) } else { pid = nil }
        if case .string(let reason) = report["reason"] { self.reason = reason } else { reason = nil }
    }
}
