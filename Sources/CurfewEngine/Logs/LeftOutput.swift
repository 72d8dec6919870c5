import CCurfew
import CurfewLinux
import Glibc

/// What the apps of a server that was killed had written, and it hadn't read: the keeper reads it once they are gone, and
/// adds it to their logs.
struct LeftOutput {
    private let folder: LogFolder
    private let mostBytes: Int64
    private let openLogs = OpenLogs(most: 1)

    /// `limit`: bytes of one app's two files together.
    init(folder: LogFolder, limit: Int64) {
        self.folder = folder
        mostBytes = max(limit, OutputWriter.minimumLimit) / 2
    }

    /// All that the proxy holds. Returns why some of it couldn't be kept; nil where all was.
    func keepAll() -> KernelError? {
        curfew_take_outputs()
        var problem: KernelError?
        var record = curfew_kept_output()
        for slot in 0..<curfew_kept_slots() {
            let number = curfew_kept_output(slot, &record)
            guard number >= 0 else { continue }
            do throws(KernelError) { try keep(LoggedRun(record), from: Descriptor(number)) } catch { problem = error }
        }
        return problem
    }

    func keep(_ run: LoggedRun, from pipe: Descriptor) throws(KernelError) {
        guard AppName.isValid(run.app) else { return }
        var left: [UInt8] = []
        while left.count < OutputReader.mostLeft, case let piece = Self.read(pipe), !piece.isEmpty { left += piece }
        if left.isEmpty { return }
        let log = AppLog(app: run.app, in: folder, mostBytes: mostBytes, openLogs: openLogs)
        defer {
            openLogs.forget(log)
            log.close()
        }
        var run = run
        run.hasBegun = hasMark(of: run)
        let now = curfew_realtime_nanoseconds() / 1_000_000_000
        let appended = left.withUnsafeBytes { bytes in
            Result { () throws(KernelError) in try log.append(bytes, of: &run, at: now) }
        }
        // Where not all could be written it says how much.
        try log.finish(run, at: now)
        try appended.get()
    }

    /// What is there now, of at most one buffer.
    private static func read(_ pipe: Descriptor) -> [UInt8] {
        let size = 64 << 10
        return Array(unsafeUninitializedCapacity: size) { buffer, count in
            repeat { count = Int(curfew_read(pipe.number, buffer.baseAddress, size)) } while count == -Int(EINTR)
            count = max(0, count)
        }
    }

    // MARK: What the log knows already

    /// Whether it tells of this run.
    private func hasMark(of run: LoggedRun) -> Bool {
        [folder.path(of: run.app), folder.earlierPath(of: run.app)].contains { Self.tells(of: run, $0) }
    }

    private static func tells(of run: LoggedRun, _ path: String) -> Bool {
        var file = Descriptor(curfew_open_at(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0))
        guard file.isOpen else { return false }
        defer { file.close() }
        var rest: [UInt8] = []
        var offset: Int64 = 0
        while case let piece = read(file), !piece.isEmpty {
            rest += piece
            var start = 0
            while let end = rest[start...].firstIndex(of: 10) {
                let mark = LogMark(line: rest[start..<end], at: offset + Int64(start))
                if mark?.run == run.number { return true }
                start = end + 1
            }
            rest.removeFirst(start)
            offset += Int64(start)
        }
        return false
    }
}
