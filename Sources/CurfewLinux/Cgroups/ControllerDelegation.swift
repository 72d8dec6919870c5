import CCurfew
import Glibc

/// Hands controllers down from our own cgroup to the app's below it.
///
/// A cgroup that has processes can hand no controller down, and who starts us in a delegated cgroup puts us into that one
/// itself. So we go into a leaf of it, proxy and supervisor, for as long as the app lives. Only where nobody else is in
/// it: other people's processes stay where they are, and the limit is kept by sampling.
///
/// Source: Documentation/admin-guide/cgroup-v2.rst, "No Internal Process Constraint".
public enum ControllerDelegation {
    /// No supervisor's pid stands in it, so no sweep takes it for an app's.
    static let leaf = "curfew.supervisor"

    /// Whether the cgroups below our own one, `own`, have at least one of the controllers more from now on.
    static func begin(_ controllers: [String], in own: String, proxy: Int32) -> Bool {
        let there = names(in: own + "/cgroup.controllers")
        let wanted = controllers.filter { there.contains($0) }
        guard !wanted.isEmpty, isLeftToUs(own) else { return false }
        guard processes(of: own).contains(getpid()), holdsOnlyOurs(own, proxy: proxy) else { return false }
        let made = curfew_mkdir_at(AT_FDCWD, own + "/" + leaf, 0o755)
        guard made == 0 || made == -EEXIST else { return false }
        guard moveAll(of: own, to: own + "/" + leaf, proxy: proxy) else {
            end(in: own)
            return false
        }
        var isDone = false
        for controller in wanted where write("+" + controller, to: own + "/cgroup.subtree_control") { isDone = true }
        if !isDone { end(in: own) }
        return isDone
    }

    /// All as it was: nothing handed down, everybody in `own`, no leaf. There was nothing handed down before us, for there
    /// were processes in it.
    static func end(in own: String) {
        for controller in names(in: own + "/cgroup.subtree_control") {
            _ = write("-" + controller, to: own + "/cgroup.subtree_control")
        }
        _ = move(processes(of: own + "/" + leaf), to: own)
        _ = curfew_rmdir_at(AT_FDCWD, own + "/" + leaf)
    }

    /// The same by the proxy, whose supervisor is gone; `cgroup` is the app's.
    public static func end(afterApp cgroup: String) {
        guard let slash = cgroup.lastIndex(of: "/") else { return }
        let own = String(cgroup[..<slash])
        // Killed early, the supervisor has made the leaf and not moved us.
        if CgroupMounts.read(legacy: false).unified == own + "/" + leaf { return end(in: own) }
        _ = curfew_rmdir_at(AT_FDCWD, own + "/" + leaf)
    }

    /// Not where systemd manages it and has not delegated it: there it takes the controller back when the unit is changed.
    ///
    /// Source: systemd's CGROUP_DELEGATION.md: units' cgroups are called as they are, and those that are delegated have
    /// the attribute `user.delegate`; of older versions `trusted.delegate`, for root. A user's own manager marks none: all
    /// that a user may write to has been delegated to that user at least.
    private static func isLeftToUs(_ own: String) -> Bool {
        let isUnit = [".service", ".scope", ".slice"].contains { own.hasSuffix($0) }
        if !isUnit || geteuid() != 0 { return true }
        return curfew_has_attribute(own, "user.delegate") || curfew_has_attribute(own, "trusted.delegate")
    }

    private static func names(in path: String) -> [String] {
        let bytes = SmallFile.bytes(of: path) ?? []
        return bytes.split(whereSeparator: { $0 == 32 || $0 == 10 }).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Those of this very cgroup; 0 for one that we can't see.
    private static func processes(of cgroup: String) -> [Int32] {
        var pids: [Int32] = []
        Procfs.appendNumbers(ofFile: cgroup + "/cgroup.procs", to: &pids)
        return pids
    }

    private static func holdsOnlyOurs(_ cgroup: String, proxy: Int32) -> Bool {
        processes(of: cgroup).allSatisfy { isOurs($0, proxy: proxy) }
    }

    /// The proxy, ourselves, and what runs hooks and sources, a child of the proxy's, with all that is below it; the app isn't
    /// there yet.
    private static func isOurs(_ pid: Int32, proxy: Int32) -> Bool {
        if pid == getpid() || pid == proxy { return true }
        // One that has ended meanwhile isn't there any more.
        return isRun(
            pid, by: proxy, parent: { Procfs.stat($0)?.parent ?? (curfew_kill($0, 0) == -ESRCH ? nil : 0) },
            name: { Procfs.commandName($0) })
    }

    /// Whether it is below a process of Curfew's that is a child of the proxy's.
    ///
    /// `parent`: nil of one that isn't there any more, 0 where nobody tells.
    static func isRun(_ pid: Int32, by proxy: Int32, parent: (Int32) -> Int32?, name: (Int32) -> String?) -> Bool {
        var member = pid
        for _ in 0..<mostGenerations {
            guard let above = parent(member) else { return true }
            if above == proxy { return name(member)?.hasPrefix("curfew-") == true }
            if above <= 1 { return false }
            member = above
        }
        return false
    }

    /// More than anything that is started by a shell's script.
    static let mostGenerations = 64

    /// What was born while others moved is moved after them.
    private static func moveAll(of cgroup: String, to other: String, proxy: Int32) -> Bool {
        for _ in 0..<16 {
            let pids = processes(of: cgroup)
            if pids.isEmpty { return true }
            guard pids.allSatisfy({ isOurs($0, proxy: proxy) }) else { return false }
            _ = move(pids, to: other)
        }
        return false
    }

    private static func move(_ pids: [Int32], to cgroup: String) -> Bool {
        var areMoved = true
        for pid in pids where !write(String(pid), to: cgroup + "/cgroup.procs") { areMoved = false }
        return areMoved
    }

    private static func write(_ text: String, to path: String) -> Bool {
        curfew_write_file_at(AT_FDCWD, path, text) >= 0
    }
}
