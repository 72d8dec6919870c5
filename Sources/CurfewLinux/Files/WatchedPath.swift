import CCurfew
import Glibc

/// One walk along a path, link by link, that sets the inotify watches which tell when the path leads elsewhere.
///
/// What is looked at is watched first, so that what changes behind the walk makes an event, and then there is another.
struct WatchedPath {
    /// One thing that a watch tells.
    struct Watch: Hashable, Sendable {
        /// inotify's number, shared by all that the same directory tells.
        let number: Int32
        let part: Part
    }

    enum Part: Hashable, Sendable {
        /// A directory on the way: that it is moved or removed.
        case itself
        /// A name in a directory: that it comes, goes or is replaced.
        case name([CChar])
        /// The file at the end: that it is written, closed, moved or removed, or its attributes are set.
        case file
    }

    private enum Kind { case nothing, directory, link, file }

    static let slash = CChar(47)
    /// More names than this on the way, those that links lead over included, are walked no further.
    private static let maximumSteps = 256

    private static let itself = UInt32(IN_MOVE_SELF | IN_DELETE_SELF)
    private static let names = itself | UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
    private static let file = itself | UInt32(IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB)
    /// A watch that is there already keeps what it tells.
    private static let added = UInt32(bitPattern: Int32(IN_MASK_ADD))

    /// Whether each directory tells of the next one's coming and going, which a busy one does for others too.
    let isThorough: Bool
    private(set) var watches: [Watch] = []
    /// Whether the path ends at something that is no directory.
    private(set) var isFile = false
    /// Why a directory can't tell of a name in it; the first there was.
    private(set) var problem: KernelError?

    private let inotify: Int32
    /// Where the walk is: without a link in it, and without the slash at its end.
    private var directory: [CChar] = []
    /// The names to go, the next one last.
    private var rest: [ArraySlice<CChar>]
    private var steps = 0

    /// `path` begins at the root.
    init(_ path: [CChar], inotify: Int32, isThorough: Bool) {
        self.inotify = inotify
        self.isThorough = isThorough
        rest = Self.names(of: path)
    }

    /// A directory's path for people; it has no slash at its end.
    static func text(ofDirectory path: some Collection<CChar>) -> String {
        path.isEmpty ? "/" : String(decoding: path.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func names(of path: [CChar]) -> [ArraySlice<CChar>] {
        path.split(separator: slash).filter { !$0.elementsEqual([46]) }.reversed()
    }

    mutating func arm() {
        while let name = rest.popLast() {
            if name.elementsEqual([46, 46]) {
                directory.removeLast(directory.count - (directory.lastIndex(of: Self.slash) ?? 0))
                continue
            }
            steps += 1
            if steps > Self.maximumSteps {
                add(ELOOP)
                return
            }
            if !pass(Array(name)) { return }
        }
    }

    /// Goes one name further; false at the way's end.
    private mutating func pass(_ name: [CChar]) -> Bool {
        let place = directory + [Self.slash] + name
        var told = isThorough ? tell(of: name) : nil
        var kind = Self.kind(of: place)
        if told == nil, kind != .directory || watch(place, for: .itself) < 0 {
            told = tell(of: name)
            // Once more: what came or went before is not told.
            kind = Self.kind(of: place)
        }
        if kind == .directory {
            // One that may not be read can't be watched; the one above tells of it, or nobody can.
            _ = watch(place, for: .itself)
            directory = place
            return true
        }
        // A directory that is gone meanwhile has told of that.
        if let told, told < 0, told != -ENOENT, told != -ENOTDIR { add(-told) }
        if kind == .link { return follow(place) }
        if kind == .file, rest.isEmpty {
            _ = watch(place, for: .file)
            isFile = true
        }
        return false
    }

    private mutating func follow(_ place: [CChar]) -> Bool {
        let room = Int(PATH_MAX)
        let target = [CChar](unsafeUninitializedCapacity: room) { buffer, count in
            count = max(0, Int(curfew_read_link_at(AT_FDCWD, place + [0], buffer.baseAddress, room)))
        }
        // Replaced this instant, which is told.
        if target.isEmpty { return false }
        if target[0] == Self.slash { directory = [] }
        rest += Self.names(of: target)
        return true
    }

    private static func kind(of place: [CChar]) -> Kind {
        var status = curfew_file_status()
        guard curfew_stat_at(AT_FDCWD, place + [0], false, &status) == 0 else { return .nothing }
        switch status.mode & S_IFMT {
        case S_IFDIR: return .directory
        case S_IFLNK: return .link
        default: return .file
        }
    }

    /// Has the directory tell of a name in it; below 0 when it can't.
    private mutating func tell(of name: [CChar]) -> Int32 { watch(directory + [Self.slash], for: .name(name)) }

    private mutating func watch(_ place: [CChar], for part: Part) -> Int32 {
        let mask =
            switch part {
            case .itself: Self.itself | UInt32(IN_ONLYDIR | IN_DONT_FOLLOW)
            case .name: Self.names | UInt32(IN_ONLYDIR)
            case .file: Self.file | UInt32(IN_DONT_FOLLOW)
            }
        let number = curfew_inotify_watch(inotify, place + [0], mask | Self.added)
        if number >= 0 { watches.append(Watch(number: number, part: part)) }
        return number
    }

    private mutating func add(_ error: Int32) {
        if problem == nil { problem = KernelError("watch", Self.text(ofDirectory: directory), errno: error) }
    }
}
