import CCurfew
import CurfewLinux
import Glibc

@testable import CurfewEngine

/// A folder of logs of a test's own.
final class LogScene {
    private let scratch = ScratchFolder()
    let folder: LogFolder
    let openLogs: OpenLogs

    init(mostOpen: Int = 16) {
        folder = LogFolder(StateDirectory(path: scratch.path + "/state/curfew/logs"))
        openLogs = OpenLogs(most: mostOpen)
    }

    func remove() { scratch.remove() }

    /// A folder beside that of the logs.
    var elsewhere: String { scratch.path }

    func log(_ app: String = "backup", mostBytes: Int64 = 1 << 20) -> AppLog {
        AppLog(app: app, in: folder, mostBytes: mostBytes, openLogs: openLogs)
    }

    static let seconds: Int64 = 1_763_729_109

    func run(_ number: Int = 1, of app: String = "backup") -> LoggedRun {
        LoggedRun(app: app, number: number, pid: 40 + Int32(number), seconds: Self.seconds)
    }

    func bytes(of app: String = "backup") -> [UInt8] { SmallFile.bytes(of: folder.path(of: app)) ?? [] }

    func earlierBytes(of app: String = "backup") -> [UInt8] { SmallFile.bytes(of: folder.earlierPath(of: app)) ?? [] }

    /// Line by line: a mark as its kind and run, anything else as it stands.
    func lines(of app: String = "backup") -> [String] { Self.lines(bytes(of: app)) }

    func earlierLines(of app: String = "backup") -> [String] { Self.lines(earlierBytes(of: app)) }

    /// What the app itself has written, of both files.
    func output(of app: String = "backup") -> [UInt8] {
        [earlierBytes(of: app), bytes(of: app)].flatMap { file in
            Self.split(file).filter { $0.mark == nil }.flatMap(\.bytes)
        }
    }

    private static func lines(_ file: [UInt8]) -> [String] {
        split(file).map { line in
            guard let mark = line.mark else { return String(decoding: line.bytes, as: UTF8.self) }
            switch mark.kind {
            case .began(let pid): return "<began \(mark.run), pid \(pid)>"
            case .continued: return "<continued \(mark.run)>"
            case .time: return "<time \(mark.run), \(mark.seconds - seconds) s>"
            case .lost(let bytes, let reason): return "<lost \(bytes) of \(mark.run): \(reason)>"
            }
        }
    }

    private static func split(_ file: [UInt8]) -> [(bytes: ArraySlice<UInt8>, mark: LogMark?)] {
        var lines: [(ArraySlice<UInt8>, LogMark?)] = []
        var start = 0
        while start < file.count {
            let end = file[start...].firstIndex(of: 10).map { $0 + 1 } ?? file.count
            lines.append((file[start..<end], LogMark(line: file[start..<end], at: Int64(start))))
            start = end
        }
        return lines
    }
}

extension AppLog {
    /// Appends text, `later` seconds after the run was started.
    func append(_ text: String, of run: inout LoggedRun, later: Int64 = 0) throws(KernelError) {
        try append(Array(text.utf8), of: &run, later: later)
    }

    func append(_ bytes: [UInt8], of run: inout LoggedRun, later: Int64 = 0) throws(KernelError) {
        try bytes.withUnsafeBytes { bytes in
            Result { () throws(KernelError) in try append(bytes, of: &run, at: LogScene.seconds + later) }
        }.get()
    }
}
