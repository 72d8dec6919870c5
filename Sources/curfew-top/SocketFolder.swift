import CCurfew
import CurfewLinux
import Glibc

/// The sockets of this user's supervisors, and a watch on which come and go.
struct SocketFolder {
    /// One app's socket, or a server's.
    struct Entry: Hashable {
        let path: String
        /// Nil: a server's.
        let app: String?
        /// Nil: one app's.
        var server: String? {
            guard app == nil, let name = path.split(separator: "/").last else { return nil }
            return String(name.dropLast(RuntimeDirectory.socketSuffix.utf8.count))
        }
    }

    /// Readable when they may be others; not open where the kernel grants no watch.
    private(set) var descriptor: Descriptor
    private var directory = RuntimeDirectory.ofThisUser()
    /// Of what is above it, while it isn't there.
    private var parentWatch: Int32?

    private static let names = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM | IN_ONLYDIR)

    init() { descriptor = Descriptor(curfew_inotify()) }

    /// Whether somebody has to look by himself now and then.
    var isBlind: Bool { !descriptor.isOpen }

    /// Those that are there now; what comes after this makes the descriptor readable.
    mutating func entries() -> [Entry] {
        readAll()
        directory = RuntimeDirectory.ofThisUser()
        arm()
        // One of which no app runs has no name but its own.
        var found = directory.servers().map { Entry(path: directory.serverSocketPath($0), app: nil) }
        for name in directory.names() {
            let path = directory.socketPath(name)
            let entry = target(of: path).map { Entry(path: $0, app: nil) } ?? Entry(path: path, app: name)
            if !found.contains(entry) { found.append(entry) }
        }
        return found
    }

    /// Takes away what supervisors that are gone have left, as `curfew ps` does.
    func sweep() { directory.sweep() }

    /// Until there is one, its folder tells of it.
    private mutating func arm() {
        guard descriptor.isOpen else { return }
        let parent = directory.path.split(separator: "/").dropLast().joined(separator: "/")
        if watch(directory.path) != nil {
            // That can be a busy one.
            if let parentWatch { _ = curfew_inotify_unwatch(descriptor.number, parentWatch) }
            parentWatch = nil
            _ = watch(directory.serverFolder.path)
        } else {
            parentWatch = watch("/" + parent)
        }
    }

    private mutating func watch(_ path: String) -> Int32? {
        let watch = curfew_inotify_watch(descriptor.number, path, Self.names)
        // No more may be watched.
        if watch == -ENOSPC { descriptor.close() }
        return watch >= 0 ? watch : nil
    }

    private func readAll() {
        guard descriptor.isOpen else { return }
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while curfew_read(descriptor.number, buffer.baseAddress, buffer.count) > 0 {}
        }
    }

    /// Where a link leads; nil for what is none.
    private func target(of path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            let length = curfew_read_link_at(AT_FDCWD, path, buffer.baseAddress, buffer.count)
            guard length > 0 else { return nil }
            let text = String(decoding: buffer[..<Int(length)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return text.hasPrefix("/") ? text : directory.path + "/" + text
        }
    }
}
