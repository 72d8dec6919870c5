import CCurfew
import Glibc

/// Where /proc isn't ours: what is left to hold an app by is its cgroup, or else the leader and its process group.
///
/// Whatever has left the group then can't be found, and isn't waited for.
extension ProcessTree {
    /// The leader's own group, where nothing else tells of the app's processes; nil when that isn't so, or it is gone.
    public var onlyGroup: Int32? {
        guard !Procfs.isOurs, !containment.hasFreezer, holdsOwnGroup else { return nil }
        return ownGroup
    }

    /// Whether nothing is left of what can be held, once the leader has been reaped.
    public func isGoneUnseen() -> Bool {
        guard !containment.hasFreezer else { return !containment.isPopulated() && containment.remove() }
        return onlyGroup.map { curfew_kill(-$0, 0) == -ESRCH } ?? true
    }

    /// The freezer holds it for good, for nobody would see each process stopped; without one the group is stopped.
    func suspendUnseen() {
        if containment.hasFreezer, (try? containment.setFrozen(true)) != nil {
            stopPhase = .freezing(until: curfew_monotonic_nanoseconds() + Self.freezeMicroseconds * 1000)
            return
        }
        signalUnseen(SIGSTOP)
    }

    func resumeUnseen() { signalUnseen(SIGCONT) }

    private func signalUnseen(_ number: Int32) {
        if let onlyGroup {
            _ = curfew_kill(-onlyGroup, number)
        } else if Reaping.isChild(leader) {
            _ = curfew_kill(leader, number)
        }
    }
}
