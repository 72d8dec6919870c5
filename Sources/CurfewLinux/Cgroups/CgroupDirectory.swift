import CCurfew
import Glibc

/// What both versions' cgroup directories have in common: how ours are called, made, listed, emptied and removed.
///
/// An flock on the directory, held as long as the supervisor or its keeper lives, tells a later start whether a
/// cgroup is still somebody's: whoever gets the lock may sweep it.
public enum CgroupDirectory {
    /// Makes `path`, which is `parent`/`name`, and returns it open and locked.
    ///
    /// Another's sweep can come between the making and the lock and take the empty directory away; then it is made
    /// again. One of this name is a dead supervisor's that had our pid, and is swept first.
    static func make(_ path: String, parent: String, name: String) throws(KernelError) -> Descriptor {
        for _ in 0..<8 {
            let made = curfew_mkdir_at(AT_FDCWD, path, 0o755)
            if made == -EEXIST {
                // Only what is called as ours are is ever swept: a sweep kills.
                guard isOurs(name[...]) else { throw KernelError("make cgroup", path, errno: EEXIST) }
                StaleCgroup(path, supervisor: nil).finish()
                continue
            }
            try check(made, "make cgroup", path)
            var directory = Descriptor(curfew_open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0))
            if directory.isOpen, curfew_flock(directory.number, false) >= 0, isStillThere(path, directory.number) {
                return directory
            }
            let isGone = !directory.isOpen && directory.number == -ENOENT
            if !directory.isOpen, !isGone {
                _ = curfew_rmdir_at(AT_FDCWD, path)
                throw KernelError("open cgroup", path, errno: -directory.number)
            }
            directory.close()
        }
        throw KernelError("make cgroup", path, errno: EAGAIN)
    }

    private static func isStillThere(_ path: String, _ directory: Int32) -> Bool {
        var opened = curfew_file_status()
        var named = curfew_file_status()
        return curfew_fstat(directory, &opened) == 0 && curfew_stat_at(AT_FDCWD, path, false, &named) == 0
            && opened.inode == named.inode && opened.device == named.device
    }

    /// Whether a directory of this name is ours: `curfew.NAME.PID`. A unit called `curfew.service` isn't.
    static func isOurs(_ name: Substring) -> Bool { supervisor(of: name) != nil }

    /// Whether what is in it is an app: `curfew timeout` makes one for what isn't, `curfew.-NAME.PID`.
    static func isApps(_ name: Substring) -> Bool { isOurs(name) && !name.hasPrefix(Cgroup2.prefix + "-") }

    /// The pid in `curfew.NAME.PID`.
    static func supervisor(of name: Substring) -> Int32? {
        guard name.hasPrefix(Cgroup2.prefix), let dot = name.lastIndex(of: ".") else { return nil }
        let digits = name[name.index(after: dot)...]
        let hasName = name.distance(from: name.startIndex, to: dot) > Cgroup2.prefix.utf8.count
        guard hasName, !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int32(digits)
    }

    // MARK: What is in it

    /// Every process of the subtree. Cgroups below are rare: their number is the directory's links less two.
    ///
    /// `listed`: its own list, where that is open already.
    static func processes(of directory: Int32, listed: Descriptor = .none) -> [Int32] {
        var pids: [Int32] = []
        appendProcesses(of: directory, listed: listed, to: &pids)
        return pids
    }

    private static func appendProcesses(of directory: Int32, listed: Descriptor = .none, to pids: inout [Int32]) {
        if listed.isOpen {
            Procfs.appendNumbers(of: listed, to: &pids)
        } else {
            Procfs.appendNumbers(ofFile: "cgroup.procs", at: directory, to: &pids)
        }
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

    // MARK: Emptying

    /// Thaws a v1 freezer and those below it, which keep a state of their own.
    static func thaw(_ directory: Int32) {
        _ = curfew_write_file_at(directory, "freezer.state", "THAWED")
        forEachChild(of: directory) { child, _ in thaw(child) }
    }

    /// Every process of the subtree to the cgroup at `path`, one by one.
    static func move(from directory: Int32, to path: String) {
        for pid in processes(of: directory) {
            _ = curfew_write_file_at(AT_FDCWD, path + "/cgroup.procs", decimal(Int(pid)))
        }
    }

    /// Removes it and what was made below it; false while a process is in it.
    static func remove(_ path: String, _ directory: Int32) -> Bool {
        if curfew_rmdir_at(AT_FDCWD, path) == 0 { return true }
        removeChildren(of: directory)
        let result = curfew_rmdir_at(AT_FDCWD, path)
        return result == 0 || result == -ENOENT
    }

    private static func removeChildren(of directory: Int32) {
        forEachChild(of: directory) { child, name in
            removeChildren(of: child)
            _ = curfew_rmdir_at(directory, name)
        }
    }

    // MARK: When its supervisor is gone

    /// SIGKILL to all in a cgroup that is known by its path only, of either version.
    ///
    /// `freezing`: where there is no `cgroup.kill`, all is frozen meanwhile, so that none forks its way out; but were we
    /// killed ourselves just then, it would stay frozen.
    public static func kill(_ path: String, freezing: Bool = true) {
        withDirectory(path) { directory in
            if killAtOnce(directory) { return }
            if freezing { freeze(directory) }
            killEach(in: directory)
        }
    }

    /// False where there is no `cgroup.kill`.
    static func killAtOnce(_ directory: Int32) -> Bool { curfew_write_file_at(directory, "cgroup.kill", "1") >= 0 }

    /// What is frozen runs on, to its end.
    static func killEach(in directory: Int32) {
        for pid in processes(of: directory) { _ = curfew_kill(pid, SIGKILL) }
        resume(directory)
    }

    /// By which a cgroup is frozen.
    enum Freezer { case unified, legacy }

    /// So long what is to be killed has time to freeze.
    static let freezingMilliseconds = 25

    private static func freeze(_ directory: Int32) {
        guard let freezer = beginFreezing(directory) else { return }
        for _ in 0..<freezingMilliseconds {
            if isFrozen(directory, by: freezer) { return }
            usleep(1000)
        }
    }

    /// Nil where nothing can freeze it.
    static func beginFreezing(_ directory: Int32) -> Freezer? {
        if curfew_write_file_at(directory, "cgroup.freeze", "1") >= 0 { return .unified }
        return curfew_write_file_at(directory, "freezer.state", "FROZEN") >= 0 ? .legacy : nil
    }

    static func isFrozen(_ directory: Int32, by freezer: Freezer) -> Bool {
        let isFrozen: Bool? =
            switch freezer {
            case .unified:
                SmallFile.withContents(of: "cgroup.events", at: directory) { $0.number(after: "frozen ") == 1 }
            case .legacy:
                SmallFile.withContents(of: "freezer.state", at: directory) { $0.elementsEqual("FROZEN\n".utf8) }
            }
        return isFrozen ?? true
    }

    /// Moves what is in it to another, again for what forks meanwhile.
    public static func empty(_ path: String, to other: String) {
        withDirectory(path) { directory in
            for _ in 0..<3 { move(from: directory, to: other) }
        }
    }

    /// Lets all that is frozen in a cgroup run on.
    public static func resume(_ path: String) { withDirectory(path) { resume($0) } }

    private static func resume(_ directory: Int32) {
        _ = curfew_write_file_at(directory, "cgroup.freeze", "0")
        thaw(directory)
    }

    /// Takes away what slows its processes down and nobody is left to take away; limits stay. Files that aren't there,
    /// as most are in any one hierarchy, are passed over.
    public static func stopHoldingBack(_ path: String) {
        withDirectory(path) { directory in
            let usual = [
                ("memory.high", "max"), ("cpu.max", "max"), ("cpu.weight", "100"), ("cpu.cfs_quota_us", "-1"),
                ("cpu.shares", "1024"),
            ]
            for (file, text) in usual { _ = curfew_write_file_at(directory, file, text) }
        }
    }

    /// Removes a cgroup known by its path only; false while a process is in it.
    public static func remove(_ path: String) -> Bool {
        if curfew_rmdir_at(AT_FDCWD, path) != -EBUSY { return true }
        withDirectory(path) { removeChildren(of: $0) }
        return curfew_rmdir_at(AT_FDCWD, path) != -EBUSY
    }

    private static func withDirectory(_ path: String, _ body: (Int32) -> Void) {
        var directory = Descriptor(curfew_open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0))
        guard directory.isOpen else { return }
        body(directory.number)
        directory.close()
    }

    // MARK: Frozen by somebody who is gone

    /// Thaws the v1 freezers of ours that hold these processes: frozen there, SIGKILL doesn't end them. A supervisor
    /// inside the app can have left them so, being killed before it could thaw them.
    static func thawFreezers(holding pids: [Int32]) {
        let stuck = pids.filter { Procfs.stat($0)?.state == UInt8(ascii: "D") }
        guard !stuck.isEmpty, let root = freezerRoot() else { return }
        for path in Set(stuck.compactMap { Procfs.freezerCgroup(of: $0) }) {
            guard path.split(separator: "/").contains(where: isOurs) else { continue }
            withDirectory(root + path) { thaw($0) }
        }
    }

    /// Where the v1 freezer hierarchy begins, as far as its mount shows it.
    private static func freezerRoot() -> String? {
        guard let own = CgroupMounts.read(legacy: true).freezer, let path = Procfs.freezerCgroup(of: getpid()) else {
            return nil
        }
        if path == "/" { return own }
        return own.hasSuffix(path) ? String(own.dropLast(path.count)) : nil
    }
}
