import CCurfew
import Glibc

/// A cgroup of the v2 hierarchy that Curfew made for one app.
///
/// Source: Documentation/admin-guide/cgroup-v2.rst.
public struct Cgroup2: CgroupFiles {
    public let path: String
    public private(set) var directory: Descriptor
    private var freeze = Descriptor.none
    private var events = Descriptor.none
    private var killing = Descriptor.none
    private var procs = Descriptor.none
    var keepsFilesOpen = true

    /// What every cgroup of ours is called at first: `curfew.NAME.PID`.
    public static let prefix = "curfew."

    /// Makes `parent`/`name`. EACCES or EROFS: not ours to make one in.
    public init(parent: String, name: String) throws(KernelError) {
        path = parent + "/" + name
        directory = try CgroupDirectory.make(path, parent: parent, name: name)
    }

    /// Whether the controller is there: its files exist in this cgroup.
    public func has(file: String) -> Bool {
        var status = curfew_file_status()
        return withFile(file) { curfew_stat_at($0, $1, true, &status) } == 0
    }

    /// Asks for the whole subtree to freeze or thaw; done when `isFrozen` says so.
    public mutating func setFrozen(_ isFrozen: Bool) throws(KernelError) {
        defer { closeFiles() }
        if !freeze.isOpen {
            freeze = Descriptor(withFile("cgroup.freeze") { curfew_open_at($0, $1, O_WRONLY, 0) })
            try check(freeze.number, "open", path + "/cgroup.freeze")
        }
        let text: StaticString = isFrozen ? "1" : "0"
        try check(curfew_write(freeze.number, text.utf8Start, 1), isFrozen ? "freeze" : "thaw", path)
    }

    public mutating func isFrozen() -> Bool { event("frozen ") }
    public mutating func isPopulated() -> Bool { event("populated ") }

    private mutating func event(_ key: StaticString) -> Bool {
        defer { closeFiles() }
        if !events.isOpen { events = Descriptor(withFile("cgroup.events") { curfew_open_at($0, $1, O_RDONLY, 0) }) }
        guard events.isOpen else { return false }
        return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { buffer in
            let count = curfew_pread(events.number, buffer.baseAddress, 256, 0)
            guard count > 0 else { return false }
            return UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]).number(after: key) == 1
        }
    }

    private mutating func closeFiles() {
        if keepsFilesOpen { return }
        freeze.close()
        events.close()
    }

    /// SIGKILL to every process of the subtree, forks under way included. ENOENT before Linux 5.14.
    public func kill() throws(KernelError) {
        guard killing.isOpen else { return try write("1", to: "cgroup.kill") }
        let one: StaticString = "1"
        try check(curfew_write(killing.number, one.utf8Start, 1), "write 1 to", path + "/cgroup.kill")
    }

    /// Opens what a kill needs: an app can take our limit of descriptors from us, by prlimit(2).
    mutating func prepareKill() {
        killing = Descriptor(withFile("cgroup.kill") { curfew_open_at($0, $1, O_WRONLY, 0) })
    }

    /// All but what a kill needs is closed, and opened each time. The directory's lock goes with it: for one below a cgroup
    /// that is locked itself.
    mutating func keepOnlyKill() {
        keepsFilesOpen = false
        closeFiles()
        procs.close()
        if !killing.isOpen { prepareKill() }
        // Before Linux 5.14 there is no such file.
        if killing.isOpen { directory.close() }
    }

    /// Every process of the subtree.
    public func processes() -> [Int32] {
        withDirectory { CgroupDirectory.processes(of: $0, listed: procs) }
    }

    /// Keeps its list open: a suspension reads it several times.
    mutating func prepareSuspension() {
        guard keepsFilesOpen, !procs.isOpen else { return }
        procs = Descriptor(withFile("cgroup.procs") { curfew_open_at($0, $1, O_RDONLY, 0) })
    }

    /// Removes it and what the app made below it; false while a process is in it.
    public mutating func remove() -> Bool {
        curfew_rmdir_at(AT_FDCWD, path) == 0 || withDirectory { CgroupDirectory.remove(path, $0) }
    }

    mutating func close() {
        freeze.close()
        events.close()
        killing.close()
        procs.close()
        directory.close()
    }

    /// CPU time of everything that ran in it, in microseconds.
    public var cpuMicroseconds: UInt64? { number(in: "cpu.stat", after: "usage_usec") }
}
