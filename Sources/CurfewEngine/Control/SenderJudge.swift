import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// Judges who asks for something, or has sent a signal: by its user, and by where it stands with regard to the apps.
struct SenderJudge {
    /// The user; and whose rights the supervisor has, where they are another's.
    var user = getuid()
    var effectiveUser = geteuid()
    /// Whether /proc is the one of our processes; else no line of ancestors can be known.
    var knowsProcesses = Procfs.isOurs

    /// What a message's sender may do.
    ///
    /// `place`: nil where no app is held; `app`: asked of another user's process, which is never more than inside of one.
    func role(
        of sender: curfew_sender, place: (Int32) -> ProcessPlace?, app: (Int32) -> AppID?
    ) -> ControlSession.Role {
        guard sender.uid == effectiveUser || sender.uid == 0 || sender.uid == user else {
            return app(sender.pid).map { .app($0) } ?? .stranger
        }
        guard let place = place(sender.pid) else { return .stranger }
        if let app = place.app { return .app(app) }
        let ancestry = place.ancestry
        return ancestry.isKnown && !ancestry.isInAnyApp ? .operator : .stranger
    }

    /// Where a signal's sender stands.
    ///
    /// `hold`: opens a pidfd of it, or answers -errno.
    func side(
        of pid: Int32, hold: (Int32) -> Int32 = { curfew_pidfd_open($0) }, place: (Int32) -> ProcessPlace?
    ) -> SignalSender.Side {
        // Held while it is looked at, so that all that is seen is of one process.
        var pidfd = Descriptor(hold(pid))
        defer { pidfd.close() }
        guard let place = place(pid) else { return .unknown }
        // Below a supervisor, and of no app that it knows of: it has come out of one.
        if place.app != nil || place.ancestry.isBelowSupervisor { return .inside }
        // A descriptor of it can be refused by a sandbox.
        let isThere = pidfd.isOpen ? curfew_pidfd_send_signal(pidfd.number, 0) : curfew_kill(pid, 0)
        if isThere == -ESRCH { return .unknown }
        // A /proc that isn't ours tells nothing; without it a shell's `fg` must still work.
        return place.ancestry.isKnown || !knowsProcesses ? .outside : .unknown
    }
}
