import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// Judges who asks for something, or has sent a signal: by its user, and by where it stands with regard to the app.
struct SenderJudge {
    let app: AppID
    /// The user; and whose rights the supervisor has, where they are another's.
    var user = getuid()
    var effectiveUser = geteuid()
    /// Whether /proc is the one of our processes; else no line of ancestors can be known.
    var knowsProcesses = Procfs.isOurs

    /// What a message's sender may do.
    ///
    /// `ancestry`: nil where there is no such app; `isOfApp`: asked of another user's process, which is never more.
    func role(
        of sender: curfew_sender, ancestry: (Int32) -> Ancestry?, isOfApp: (Int32) -> Bool
    ) -> ControlSession.Role {
        guard sender.uid == effectiveUser || sender.uid == 0 || sender.uid == user else {
            return isOfApp(sender.pid) ? .app(app) : .stranger
        }
        guard let ancestry = ancestry(sender.pid) else { return .stranger }
        if ancestry.isOurs { return .app(app) }
        return ancestry.isKnown && !ancestry.isInAnyApp ? .operator : .stranger
    }

    /// Where a signal's sender stands.
    ///
    /// `hold`: opens a pidfd of it, or answers -errno.
    func standing(
        of pid: Int32, hold: (Int32) -> Int32 = { curfew_pidfd_open($0) }, ancestry: (Int32) -> Ancestry?
    ) -> SignalSender.Standing {
        // Held while it is looked at, so that all that is seen is of one process.
        var pidfd = Descriptor(hold(pid))
        defer { pidfd.close() }
        guard let ancestry = ancestry(pid) else { return .unknown }
        if ancestry.isOurs { return .inside }
        // A descriptor of it can be refused by a sandbox.
        let isThere = pidfd.isOpen ? curfew_pidfd_send_signal(pidfd.number, 0) : curfew_kill(pid, 0)
        if isThere == -ESRCH { return .unknown }
        // A /proc that isn't ours tells nothing; without it a shell's `fg` must still work.
        return ancestry.isKnown || !knowsProcesses ? .outside : .unknown
    }
}
