import CurfewCore
import Glibc

/// Which signals `curfew timeout` passes on, as timeout(1) does.
extension TimeoutPolicy {
    /// What doesn't end a process that has no handler, and is for job control, or nobody's.
    private static let notPassedOn = [SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH]

    /// Whether a signal that its supervisor was sent is the command's too.
    func passesOn(_ signal: Int32) -> Bool { signal == self.signal || !Self.notPassedOn.contains(signal) }
}
