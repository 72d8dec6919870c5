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
    /// The last things that happened, the oldest first.
    let events: [AppEvent]

    /// More than any report has.
    private static let longest = 1 << 22

    /// Nil where there is none: `curfew run` couldn't begin.
    init?(_ path: String) {
        guard let bytes = Self.bytes(of: path), let report = try? JSON.parse(bytes) else { return nil }
        if case .integer(let pid) = report["pid"] { self.pid = Int32(exactly: pid) } else { pid = nil }
        if case .string(let reason) = report["reason"] { self.reason = reason } else { reason = nil }
        guard case .array(let told)? = report["events"] else {
            events = []
            return
        }
        events = told.compactMap { AppEvent(Message("event", json: $0)) }
    }

    /// Of a regular file alone: the program, or whoever, may have put something else there.
    private static func bytes(of path: String) -> [UInt8]? {
        var file = Descriptor(curfew_open_at(AT_FDCWD, path, O_RDONLY | O_NONBLOCK, 0))
        guard file.isOpen else { return nil }
        defer { file.close() }
        var status = stat()
        guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= longest else {
            return nil
        }
        return SmallFile.bytes(of: file)
    }
}
