import CCurfew
import CurfewLinux
import Glibc
import Synchronization
import Testing

/// A cgroup of its own for a test, for others to be made in; taken away with all that is in it.
///
/// Not called as Curfew's are, so that no supervisor that starts meanwhile sweeps it.
struct ScratchCgroup {
    let path: String

    enum Hierarchy { case unified, memory, freezer }

    private static let count = Atomic(0)

    /// Nil where this user may make none.
    init?(_ hierarchy: Hierarchy) {
        guard let parent = Self.own(hierarchy) else { return nil }
        let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        path = "\(parent)/test-curfew-\(getpid())-\(number)"
        guard curfew_mkdir_at(AT_FDCWD, path, 0o755) == 0 else { return nil }
    }

    private static func own(_ hierarchy: Hierarchy) -> String? {
        let mounts = CgroupMounts.read(legacy: true)
        return switch hierarchy {
        case .unified: mounts.unified
        case .memory: mounts.memory
        case .freezer: mounts.freezer
        }
    }

    func remove() {
        for name in names { CgroupDirectory.kill(path + "/" + name) }
        _ = eventually { CgroupDirectory.remove(path) }
    }

    /// The cgroups in it.
    var names: [String] {
        (Directory.names(of: path) ?? []).filter { name in
            var status = curfew_file_status()
            return curfew_stat_at(AT_FDCWD, path + "/" + name, false, &status) == 0 && status.mode & S_IFMT == S_IFDIR
        }
    }

    /// Whether tests that need such a hierarchy can run here: mounted, and writable for this user.
    static let hasUnified = isUsable(.unified)
    static let hasMemory = isUsable(.memory)
    static let hasFreezer = isUsable(.freezer)

    private static func isUsable(_ hierarchy: Hierarchy) -> Bool {
        guard let scratch = ScratchCgroup(hierarchy) else { return false }
        scratch.remove()
        return true
    }
}

/// As when its supervisor dies. Closing alone wouldn't do: a process that another test starts holds a copy until its exec.
func letGo(_ directory: Descriptor) {
    var lock = directory
    #expect(flock(lock.number, LOCK_UN) == 0)
    lock.close()
}
