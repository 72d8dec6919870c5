import CurfewLinux

/// The cgroups that a supervisor has noted on the shared page, for whoever goes on when it was killed.
struct NotedCgroups {
    let page: SharedPage
    /// One; false where it is in use. The kernel's, but in tests.
    var removeOne: (String) -> Bool = { CgroupDirectory.remove($0) }

    /// Those that all of the apps' processes are in.
    var holding: [String] { [page.path(.unified), page.path(.freezer)].filter { !$0.isEmpty } }
    var measuring: [String] { [page.path(.memory), page.path(.cpu)].filter { !$0.isEmpty } }

    /// False where one is left. `endsDelegation`: whether our own cgroup may have had to hand controllers down for them.
    func remove(endsDelegation: Bool) -> Bool {
        var areRemoved = true
        for cgroup in holding + measuring where !removeOne(cgroup) { areRemoved = false }
        let unified = page.path(.unified)
        if areRemoved, endsDelegation, !unified.isEmpty { ControllerDelegation.end(afterApp: unified) }
        return areRemoved
    }
}
