import CCurfew
import CurfewEngine
import CurfewLinux
import CurfewWire
import Glibc

/// `curfew log`: what an app of a server has written.
struct LogVerb {
    private let arguments: LogArguments
    private let folder: LogFolder
    private var reader = LogReader()
    private var file = Descriptor(-1)

    static func run(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try LogArguments.parse(reader)
        guard let folder = LogFolder.ofThisUser() else {
            return fail("there is no home directory of yours for logs to be in; XDG_STATE_HOME can name another")
        }
        var verb = LogVerb(arguments: arguments, folder: folder)
        return verb.show()
    }

    private init(arguments: LogArguments, folder: LogFolder) {
        self.arguments = arguments
        self.folder = folder
    }

    private var app: String { arguments.common.operands[0] }
    private var path: String { folder.path(of: app) }

    private static func fail(_ problem: String) -> Int32 {
        StandardError.print("curfew: log: \(problem)")
        return ExitStatus.failure
    }

    private mutating func show() -> Int32 {
        // Before anything is read, so that nothing is missed.
        let watch = arguments.follows ? FolderWatch(folder.directory.path) : nil
        if arguments.follows, watch == nil {
            return Self.fail("\(folder.directory.path) can't be watched: \(String(cString: strerror(errno)))")
        }
        let isThere = [folder.earlierPath(of: app), path].map { readNext($0) }.contains(true)
        if let watch {
            while watch.wait() { catchUp() }
        } else if !isThere {
            return Self.fail("\(app) has no log: an app that a server runs gets one once it writes something")
        }
        return ExitStatus.success
    }

    // MARK: Reading

    /// All of that file, from its beginning; false where there is none. It is held open, to be read on.
    private mutating func readNext(_ path: String) -> Bool {
        let opened = curfew_open_at(AT_FDCWD, path, O_RDONLY, 0)
        if opened < 0 {
            if opened != -ENOENT { _ = Self.fail("\(path): \(String(cString: strerror(-opened)))") }
            return false
        }
        file.close()
        file = Descriptor(opened)
        reader.beginFile()
        readOn()
        return true
    }

    private mutating func readOn() {
        while file.isOpen {
            let bytes = [UInt8](unsafeUninitializedCapacity: 64 * 1024) { buffer, count in
                count = max(0, Glibc.read(file.number, buffer.baseAddress, buffer.count))
            }
            if bytes.isEmpty { break }
            for piece in reader.take(bytes) { show(piece) }
        }
        for piece in reader.flush() { show(piece) }
    }

    /// What has come: behind what was read, in a file of the same name, or from the beginning of one that was emptied.
    private mutating func catchUp() {
        var mine = curfew_file_status()
        if file.isOpen, curfew_fstat(file.number, &mine) == 0 {
            if mine.size < reader.position {
                lseek(file.number, 0, SEEK_SET)
                reader.beginFile()
            }
            readOn()
        }
        var named = curfew_file_status()
        guard curfew_stat_at(AT_FDCWD, path, true, &named) == 0 else { return }
        if !file.isOpen || named.inode != mine.inode || named.device != mine.device { _ = readNext(path) }
    }

    // MARK: Showing

    private mutating func show(_ piece: LogReader.Piece) {
        switch piece {
        case .output(let bytes, let mark):
            if arguments.selection.takes(behind: mark) { show(bytes, mark) }
        case .mark(let mark):
            guard case .lost(let bytes, let reason) = mark.kind, arguments.selection.takes(behind: mark) else { return }
            StandardError.print("curfew: log: \(bytes) bytes of run \(mark.run) couldn't be kept: \(reason)")
        }
    }

    private func show(_ bytes: [UInt8], _ mark: LogMark?) {
        if arguments.common.has("--json") {
            Output.print(Self.json(bytes, mark), indent: nil)
        } else {
            Output.print(bytes: bytes)
        }
    }

    static func json(_ bytes: [UInt8], _ mark: LogMark?) -> JSON {
        let text = bytes.last == 10 ? bytes.dropLast() : bytes[...]
        var members: [(key: String, value: JSON)] = []
        if let mark { members = [("run", .integer(Int64(mark.run))), ("time", .integer(mark.seconds))] }
        return .object(members + [("text", .string(String(decoding: text, as: UTF8.self)))])
    }
}

/// Tells that something in a folder has changed.
struct FolderWatch {
    let descriptor: Int32

    init?(_ path: String) {
        descriptor = inotify_init1(Int32(IN_CLOEXEC))
        let events = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO)
        guard descriptor >= 0, inotify_add_watch(descriptor, path, events) >= 0 else { return nil }
    }

    /// Until it has; false where that can't be told any more.
    func wait() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 8) { buffer in
            while true {
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                if count > 0 { return true }
                if errno != EINTR { return false }
            }
        }
    }
}
