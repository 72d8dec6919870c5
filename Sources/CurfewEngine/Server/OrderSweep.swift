import CCurfew
import CurfewLinux
import Glibc

/// Takes away orders that nobody asks for any more: whoever left them was killed before it could.
///
/// Only what is too old for that: a client asks at once. Where nothing is left, nothing is looked for.
struct OrderSweep {
    let folder: RuntimeDirectory
    /// When the next is old enough, on the clock of `curfew_monotonic_nanoseconds`; nil while none is known.
    private(set) var next: Int64?

    init(folder: RuntimeDirectory) { self.folder = folder }

    /// What an order may take from its file to its request, in nanoseconds; clients wait for a tenth of it.
    static let longestLife: Int64 = 100_000_000_000

    /// `now`: on the clock of `next`; `calendar`: in nanoseconds since 1970, as files have it.
    mutating func look(at now: Int64, calendar: Int64) {
        next = nil
        var directory = Descriptor(curfew_open_at(AT_FDCWD, folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0))
        guard directory.isOpen else { return }
        defer { directory.close() }
        var oldest: Int64?
        Directory.forEachName(in: directory.number) { name in
            guard let age = Self.age(of: name, in: directory, calendar) else { return }
            // One from the future was left before somebody has set the clock back.
            if age >= Self.longestLife || age < -Self.longestLife {
                _ = curfew_unlink_at(directory.number, name)
            } else {
                oldest = max(oldest ?? .min, age)
            }
        }
        next = oldest.map { now + Self.longestLife - $0 }
    }

    /// In nanoseconds; nil for what isn't an order: sockets and what is on its way to be one, and what isn't ours.
    private static func age(of name: UnsafePointer<CChar>, in directory: Descriptor, _ calendar: Int64) -> Int64? {
        guard name[0] != CChar(UInt8(ascii: ".")) else { return nil }
        var status = curfew_file_status()
        guard curfew_stat_at(directory.number, name, false, &status) == 0, status.mode & S_IFMT == S_IFREG,
            status.uid == geteuid()
        else { return nil }
        let modified = status.modified_seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return modified.overflow ? .max : calendar - modified.partialValue - Int64(status.modified_nanoseconds)
    }
}
