import CCurfew
import Glibc

/// Where the control sockets of this user's supervisors are.
public struct RuntimeDirectory: Sendable {
    public let path: String

    /// What a path may have in a socket's address. Source: unix(7), sun_path.
    public static let maximumSocketPathBytes = 107

    public init(path: String) { self.path = path }

    // MARK: Which

    /// Where a supervisor listens: `$XDG_RUNTIME_DIR/curfew` where that directory is this user's, else one under /tmp.
    ///
    /// That one is made here. Throws where nothing can be made, or all the names are somebody else's.
    public static func forSupervisor() throws(KernelError) -> RuntimeDirectory {
        if let path = ofSession { return RuntimeDirectory(path: path) }
        return try forSupervisor(below: "/tmp")
    }

    /// Where this user's supervisors are looked for: the same; nothing is made, and where there is none of ours, one that
    /// isn't there, so that nobody is asked who isn't ours.
    public static func ofThisUser() -> RuntimeDirectory {
        RuntimeDirectory(path: ofSession ?? existing(below: "/tmp") ?? vacant(below: "/tmp"))
    }

    private static var ofSession: String? {
        guard let variable = getenv("XDG_RUNTIME_DIR"), variable[0] == 47, owner(of: variable) == geteuid() else {
            // Under `sudo -u`, `su` or cron it can name a directory that isn't there, or another user's.
            return nil
        }
        return String(cString: variable) + "/curfew"
    }

    /// Anybody can make /tmp/curfew-UID before us, and keep it. So there are more of them, and the first of our own counts.
    private static let places = 16

    /// The first that is ours already, else the first that can be made.
    static func forSupervisor(below temporary: String) throws(KernelError) -> RuntimeDirectory {
        if let path = existing(below: temporary) { return RuntimeDirectory(path: path) }
        for number in 0..<places {
            let path = place(number, below: temporary)
            let made = curfew_mkdir_at(AT_FDCWD, path, 0o700)
            if made >= 0 || isOurs(path) { return RuntimeDirectory(path: path) }
            if made != -EEXIST { throw KernelError("make", path, errno: -made) }
        }
        let all = place(0, below: temporary) + " to -" + decimal(places - 1)
        throw KernelError(
            "make a directory for the control socket (set XDG_RUNTIME_DIR), others have", all, errno: EEXIST)
    }

    static func existing(below temporary: String) -> String? {
        for number in 0..<places {
            let path = place(number, below: temporary)
            if isOurs(path) { return path }
        }
        return nil
    }

    static func vacant(below temporary: String) -> String {
        var status = curfew_file_status()
        for number in 0..<places {
            let path = place(number, below: temporary)
            if curfew_stat_at(AT_FDCWD, path, false, &status) == -ENOENT { return path }
        }
        return place(places, below: temporary)
    }

    static func place(_ number: Int, below temporary: String) -> String {
        let first = temporary + "/curfew-" + decimal(Int(geteuid()))
        return number == 0 ? first : first + "-" + decimal(number)
    }

    /// A directory, and not a link to one, that belongs to this user.
    private static func isOurs(_ path: String) -> Bool {
        var status = curfew_file_status()
        return curfew_stat_at(AT_FDCWD, path, false, &status) == 0 && status.uid == geteuid()
            && status.mode & S_IFMT == S_IFDIR
    }

    private static func owner(of path: UnsafePointer<CChar>) -> UInt32? {
        var status = curfew_file_status()
        return curfew_stat_at(AT_FDCWD, path, true, &status) == 0 ? status.uid : nil
    }

    // MARK: Trust

    /// Makes sure of it: ours alone, 0700. EPERM: somebody else's, or open to others.
    public func prepare() throws(KernelError) -> Descriptor {
        var descriptor = Descriptor(openNoFollow())
        if descriptor.number == -ENOENT {
            let made = curfew_mkdir_at(AT_FDCWD, path, 0o700)
            if made < 0, made != -EEXIST { throw KernelError("make", path, errno: -made) }
            descriptor = Descriptor(openNoFollow())
        }
        if !descriptor.isOpen { throw KernelError("open", path, errno: -descriptor.number) }
        var status = curfew_file_status()
        try check(curfew_fstat(descriptor.number, &status), "look at", path)
        guard status.uid == geteuid(), status.mode & 0o077 == 0 else {
            descriptor.close()
            throw KernelError("trust (it must belong to this user alone, mode 0700)", path, errno: EPERM)
        }
        return descriptor
    }

    private func openNoFollow() -> Int32 { curfew_open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0) }

    // MARK: Sockets

    public func socketPath(_ name: String) -> String { path + "/" + name + Self.socketSuffix }

    /// What follows an app's name in its socket's.
    public static let socketSuffix = ".sock"

    /// What a socket is called until it is listened on; `maker` is the proxy, whose pid the keeper knows too.
    func nascentPath(maker: Int32) -> String { path + "/." + decimal(Int(maker)) }

    /// The names that have a socket here, in order; some may be of supervisors that are gone. None where the directory isn't
    /// this user's alone: whoever planted it isn't even connected to.
    public func names() -> [String] {
        let suffix = Self.socketSuffix
        return entries().filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.utf8.count)) }.sorted()
    }

    private func entries() -> [String] {
        var directory = Descriptor(openNoFollow())
        guard directory.isOpen else { return [] }
        defer { directory.close() }
        var status = curfew_file_status()
        guard curfew_fstat(directory.number, &status) == 0, status.uid == geteuid(), status.mode & 0o077 == 0 else {
            return []
        }
        return Directory.names(of: ".", at: directory.number) ?? []
    }

    /// Takes away the sockets of supervisors that are gone, their keepers too; nobody who lives is disturbed.
    public func sweep() {
        let dead = entries().filter { Self.isSocket($0) && isDead(path + "/" + $0) }
        guard !dead.isEmpty, var lock = lock(for: 0) else { return }
        for name in dead { removeUnbound(path + "/" + name) }
        lock.close()
    }

    private static func isSocket(_ name: String) -> Bool {
        name.hasSuffix(socketSuffix)
            || name.hasPrefix(".") && name.utf8.dropFirst().allSatisfy { (48...57).contains($0) }
    }

    /// To be called under the lock.
    fileprivate func removeUnbound(_ path: String) {
        if isDead(path) { _ = curfew_unlink_at(AT_FDCWD, path) }
    }

    /// Whether whoever had this name is gone: it is bound by nobody, or a link that leads nowhere any more.
    func isDead(_ path: String) -> Bool {
        let isBound = curfew_unix_is_bound(path)
        if isBound != -ENOENT { return isBound == 0 }
        var status = curfew_file_status()
        return curfew_stat_at(AT_FDCWD, path, false, &status) == 0 && status.mode & S_IFMT == S_IFLNK
    }

    /// False where the lock can't be had in time.
    func removeDead(_ path: String) -> Bool {
        guard var lock = lock(for: 1_000_000) else { return false }
        removeUnbound(path)
        lock.close()
        return true
    }

    /// The directory, locked until the descriptor is closed; nil when somebody else has held it for so long, or it can't be
    /// trusted. Only who takes a dead socket away needs it, so nobody need wait for whoever was stopped while he held it.
    func lock(for microseconds: Int64, while isAwaited: () -> Bool = { true }) -> Descriptor? {
        guard var lock = try? prepare() else { return nil }
        let deadline = curfew_monotonic_nanoseconds() + microseconds * 1000
        while curfew_flock(lock.number, false) < 0 {
            if curfew_monotonic_nanoseconds() >= deadline || !isAwaited() {
                lock.close()
                return nil
            }
            usleep(2000)
        }
        return lock
    }
}

/// A supervisor's listening socket, by which it has its name.
public struct NamedSocket: Sendable {
    public let name: String
    public let path: String
    public let descriptor: Descriptor

    public enum Claim: Sendable {
        case claimed(NamedSocket)
        case taken
        /// Nobody has it, but the socket of one that is gone is in the way, and somebody holds the directory's lock.
        case blocked
    }

    /// So long another's lock is waited for: who sweeps has it for less than a millisecond.
    private static let lockMicroseconds: Int64 = 1_000_000

    /// Takes the name, without waiting for anybody: the socket gets it when it is listened on already, in one step which fails
    /// if there is one of that name. A dead one is taken away first, under the directory's lock, for at most a second.
    ///
    /// `maker`: who keeps when this process is killed. `isAwaited`: asked each time before it waits for the lock again.
    public static func claim(
        _ name: String, in directory: RuntimeDirectory, maker: Int32 = getpid(), while isAwaited: () -> Bool = { true }
    ) throws(KernelError) -> Claim {
        let path = directory.socketPath(name)
        guard path.utf8.count <= RuntimeDirectory.maximumSocketPathBytes else {
            throw KernelError("listen on", path, errno: ENAMETOOLONG)
        }
        var trusted = try directory.prepare()
        trusted.close()
        let nascent = directory.nascentPath(maker: maker)
        var listening = try listen(nascent, for: path)
        // Others can take the name between two looks, but not for ever.
        for _ in 0..<8 {
            let named = curfew_rename_new_at(AT_FDCWD, nascent, path)
            if named >= 0 { return .claimed(NamedSocket(name: name, path: path, descriptor: listening)) }
            if named != -EEXIST {
                abandon(&listening, nascent)
                throw KernelError("listen on", path, errno: -named)
            }
            if isAlive(path) {
                abandon(&listening, nascent)
                return .taken
            }
            guard var lock = directory.lock(for: lockMicroseconds, while: isAwaited) else {
                abandon(&listening, nascent)
                return .blocked
            }
            directory.removeUnbound(path)
            lock.close()
        }
        abandon(&listening, nascent)
        return .taken
    }

    /// One of this very name is left by a proxy that was killed when it had our proxy's pid.
    private static func listen(_ nascent: String, for path: String) throws(KernelError) -> Descriptor {
        var listening = curfew_unix_listen(nascent, 64)
        if listening == -EADDRINUSE, !isAlive(nascent) {
            _ = curfew_unlink_at(AT_FDCWD, nascent)
            listening = curfew_unix_listen(nascent, 64)
        }
        return Descriptor(try check(listening, "listen on", path))
    }

    private static func abandon(_ listening: inout Descriptor, _ nascent: String) {
        _ = curfew_unlink_at(AT_FDCWD, nascent)
        listening.close()
    }

    /// Removes the socket of a supervisor that is gone; one that somebody listens on by now stays. Where the lock can't be had,
    /// it is left for whoever wants the name, or looks for apps.
    ///
    /// `maker`: as in `claim`.
    public static func removeDead(_ path: String, in directory: RuntimeDirectory, maker: Int32 = getpid()) {
        let nascent = directory.nascentPath(maker: maker)
        if !isAlive(nascent) { _ = curfew_unlink_at(AT_FDCWD, nascent) }
        guard directory.isDead(path), var lock = directory.lock(for: lockMicroseconds) else { return }
        directory.removeUnbound(path)
        lock.close()
    }

    /// False when nobody has it bound, or it is gone. What can't be told counts as alive.
    private static func isAlive(_ path: String) -> Bool {
        let isBound = curfew_unix_is_bound(path)
        return isBound != 0 && isBound != -ENOENT
    }

    public func remove() { _ = curfew_unlink_at(AT_FDCWD, path) }
}
