import CCurfew
import Glibc

/// A directory for what outlives a run: this user's alone to write in, made when something is first kept there.
public struct StateDirectory: Sendable, Hashable {
    public let path: String
    /// What must be there already; what is missing below it is made.
    private let base: String

    public init(path: String, below base: String = "") {
        self.path = path
        self.base = base
    }

    /// Makes what is missing of it, and makes sure that nobody else can write there.
    /// - Throws: what the file system refuses, naming the path; EPERM for a directory that isn't this user's alone, or a link.
    public func opened() throws(KernelError) -> Descriptor {
        var descriptor = Descriptor(openNoFollow())
        if descriptor.number == -ENOENT {
            try make()
            descriptor = Descriptor(openNoFollow())
        }
        if !descriptor.isOpen {
            if isLink { throw Self.untrusted(path) }
            throw KernelError("open", path, errno: -descriptor.number)
        }
        var status = curfew_file_status()
        let result = curfew_fstat(descriptor.number, &status)
        guard result == 0, status.uid == geteuid(), status.mode & 0o022 == 0 else {
            descriptor.close()
            if result < 0 { throw KernelError("look at", path, errno: -result) }
            throw Self.untrusted(path)
        }
        return descriptor
    }

    /// Removes it with all that is in it, on this file system; links are removed and not followed. One that isn't there is no mistake.
    /// - Throws: what the file system refuses, naming the path.
    public func remove() throws(KernelError) {
        let result = curfew_remove_tree(path)
        if result < 0, result != -ENOENT { throw KernelError("remove", path, errno: -result) }
    }

    private static func untrusted(_ path: String) -> KernelError {
        KernelError("trust (it must be a directory that only this user can write to)", path, errno: EPERM)
    }

    private var isLink: Bool {
        var status = curfew_file_status()
        return curfew_stat_at(AT_FDCWD, path, false, &status) == 0 && status.mode & S_IFMT == S_IFLNK
    }

    /// Source: XDG Base Directory Specification 0.8, "Referencing this specification": made with permission 0700.
    private func make() throws(KernelError) {
        var made = base
        for name in path.dropFirst(base.count).split(separator: "/") {
            made += "/" + name
            let result = curfew_mkdir_at(AT_FDCWD, made, 0o700)
            if result < 0, result != -EEXIST { throw KernelError("make", made, errno: -result) }
        }
    }

    private func openNoFollow() -> Int32 { curfew_open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0) }
}

// MARK: Where it is

extension StateDirectory {
    /// The one of this name under `$XDG_STATE_HOME`, else `$HOME/.local/state`, else the same of the home that /etc/passwd names.
    ///
    /// Nil when no home is known, or it isn't there. A variable that isn't an absolute path counts as unset, and so does one that leads
    /// into another user's home, as `sudo` can leave it: what root made there its owner couldn't write to. Nil as well for an
    /// XDG_STATE_HOME that leads through what is no directory.
    /// Source: XDG Base Directory Specification 0.8.
    public static func ofThisUser(_ name: String) -> StateDirectory? {
        ofThisUser(
            name, state: getenv("XDG_STATE_HOME").map { String(cString: $0) },
            home: getenv("HOME").map { String(cString: $0) })
    }

    /// Where an app of a server saves, unless it was told of another place: what CURFEW_STATE_DIR says.
    public static func ofApp(_ name: String) -> StateDirectory? { ofThisUser("curfew/state/" + name) }

    /// The same, by what the two variables say; nil: unset.
    public static func ofThisUser(
        _ name: String, state: String?, home: String?, passwords: String = PasswordFile.path
    ) -> StateDirectory? {
        if let state = absolute(state) {
            if leadsNowhere(state) { return nil }
            if mayBeMade(state) { return StateDirectory(path: state + "/" + name) }
        }
        if let home = absolute(home), owner(of: home) == geteuid() { return StateDirectory(name, ofHome: home) }
        guard let home = absolute(PasswordFile.home(of: geteuid(), in: passwords)), owner(of: home) != nil else {
            return nil
        }
        return StateDirectory(name, ofHome: home)
    }

    /// A home directory itself is never made.
    private init(_ name: String, ofHome home: String) { self.init(path: home + "/.local/state/" + name, below: home) }

    /// Without slashes at its end; nil for one that isn't absolute, and for the root directory.
    private static func absolute(_ path: String?) -> String? {
        guard var path = path.map({ Substring($0) }), path.utf8.first == 47 else { return nil }
        while path.utf8.last == 47 { path.removeLast() }
        return path.isEmpty ? nil : String(path)
    }

    private static func owner(of path: String) -> UInt32? {
        var status = curfew_file_status()
        return curfew_stat_at(AT_FDCWD, path, true, &status) == 0 ? status.uid : nil
    }

    /// Whether something on its way is no directory, as in `/dev/null/none`: whoever says so wants none to be kept.
    private static func leadsNowhere(_ path: String) -> Bool {
        var status = curfew_file_status()
        return curfew_stat_at(AT_FDCWD, path, true, &status) == -ENOTDIR
    }

    /// Whether it is this user's; where it isn't there yet, whether it would be made in this user's or the system's.
    private static func mayBeMade(_ path: String) -> Bool {
        var status = curfew_file_status()
        var there = path
        var result = curfew_stat_at(AT_FDCWD, there, true, &status)
        if result == 0 { return status.uid == geteuid() }
        while result == -ENOENT, let slash = there.lastIndex(of: "/") {
            there = String(there[..<slash])
            result = curfew_stat_at(AT_FDCWD, there.isEmpty ? "/" : there, true, &status)
        }
        return result == 0 && (status.uid == geteuid() || status.uid == 0)
    }
}
