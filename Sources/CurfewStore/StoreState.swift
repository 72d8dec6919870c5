/// Why what should be kept isn't.
public enum StoreTrouble: Sendable, Hashable {
    case full
    case readOnly(String)
    /// Somebody else has had a transaction open for too long.
    case busy
    /// Another server has the database since; its pid, where that can be read.
    case anotherServer(pid: Int32?)
    /// Any other failure, in SQLite's or the kernel's words.
    case failing(String)

    /// A stable word for machines.
    public var word: String {
        switch self {
        case .full: "full"
        case .readOnly: "read-only"
        case .busy: "busy"
        case .anotherServer: "another-server"
        case .failing: "failing"
        }
    }

    public var text: String {
        switch self {
        case .full: "the disk is full"
        case .readOnly(let what): "it can't be written: \(what)"
        case .busy: "another program has had a transaction open in it for too long"
        case .anotherServer(let pid): "another server uses it\(pid.map { ", pid \($0)" } ?? "")"
        case .failing(let what): what
        }
    }
}

/// How the store is.
public struct StoreState: Sendable, Hashable {
    /// Why things aren't kept just now; nil: they are.
    public internal(set) var trouble: StoreTrouble?
    /// How many apps and runs are in memory alone.
    public internal(set) var held = 0
    /// How many runs and notes were given up since the start, for there were too many to hold.
    public internal(set) var lost = 0
    /// Where a damaged database went that was found since the start; the latest.
    public internal(set) var movedAside: String?

    /// A stable word for machines: `ok`, `damaged` (all is kept again, in a new file), or the trouble's.
    public var word: String { trouble?.word ?? (movedAside == nil ? "ok" : "damaged") }
}

/// Something that people are told once.
public enum StoreNews: Sendable, Hashable {
    /// It couldn't be read, was moved to `path`, and a new one was begun.
    case damaged(String, movedTo: String)
    case notKept(StoreTrouble)
    case keptAgain

    public var text: String {
        switch self {
        case .damaged(let what, let path):
            "the database of the task list and of past runs is damaged (\(what)): it was moved to \(path), and a new one begun"
        case .notKept(let trouble):
            "the task list and runs are kept in memory alone: \(trouble.text). Apps run on; it is tried again"
        case .keptAgain: "the task list and runs are written again, with what was held in memory"
        }
    }
}

/// Why a server can't start on a database, which stays as it is.
public enum StoreRefusal: Error, Sendable, Hashable {
    case anotherServer(path: String, pid: Int32?)
    /// A newer curfew has written it.
    case newer(path: String)
    /// It is some other program's.
    case foreign(path: String)
    /// There can't be another thread.
    case noThread

    public var text: String {
        switch self {
        case .anotherServer(let path, let pid):
            "\(path) is in use by another server\(pid.map { ", pid \($0)" } ?? ""): end that one first, or set XDG_STATE_HOME"
        case .newer(let path):
            "\(path) was written by a newer curfew, which this one can't read: use that one, or move the file away"
        case .foreign(let path): "\(path) is a database of another program: move it away"
        case .noThread: "no thread for the database: the limit on processes is reached (ulimit -u)"
        }
    }
}
