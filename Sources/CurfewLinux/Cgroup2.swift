import CCurfew
import Glibc

/// A cgroup of the v2 hierarchy that Curfew made for one app.
///
/// An flock on the directory, held as long as the supervisor lives, tells a later start whether the cgroup is still
/// somebody's: whoever gets the lock may sweep it.
/// Source: Documentation/admin-guide/cgroup-v2.rst.
public struct Cgroup2: Sendable {
    public let path: String
    public private(set) var directory: Descriptor
    private var freeze = Descriptor.none
    private var events = Descriptor.none

    /// What every cgroup of ours is called at first, so that others can be told apart and swept.
    public static let prefix = "curfew."

    /// Makes `parent`/`name`. EACCES or EROFS: not ours to make one in; EEXIST: taken.
    public init(parent: String, name: String) throws(KernelError) {
        path = parent + "/" + name
        try check(curfew_mkdir_at(AT_FDCWD, path, 0o755), "make cgroup", path)
        directory = Descriptor(curfew_open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0))
        guard directory.isOpen else { throw KernelError("open cgroup", path, errno: -directory.number) }
        let locked = curfew_flock(directory.number, false)
        if locked < 0 {
            // A sweep came between; it takes the empty cgroup away.
            directory.close()
            throw KernelError("lock cgroup", path, errno: EAGAIN)
        }
    }

    /// Whether the controller is there: its files exist in this cgroup.
    public func has(file: String) -> Bool {
        var status = curfew_file_status()
        return curfew_stat_at(directory.number, file, true, &status) == 0
    }

    public func write(_ text: String, to file: String) throws(KernelError) {
        try check(curfew_write_file_at(directory.number, file, text), "write \(text) to", path + "/" + file)
    }

    public func number(in file: String, after key: StaticString? = nil) -> UInt64? {
        let value = SmallFile.withContents(of: file, at: directory.number) { text -> UInt64? in
            if let key { return text.number(after: key) }
            var index = 0
            return text.number(at: &index)
        }
        return value ?? nil
    }

    /// Asks for the whole subtree to freeze or thaw; done when `isFrozen` says so.
    public mutating func setFrozen(_ isFrozen: Bool) throws(KernelError) {
        if !freeze.isOpen {
            freeze = Descriptor(curfew_open_at(directory.number, "cgroup.freeze", O_WRONLY, 0))
            try check(freeze.number, "open", path + "/cgroup.freeze")
        }
        let text: StaticString = isFrozen ? "1" : "0"
        try check(curfew_write(freeze.number, text.utf8Start, 1), isFrozen ? "freeze" : "thaw", path)
    }

    public mutating func isFrozen() -> Bool { event("frozen ") }
    public mutating func isPopulated() -> Bool { event("populated ") }

    private mutating func event(_ key: StaticString) -> Bool {
        if !events.isOpen { events = Descriptor(curfew_open_at(directory.number, "cgroup.events", O_RDONLY, 0)) }
        guard events.isOpen else { return false }
        return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { buffer in
            let count = curfew_pread(events.number, buffer.baseAddress, 256, 0)
            guard count > 0 else { return false }
            return UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]).number(after: key) == 1
        }
    }

    /// SIGKILL to every process of the subtree, forks under way included. ENOENT before Linux 5.14.
    public func kill() throws(KernelError) { try write("1", to: "cgroup.kill") }

    /// Every process of the subtree. Its own cgroups are rare: their number is the directory's links less two.
    public func processes() -> [Int32] {
        var pids: [Int32] = []
        Self.appendProcesses(of: directory.number, to: &pids)
        return pids
    }

    private static func appendProcesses(of directory: Int32, to pids: inout [Int32]) {
        Procfs.appendNumbers(ofFile: "cgroup.procs", at: directory, to: &pids)
        forEachChild(of: directory) { child, _ in appendProcesses(of: child, to: &pids) }
    }

    private static func forEachChild(of directory: Int32, _ body: (Int32, UnsafePointer<CChar>) -> Void) {
        var status = curfew_file_status()
        guard curfew_fstat(directory, &status) == 0, status.link_count > 2 else { return }
        // A descriptor of its own: a listing moves the offset that is shared otherwise.
        var listing = Descriptor(curfew_open_at(directory, ".", O_RDONLY | O_DIRECTORY, 0))
        guard listing.isOpen else { return }
        Directory.forEachName(in: listing.number) { name in
            var child = Descriptor(curfew_open_at(directory, name, O_RDONLY | O_DIRECTORY, 0))
            guard child.isOpen else { return }
            body(child.number, name)
            child.close()
        }
        listing.close()
    }

    /// Removes it and what the app made below it; false while a process is in it.
    public mutating func remove() -> Bool {
        if curfew_rmdir_at(AT_FDCWD, path) == 0 { return true }
        Self.removeChildren(of: directory.number)
        let result = curfew_rmdir_at(AT_FDCWD, path)
        return result == 0 || result == -ENOENT
    }

    private static func removeChildren(of directory: Int32) {
        forEachChild(of: directory) { child, name in
            removeChildren(of: child)
            _ = curfew_rmdir_at(directory, name)
        }
    }

    /// CPU time of everything that ran in it, in microseconds.
    public var cpuMicroseconds: UInt64? { number(in: "cpu.stat", after: "usage_usec") }

    /// Takes away what supervisors that are gone have left in `parent`, killing what still runs in it.
    ///
    /// At most `limit` a call: a start must not pay for a thousand.
    public static func sweep(parent: String, keeping own: String, limit: Int = 16) {
        var listing = Descriptor(curfew_open_at(AT_FDCWD, parent, O_RDONLY | O_DIRECTORY, 0))
        guard listing.isOpen else { return }
        defer { listing.close() }
        var left = limit
        Directory.forEachName(in: listing.number) { name in
            guard left > 0, strncmp(name, prefix, prefix.utf8.count) == 0, strcmp(name, own) != 0 else { return }
            left -= 1
            sweepOne(parent: listing.number, name: name)
        }
    }

    private static func sweepOne(parent: Int32, name: UnsafePointer<CChar>) {
        var directory = Descriptor(curfew_open_at(parent, name, O_RDONLY | O_DIRECTORY, 0))
        guard directory.isOpen else { return }
        defer { directory.close() }
        guard curfew_flock(directory.number, false) >= 0 else { return }
        if curfew_rmdir_at(parent, name) == 0 { return }
        _ = curfew_write_file_at(directory.number, "cgroup.kill", "1")
        removeChildren(of: directory.number)
        // Killed processes take a moment to leave; what is left then, the next start sweeps.
        for _ in 0..<50 where curfew_rmdir_at(parent, name) == -EBUSY { usleep(1000) }
    }
}
