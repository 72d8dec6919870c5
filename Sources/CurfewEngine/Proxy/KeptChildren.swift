import CCurfew
import CurfewLinux
import Glibc

/// The proxy's children that it had before; a number that was one of theirs can be an app's once it is reaped.
enum KeptChildren {
    /// Until then the supervisor that was killed shows that somebody goes on for it.
    static func reapSupervisor() {
        guard let supervisor = curfew_proxy()?.pointee.killed_supervisor else { return }
        var info = curfew_wait_info()
        // It ends with SIGCONT and not with SIGCHLD, which counts as a clone(2)'s end. Source: waitid(2), __WALL.
        let allKinds: Int32 = 0x4000_0000
        _ = curfew_waitid(Int32(P_PID.rawValue), supervisor, WEXITED | allKinds, &info)
        curfew_forget_kept_child(supervisor)
    }

    /// All that have ended.
    static func reapAll() {
        while case .report(let report) = Reaping.wait(.reapAny) { curfew_forget_kept_child(report.pid) }
    }
}
