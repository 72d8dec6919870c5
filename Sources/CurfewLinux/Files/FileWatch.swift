import CCurfew
import Glibc

/// Tells when one file has changed: written in place and closed, replaced, removed, made anew, or its time set.
///
/// A link on the way, or in the file's place, may be led elsewhere, and any directory on the way may go and come: the
/// path is what is watched. `descriptor` becomes readable when there may be something to tell. Nothing is polled.
///
/// Not told, since inotify doesn't tell: what is written through a mapping, or by a writer that hasn't closed the file
/// yet, by another machine, and what is mounted over a directory on the way. Source: inotify(7), "Limitations".
public struct FileWatch: Sendable {
    /// Something about the file is other than it was.
    public struct Change: Hashable, Sendable {
        /// Whether it is there, and no directory.
        public let exists: Bool
    }

    public let path: String
    /// To wait for: readable, level-triggered.
    public private(set) var descriptor = Descriptor.none
    /// Why the file's return, or its replacement, could pass unnoticed; nil when it can't.
    public private(set) var problem: KernelError?

    /// From the root, so that a change of the working directory changes nothing.
    private let location: [CChar]
    private var watches: [WatchedPath.Watch] = []
    private var isThorough = false
    /// As it was when it was last looked at; nil: not there.
    private(set) var identity: Identity?
    /// Whether it was written to since a writer last closed it.
    private var isBeingWritten = false

    /// What tells one state of a file from another.
    struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
        let size: Int64
        let modifiedSeconds: Int64
        let modifiedNanoseconds: UInt32

        fileprivate func isOfSameFile(as other: Identity?) -> Bool { device == other?.device && inode == other?.inode }
    }

    /// What a number of events come to.
    private struct Heard {
        var mayLeadElsewhere = false
        var mayHaveChanged = false
        /// It has changed, even if it looks as it did.
        var hasChanged = false
    }

    /// Watches the path from now on; the directory must be there, the file needn't.
    ///
    /// - Throws: what stands in the way, EISDIR for a directory among it; ENOSPC and EMFILE are inotify's limits.
    public init(path: String) throws(KernelError) {
        self.path = path
        location = try Self.absolute(path)
        try Self.checkPlace(location, path)
        descriptor = Descriptor(try check(curfew_inotify(), "watch", path))
        arm()
        identity = look()
        if let problem {
            descriptor.close()
            throw problem
        }
    }

    public var exists: Bool { identity != nil }

    /// Whether the file's return, or its replacement, could pass unnoticed: `problem` says why.
    public var isLost: Bool { problem != nil }

    /// Ends it.
    public mutating func close() { descriptor.close() }

    /// Takes what has happened so far; nil when the file is as it was.
    ///
    /// A number of changes are one; what happens meanwhile makes the descriptor readable again.
    public mutating func readChanges() -> Change? {
        let heard = readEvents()
        guard heard.mayLeadElsewhere || heard.mayHaveChanged else { return nil }
        if heard.mayLeadElsewhere { arm() }
        let before = identity
        identity = look()
        if let identity, !identity.isOfSameFile(as: before) { isBeingWritten = false }
        let isSame = identity == before && !(exists && heard.hasChanged)
        return isSame ? nil : Change(exists: exists)
    }

    // MARK: Where it is

    private static func absolute(_ path: String) throws(KernelError) -> [CChar] {
        let bytes = Array(path.utf8CString.dropLast())
        if bytes.isEmpty { throw KernelError("watch", path, errno: ENOENT) }
        if bytes[0] == WatchedPath.slash { return bytes }
        guard let current = getcwd(nil, 0) else { throw KernelError("watch", path, errno: errno) }
        defer { free(current) }
        return Array(String(cString: current).utf8CString.dropLast()) + [WatchedPath.slash] + bytes
    }

    /// Says early what is amiss: only that the last name isn't there yet is well.
    private static func checkPlace(_ location: [CChar], _ path: String) throws(KernelError) {
        var status = curfew_file_status()
        let result = curfew_stat_at(AT_FDCWD, location + [0], true, &status)
        if result == 0 {
            if status.mode & S_IFMT == S_IFDIR { throw KernelError("watch", path, errno: EISDIR) }
        } else if result == -ENOENT {
            let directory = location[..<(location.lastIndex(of: WatchedPath.slash) ?? 0)]
            try check(
                curfew_stat_at(AT_FDCWD, directory + [WatchedPath.slash, 0], true, &status), "watch a file in",
                WatchedPath.text(ofDirectory: directory))
        } else {
            throw KernelError("watch", path, errno: -result)
        }
    }

    /// Sets the watches that the path needs now, and ends the others.
    ///
    /// A directory that somebody is in, or has open, goes without a word of its own, but only once it is empty. While
    /// there is no file, then, and no sooner, each directory on the way has to tell of the next; that is thorough, and
    /// busy ones wake us for nothing. Source: kernel, fsnotify_inoderemove() is called when the last user goes.
    private mutating func arm() {
        var stale = watches
        func walk(isThorough: Bool) -> WatchedPath {
            var walk = WatchedPath(location, inotify: descriptor.number, isThorough: isThorough)
            walk.arm()
            stale += walk.watches
            return walk
        }
        var last = walk(isThorough: isThorough)
        if last.isThorough, last.isFile {
            end(stale)
            last = walk(isThorough: false)
        }
        if !last.isFile, !last.isThorough { last = walk(isThorough: true) }
        watches = last.watches
        isThorough = last.isThorough
        problem = last.problem
        end(stale.filter { old in !watches.contains { $0.number == old.number } })
    }

    /// Ends what these watches tell; those that have ended by themselves are passed over.
    private func end(_ watches: [WatchedPath.Watch]) {
        for watch in watches { _ = curfew_inotify_unwatch(descriptor.number, watch.number) }
    }

    func look() -> Identity? {
        var status = curfew_file_status()
        guard curfew_stat_at(AT_FDCWD, location + [0], true, &status) == 0, status.mode & S_IFMT != S_IFDIR else {
            return nil
        }
        return Identity(
            device: status.device, inode: status.inode, size: status.size,
            modifiedSeconds: status.modified_seconds, modifiedNanoseconds: status.modified_nanoseconds)
    }

    // MARK: Events

    private static let roomForEvents = 4096
    /// How many times as much is read at most at once: what is left makes the descriptor readable again.
    private static let maximumReads = 16

    private mutating func readEvents() -> Heard {
        withUnsafeTemporaryAllocation(byteCount: Self.roomForEvents, alignment: 8) { buffer in
            var heard = Heard()
            for _ in 0..<Self.maximumReads {
                let count = curfew_read(descriptor.number, buffer.baseAddress, buffer.count)
                if count <= 0 { break }
                hear(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]), &heard)
            }
            return heard
        }
    }

    /// Each is a number, a mask, a cookie, the length of the name, and the name, padded with NUL. Source: inotify(7).
    private mutating func hear(_ events: UnsafeRawBufferPointer, _ heard: inout Heard) {
        let header = 16
        var start = 0
        while start + header <= events.count {
            let number = events.loadUnaligned(fromByteOffset: start, as: Int32.self)
            let mask = events.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self)
            let length = Int(events.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
            let end = min(start + header + length, events.count)
            let name = events[(start + header)..<end].prefix { $0 != 0 }.map { CChar(bitPattern: $0) }
            hear(number, mask, name, &heard)
            start = end
        }
    }

    private mutating func hear(_ number: Int32, _ mask: UInt32, _ name: [CChar], _ heard: inout Heard) {
        if mask & UInt32(IN_Q_OVERFLOW) != 0 {
            // Whatever it was, it wasn't told.
            heard.mayLeadElsewhere = true
            heard.hasChanged = true
        }
        for watch in watches where watch.number == number {
            switch watch.part {
            case .itself: if name.isEmpty { heard.mayLeadElsewhere = true }
            case .name(let watched): if name == watched { heard.mayLeadElsewhere = true }
            case .file: hearOfFile(mask, &heard)
            }
        }
    }

    private mutating func hearOfFile(_ mask: UInt32, _ heard: inout Heard) {
        if mask & UInt32(IN_MODIFY) != 0 { isBeingWritten = true }
        if mask & UInt32(IN_ATTRIB) != 0 { heard.mayHaveChanged = true }
        if mask & UInt32(IN_CLOSE_WRITE) != 0 {
            heard.mayHaveChanged = true
            // Twice within a tick of the clock, the file's time can be the same.
            if isBeingWritten { heard.hasChanged = true }
            isBeingWritten = false
        }
        if mask & UInt32(IN_MOVE_SELF | IN_DELETE_SELF | IN_IGNORED | IN_UNMOUNT) != 0 { heard.mayLeadElsewhere = true }
        // The next file can be given the same inode.
        if mask & UInt32(IN_DELETE_SELF) != 0 { heard.hasChanged = true }
    }
}
