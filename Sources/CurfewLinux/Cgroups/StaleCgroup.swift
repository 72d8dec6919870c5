import CCurfew
import Glibc

/// A cgroup that a supervisor which is gone has left, on its way out.
///
/// Its lock tells whether somebody goes on for that supervisor; whoever gets it may kill what is in it.
final class StaleCgroup {
    private let path: String
    /// Nil for one that had our own number: it is certain to be gone.
    private let supervisor: Int32?
    /// Open while it is locked.
    private var directory = Descriptor.none
    private var stage = Stage.found
    private var round = 0
    private var freezer: CgroupDirectory.Freezer?
    private var looks = 0

    private enum Stage {
        case found
        /// Its lock is free for a moment: a keeper that goes on for a dead supervisor takes it then.
        case leftToKeeper
        case killing
        case freezing
    }

    /// In nanoseconds.
    private static let keepersTime: Int64 = 20_000_000
    /// Killed processes take a moment to leave. In nanoseconds.
    private static let interval: Int64 = 1_000_000
    /// What is left after all, the next start sweeps.
    private static let rounds = 50
    /// Before what can't be killed at one stroke is frozen, so that none forks its way out: were we killed ourselves just then,
    /// it would stay frozen.
    private static let gentleRounds = 3

    init(_ path: String, supervisor: Int32?) {
        self.path = path
        self.supervisor = supervisor
    }

    /// Whether neither the supervisor of this number is there nor, dead, its proxy, which sees to what it has left and reaps it
    /// then. Anybody else above a dead one may never reap it, as some containers' init.
    ///
    /// Asked before its lock: a new supervisor may not have that yet.
    static func isLeft(by supervisor: Int32) -> Bool {
        guard let stat = Procfs.stat(supervisor), stat.holdsOthers else { return true }
        return stat.isGone && !hasProxy(stat)
    }

    private static func hasProxy(_ supervisor: Procfs.Stat) -> Bool {
        var proxy = curfew_file_status()
        var own = curfew_file_status()
        // Whatever it was called by: a proxy is the executable that we are.
        let path = "/proc/" + decimal(Int(supervisor.parent)) + "/exe"
        return curfew_stat_at(AT_FDCWD, path, true, &proxy) == 0
            && curfew_stat_at(AT_FDCWD, "/proc/self/exe", true, &own) == 0
            && proxy.inode == own.inode && proxy.device == own.device
    }

    /// Does what comes next, without sleeping. Returns in how many nanoseconds there is more to do; nil: it is gone, or spared,
    /// or given up. `staysLocked`: until then.
    func goOn(staysLocked: Bool = true) -> Int64? {
        let pause: Int64? =
            switch stage {
            case .found: begin()
            case .leftToKeeper: take() ? killAll() : nil
            case .killing: isTaken() ? killAll() : nil
            case .freezing: isTaken() ? goOnFreezing() : nil
            }
        if pause == nil || !staysLocked { letGo() }
        return pause
    }

    /// All of it, sleeping in between.
    func finish() {
        while let pause = goOn() { usleep(UInt32(pause / 1000)) }
    }

    private func begin() -> Int64? {
        // Found some turns ago, its supervisor's number can be a new one's by now.
        if let supervisor, !Self.isLeft(by: supervisor) { return nil }
        guard take() else { return nil }
        if curfew_rmdir_at(AT_FDCWD, path) == 0 { return nil }
        guard supervisor != nil, !CgroupDirectory.processes(of: directory.number).isEmpty else { return killAll() }
        letGo()
        stage = .leftToKeeper
        return Self.keepersTime
    }

    /// Locks it; false where somebody has it, or it is gone.
    private func take() -> Bool {
        directory = Descriptor(curfew_open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0))
        return directory.isOpen && curfew_flock(directory.number, false) >= 0
    }

    /// Still, or anew.
    private func isTaken() -> Bool { directory.isOpen || take() }

    /// Unlocked first: a process that is just being forked has a copy of the descriptor.
    private func letGo() {
        if directory.isOpen { _ = flock(directory.number, LOCK_UN) }
        directory.close()
    }

    private func killAll() -> Int64? {
        stage = .killing
        if CgroupDirectory.killAtOnce(directory.number) { return remove() }
        guard round >= Self.gentleRounds, let freezer = CgroupDirectory.beginFreezing(directory.number) else {
            return killEach()
        }
        self.freezer = freezer
        looks = 0
        stage = .freezing
        return goOnFreezing()
    }

    /// What doesn't freeze in time is killed all the same.
    private func goOnFreezing() -> Int64? {
        guard let freezer, looks < CgroupDirectory.freezingMilliseconds,
            !CgroupDirectory.isFrozen(directory.number, by: freezer)
        else { return killEach() }
        looks += 1
        return 1_000_000
    }

    private func killEach() -> Int64? {
        CgroupDirectory.killEach(in: directory.number)
        return remove()
    }

    private func remove() -> Int64? {
        stage = .killing
        if CgroupDirectory.remove(path) { return nil }
        round += 1
        return round < Self.rounds ? Self.interval : nil
    }
}
