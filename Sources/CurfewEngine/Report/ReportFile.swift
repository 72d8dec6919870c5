import CCurfew
import CurfewLinux
import CurfewWire
import Glibc

/// The file of `--report`, opened before anything is started so that a wrong path is told at once.
struct ReportFile {
    let path: String
    let descriptor: Descriptor

    /// Which file it is, whatever its path leads to by now. Noted where the keeper finds it.
    struct Identity: Equatable {
        var device: UInt64
        var inode: UInt64

        fileprivate init(_ status: curfew_file_status) {
            device = status.device
            inode = status.inode
        }

        init(device: UInt64, inode: UInt64) {
            self.device = device
            self.inode = inode
        }
    }

    var identity: Identity? {
        var status = curfew_file_status()
        return curfew_fstat(descriptor.number, &status) == 0 ? Identity(status) : nil
    }

    /// Nil when none was asked for.
    static func open(_ path: String?) throws(LaunchError) -> ReportFile? {
        guard let path else { return nil }
        let number = curfew_open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_NONBLOCK, 0o644)
        if number < 0 {
            let reason = String(cString: strerror(-number))
            throw LaunchError(125, "--report \(path): \(reason); nothing was started")
        }
        // Opened so that a pipe nobody reads is told at once; written when the app is gone, it may wait for its reader.
        _ = fcntl(number, F_SETFL, 0)
        return ReportFile(path: path, descriptor: Descriptor(number))
    }

    /// For the keeper, which has no descriptor of the supervisor's: the file that this one had opened, if the path still
    /// leads to it. Whoever is inside the app can have put anything in its place, so nothing else is written to, and
    /// nothing is waited for. `noted`: nil when the supervisor was killed before it had opened one, and started anything.
    static func reopen(_ path: String?, noted: Identity?) -> ReportFile? {
        guard let path else { return nil }
        var status = curfew_file_status()
        if let noted, curfew_stat_at(AT_FDCWD, path, true, &status) == 0, Identity(status) != noted {
            return tellReplaced(path)
        }
        let creating = noted == nil ? O_CREAT : 0
        let number = curfew_open_at(AT_FDCWD, path, O_WRONLY | O_NONBLOCK | O_NOCTTY | creating, 0o644)
        guard number >= 0 else {
            StandardError.print("curfew: the report \(path) can't be written: \(String(cString: strerror(-number)))")
            return nil
        }
        let file = ReportFile(path: path, descriptor: Descriptor(number))
        guard noted == nil || file.identity == noted else { return tellReplaced(path) }
        return file
    }

    private static func tellReplaced(_ path: String) -> ReportFile? {
        StandardError.print("curfew: the report \(path) isn't written: another file has taken its place")
        return nil
    }

    /// Replaces what the file held; a failure is told and changes nothing else.
    func write(_ report: JSON) {
        var bytes: [UInt8] = []
        report.write(into: &bytes, indent: 2)
        bytes.append(10)
        _ = ftruncate(descriptor.number, 0)
        let result = SmallFile.write(bytes, to: descriptor.number)
        guard result < 0 else { return }
        let reason = String(cString: strerror(-result))
        StandardError.print("curfew: the report \(path) is not whole: \(reason)")
    }
}
