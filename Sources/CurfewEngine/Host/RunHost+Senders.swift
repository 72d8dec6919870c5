import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// Who sends signals, and what is told of those that nobody has a say by.
extension RunHost {
    func standing(of pid: Int32) -> SignalSender.Standing {
        // Held while it is looked at, so that all that is seen is of one process.
        var pidfd = Descriptor(curfew_pidfd_open(pid))
        defer { pidfd.close() }
        guard let ancestry = instance?.tree.ancestry(of: pid) else { return .unknown }
        if ancestry.isOurs { return .inside }
        // A descriptor of it can be refused by a sandbox.
        let isThere = pidfd.isOpen ? curfew_pidfd_send_signal(pidfd.number, 0) : curfew_kill(pid, 0)
        if isThere == -ESRCH { return .unknown }
        // A /proc that isn't ours tells nothing; without it a shell's `fg` must still work.
        return ancestry.isKnown || !Procfs.isOurs ? .outside : .unknown
    }

    func noteIgnored(_ signal: Int32, _ sender: SignalSender) {
        guard ignoredSignals.isTold(at: kernel.now) else { return }
        var pid: Int32?
        if case .process(let sender) = sender { pid = sender }
        record(.signalIgnored(signal, from: pid), of: Self.app)
    }

    // MARK: Ourselves

    /// The front has continued us. Between two looks nothing was enforced; what is due by now is done now.
    func wasStopped() {
        guard stops.isTold(at: kernel.now) else { return }
        if !wasEverStopped {
            StandardError.print("curfew: \(draft.name): the supervisor was stopped by a signal, and goes on")
        }
        wasEverStopped = true
        recordOfAll(.supervisorStopped)
    }
}
