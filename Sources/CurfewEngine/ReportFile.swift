import CCurfew
import CurfewLinux
import CurfewWire
import Glibc

/// The file of `--report`, opened before anything is started so that a wrong path is told at once.
struct ReportFile {
    let path: String
    let descriptor: Descriptor

    /// Nil when none was asked for. Exits 125 if it can't be written.
    static func open(_ path: String?, caller: String) -> ReportFile? {
        guard let path else { return nil }
        let number = curfew_open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_NONBLOCK, 0o644)
        if number < 0 {
            let reason = String(cString: strerror(-number))
            StandardError.print("\(caller): --report \(path): \(reason); nothing was started")
            curfew_exit(125)
        }
        // Opened so that a pipe nobody reads is told at once; written when the app is gone, it may wait for its reader.
        _ = fcntl(number, F_SETFL, 0)
        return ReportFile(path: path, descriptor: Descriptor(number))
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
