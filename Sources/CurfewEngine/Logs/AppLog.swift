import CCurfew
import CurfewLinux
import Glibc

/// One app's log: what its runs write is appended, within a bound.
///
/// The file is looked for by its name before each write: somebody can have taken it away, moved or emptied it meanwhile.
final class AppLog {
    let app: String
    private let folder: LogFolder
    /// Of one file; there are two.
    private let mostBytes: Int64
    private unowned let openLogs: OpenLogs

    private var file = Descriptor.none
    private var identity = Identity()
    private var end: Int64 = 0
    /// Whether the next byte begins a line.
    private var isAtLineStart = true
    /// Nothing but a mark stands in it yet.
    private var isFresh = false
    /// Whose output the last bytes are; nil where the file has to say it anew.
    private var lastRun: Int?
    private var lastMark: Int64 = 0
    private var loss: Loss?

    private struct Identity: Hashable {
        var device: UInt64 = 0
        var inode: UInt64 = 0
    }

    private struct Loss {
        let run: Int
        var bytes: Int64
        let reason: String
    }

    /// Seconds between two marks that say nothing but the time.
    static let markInterval: Int64 = 60

    init(app: String, in folder: LogFolder, mostBytes: Int64, openLogs: OpenLogs) {
        self.app = app
        self.folder = folder
        self.mostBytes = mostBytes
        self.openLogs = openLogs
    }

    /// Whether something is lost that the file doesn't tell of yet.
    var owesMark: Bool { loss != nil }

    /// Appends what a run has written; what there is no room for is counted. `now`: seconds since 1970.
    /// - Throws: why not all of it could be written. It is not to be tried again.
    func append(_ bytes: UnsafeRawBufferPointer, of run: inout LoggedRun, at now: Int64) throws(KernelError) {
        var rest = bytes[...]
        do throws(KernelError) {
            try makeReady()
            try writeMarks(for: &run, at: now)
            try write(&rest, of: run, at: now)
        } catch {
            lose(rest.count, of: run, error)
            throw error
        }
    }

    /// Nothing more comes from this run: its last line is ended, and what was lost is told of if that is possible now.
    func finish(_ run: LoggedRun, at now: Int64) throws(KernelError) {
        guard owesMark || (lastRun == run.number && !isAtLineStart) else { return }
        try makeReady()
        if let loss { try write(loss, at: now) }
        guard lastRun == run.number, !isAtLineStart else { return }
        let result = SmallFile.write([10], to: file.number)
        if result < 0 { throw failure(-result) }
        end += 1
        isAtLineStart = true
    }

    func close() { file.close() }

    // MARK: What is written

    private func writeMarks(for run: inout LoggedRun, at now: Int64) throws(KernelError) {
        if let loss, loss.run != run.number { try write(loss, at: now) }
        if lastRun != run.number || !run.hasBegun {
            try write(run.mark(seconds: now))
            run.hasBegun = true
        } else if isAtLineStart, loss == nil, now - lastMark >= Self.markInterval || now < lastMark {
            try write(LogMark(.time, run: run.number, seconds: now))
        }
        if let loss { try write(loss, at: now) }
    }

    private func write(_ loss: Loss, at now: Int64) throws(KernelError) {
        try write(LogMark(.lost(bytes: loss.bytes, reason: loss.reason), run: loss.run, seconds: now))
        self.loss = nil
    }

    /// All of the line or nothing: half a mark would be taken for the app's.
    private func write(_ mark: LogMark) throws(KernelError) {
        let start = end
        var line: [UInt8] = isAtLineStart ? [] : [10]
        line += mark.line(at: start + Int64(line.count))
        let result = SmallFile.write(line, to: file.number)
        if result < 0 {
            _ = curfew_truncate(file.number, start)
            throw failure(-result)
        }
        end += Int64(line.count)
        isAtLineStart = true
        lastRun = mark.run
        lastMark = mark.seconds
    }

    private func write(_ bytes: inout Slice<UnsafeRawBufferPointer>, of run: LoggedRun, at now: Int64)
        throws(KernelError)
    {
        while true {
            let room = Int(clamping: max(0, mostBytes - end))
            if bytes.count <= room { return try put(&bytes, count: bytes.count) }
            try put(&bytes, count: cut(bytes, room))
            try rotate()
            try write(LogMark(.continued, run: run.number, seconds: now))
        }
    }

    /// How much of it still goes into this file: whole lines, where there are any.
    private func cut(_ bytes: Slice<UnsafeRawBufferPointer>, _ room: Int) -> Int {
        let fitting = bytes.prefix(room)
        if let last = fitting.lastIndex(of: 10) { return last + 1 - bytes.startIndex }
        return isAtLineStart && !isFresh ? 0 : room
    }

    private func put(_ bytes: inout Slice<UnsafeRawBufferPointer>, count: Int) throws(KernelError) {
        var left = count
        while left > 0 {
            let result = curfew_write(file.number, UnsafeRawBufferPointer(rebasing: bytes).baseAddress, left)
            if result == -EINTR { continue }
            guard result > 0 else { throw failure(result < 0 ? -result : EIO) }
            let written = Int(result)
            isAtLineStart = bytes[bytes.startIndex + written - 1] == 10
            isFresh = false
            end += Int64(written)
            left -= written
            bytes = bytes.dropFirst(written)
        }
    }

    private func lose(_ count: Int, of run: LoggedRun, _ error: KernelError) {
        guard count > 0 else { return }
        guard var known = loss, known.run == run.number else {
            // Of an older run's nobody could be told; it counts with this one's.
            loss = Loss(run: run.number, bytes: (loss?.bytes ?? 0) + Int64(count), reason: error.reason)
            return
        }
        known.bytes += Int64(count)
        loss = known
    }

    private func failure(_ errno: Int32) -> KernelError { KernelError("write", folder.path(of: app), errno: errno) }

    // MARK: The file

    /// The file of this name is open, and we know its end.
    private func makeReady() throws(KernelError) {
        var status = curfew_file_status()
        let result = curfew_stat_at(AT_FDCWD, folder.path(of: app), false, &status)
        let found = Identity(device: status.device, inode: status.inode)
        if result < 0 || found != identity || !file.isOpen {
            file.close()
            status = try open()
        }
        openLogs.use(self)
        guard status.size != end else { return }
        end = status.size
        lastRun = nil
        isFresh = end == 0
        isAtLineStart = end == 0 || lastByte == 10
    }

    private var lastByte: UInt8 {
        var byte: UInt8 = 10
        _ = curfew_pread(file.number, &byte, 1, end - 1)
        return byte
    }

    private func open() throws(KernelError) -> curfew_file_status {
        var directory = try folder.directory.opened()
        defer { directory.close() }
        // A pipe or a device of this name must not keep us, nor a link lead elsewhere.
        let flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let number = curfew_open_at(directory.number, LogFolder.fileName(app), flags, 0o600)
        guard number >= 0 else { throw KernelError("open", folder.path(of: app), errno: -number) }
        file = Descriptor(number)
        var status = curfew_file_status()
        guard curfew_fstat(number, &status) == 0, status.mode & S_IFMT == S_IFREG else {
            file.close()
            throw KernelError("write to what is no ordinary file,", folder.path(of: app), errno: EPERM)
        }
        let found = Identity(device: status.device, inode: status.inode)
        if found != identity {
            identity = found
            end = -1
        }
        return status
    }

    /// The file becomes the earlier one, in place of that.
    private func rotate() throws(KernelError) {
        var directory = try folder.directory.opened()
        let result = curfew_rename_at(
            directory.number, LogFolder.fileName(app), LogFolder.earlierFileName(app))
        directory.close()
        guard result >= 0 else { throw KernelError("rename", folder.path(of: app), errno: -result) }
        file.close()
        let status = try open()
        openLogs.use(self)
        end = status.size
        isAtLineStart = true
        isFresh = true
    }
}
