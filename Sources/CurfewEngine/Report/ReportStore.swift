import CCurfew
import CurfewLinux
import CurfewWire
import Glibc

/// The reports that kills leave, of this user: a file each, the oldest taken away when there are too many.
public struct ReportStore: Sendable {
    public var path: String { directory.path }
    private let directory: StateDirectory

    public static let maximumCount = 100
    /// In seconds: 30 days.
    public static let maximumAge: Int64 = 30 * 24 * 3600
    /// A longer file is none of ours: a report has some ten thousand bytes.
    public static let maximumBytes: Int64 = 16 << 20
    /// How old a temporary file is, in seconds, when its writer is taken for dead.
    static let temporaryAge: Int64 = 3600

    init(directory: StateDirectory) { self.directory = directory }

    public init(path: String, below base: String = "") { self.init(directory: StateDirectory(path: path, below: base)) }

    /// Why a report can't be read.
    public struct Unreadable: Error, Sendable, Hashable {
        public let problem: String
        /// It has been taken away, as the oldest are.
        public var isGone = false
    }
}

// MARK: Writing

extension ReportStore {
    /// Writes one, and takes the oldest away beyond the bounds. Returns its id.
    ///
    /// A reader sees all of it or nothing. Not synced: what a kill costs counts more than a report after a power cut.
    /// - Throws: what the file system refuses, naming the path; EPERM for a directory that isn't this user's alone.
    public func write(_ report: JSON, app: String, pid: Int32) throws(KernelError) -> String {
        try write(report, app: app, pid: pid, at: curfew_realtime_nanoseconds())
    }

    /// `now`: nanoseconds since 1970.
    func write(_ report: JSON, app: String, pid: Int32, at now: Int64) throws(KernelError) -> String {
        guard AppName.isValid(app), pid >= 0 else { throw KernelError("name a report of", app, errno: EINVAL) }
        var directory = try self.directory.opened()
        defer { directory.close() }
        let id = ReportID(app: app, seconds: now / 1_000_000_000, pid: pid)
        let name = try writeFile(report, id, in: directory.number)
        prune(in: directory.number, keeping: name.text, at: now)
        return name.text
    }

    /// Writes it under the first free id, which holding the temporary name reserves: whoever has the same id next
    /// finds that, or the file it has become.
    private func writeFile(_ report: JSON, _ wanted: ReportID, in directory: Int32) throws(KernelError) -> ReportID {
        var id = wanted
        while true {
            let file = curfew_open_at(directory, id.temporaryName, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
            if file >= 0, !exists(id.fileName, in: directory) {
                try fill(file, with: report, id, in: directory)
                return id
            }
            if file >= 0 {
                _ = curfew_close(file)
                _ = curfew_unlink_at(directory, id.temporaryName)
            } else if file != -EEXIST {
                throw KernelError("make", path + "/" + id.temporaryName, errno: -file)
            }
            // Several of one second and pid are rare; so many are somebody's mischief.
            guard id.repetition < Self.maximumCount else {
                throw KernelError("make", path + "/" + id.fileName, errno: EEXIST)
            }
            id.repetition += 1
        }
    }

    private func exists(_ name: String, in directory: Int32) -> Bool {
        var status = curfew_file_status()
        return curfew_stat_at(directory, name, false, &status) == 0
    }

    private func fill(_ file: Int32, with report: JSON, _ id: ReportID, in directory: Int32) throws(KernelError) {
        var bytes: [UInt8] = []
        report.write(into: &bytes, indent: 2)
        bytes.append(10)
        let written = SmallFile.write(bytes, to: file)
        // Some file systems tell only now that there is no room. Source: close(2), NOTES.
        let closed = curfew_close(file)
        var result = written < 0 ? written : closed
        if result >= 0 { result = curfew_rename_at(directory, id.temporaryName, id.fileName) }
        if result < 0 {
            _ = curfew_unlink_at(directory, id.temporaryName)
            throw KernelError("write", path + "/" + id.fileName, errno: -result)
        }
    }

    /// Takes away what is beyond the bounds, and what writers that died have left; others may do so at the same time.
    private func prune(in directory: Int32, keeping kept: String, at now: Int64) {
        let seconds = now / 1_000_000_000
        var count = 0
        for report in reports(in: directory) {
            count += 1
            let isOld = seconds - report.modified / 1_000_000_000 > Self.maximumAge
            // By a clock that was put back the newest can be the oldest.
            if report.id.text != kept, isOld || count > Self.maximumCount {
                _ = curfew_unlink_at(directory, report.id.fileName)
            }
        }
        for name in names(in: directory) where ReportID.isTemporaryName(name) {
            var status = curfew_file_status()
            guard curfew_stat_at(directory, name, false, &status) == 0 else { continue }
            if seconds - status.modified_seconds > Self.temporaryAge { _ = curfew_unlink_at(directory, name) }
        }
    }
}

// MARK: Reading

extension ReportStore {
    /// All there are, the newest first; files of other names aren't ours. None where there is no directory.
    /// - Throws: when the directory can't be read.
    public func list() throws(KernelError) -> [StoredReport] {
        var directory = Descriptor(curfew_open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0))
        if directory.number == -ENOENT { return [] }
        guard directory.isOpen else { throw KernelError("read", path, errno: -directory.number) }
        defer { directory.close() }
        return reports(in: directory.number)
    }

    /// The report of this id; a file that isn't one whole JSON object is unreadable.
    public func contents(of id: ReportID) throws(Unreadable) -> JSON {
        // A pipe or a device of this name must not keep us, nor a link lead elsewhere.
        let file = curfew_open_at(AT_FDCWD, path + "/" + id.fileName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0)
        if file < 0 { throw Unreadable(problem: String(cString: strerror(-file)), isGone: file == -ENOENT) }
        var descriptor = Descriptor(file)
        defer { descriptor.close() }
        var status = curfew_file_status()
        guard curfew_fstat(file, &status) == 0, status.mode & S_IFMT == S_IFREG else {
            throw Unreadable(problem: "it is no ordinary file")
        }
        guard status.size <= Self.maximumBytes else { throw Unreadable(problem: "it is too long for a report") }
        guard let bytes = SmallFile.bytes(of: descriptor) else { throw Unreadable(problem: "it can't be read") }
        return try Self.parse(bytes)
    }

    private static func parse(_ bytes: [UInt8]) throws(Unreadable) -> JSON {
        do throws(JSONError) {
            let report = try JSON.parse(bytes)
            if case .object = report { return report }
        } catch {
            throw Unreadable(problem: "it isn't whole JSON: \(error.problem) at byte \(error.offset)")
        }
        throw Unreadable(problem: "it isn't a JSON object")
    }

    private func reports(in directory: Int32) -> [StoredReport] {
        var reports: [StoredReport] = []
        for name in names(in: directory) {
            var status = curfew_file_status()
            guard let id = ReportID(fileName: name), curfew_stat_at(directory, name, false, &status) == 0 else {
                continue
            }
            let modified = status.modified_seconds &* 1_000_000_000 &+ Int64(status.modified_nanoseconds)
            reports.append(StoredReport(id: id, path: path + "/" + name, size: status.size, modified: modified))
        }
        return reports.sorted { ($0.modified, $0.id.text) > ($1.modified, $1.id.text) }
    }

    private func names(in directory: Int32) -> [String] {
        var names: [String] = []
        Directory.forEachName(in: directory) { names.append(String(cString: $0)) }
        return names
    }
}

// MARK: Where it is

extension ReportStore {
    /// In this user's state directory; nil where that isn't known.
    public static func ofThisUser() -> ReportStore? {
        StateDirectory.ofThisUser(folder).map { ReportStore(directory: $0) }
    }

    private static let folder = "curfew/reports"
}
