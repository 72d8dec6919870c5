import CurfewCore
import CurfewLinux

/// Who sends signals, and what is told of those that nobody has a say by.
extension RunHost {
    func standing(of pid: Int32) -> SignalSender.Standing {
        SenderJudge(app: Self.app).standing(of: pid, ancestry: { instance?.tree.ancestry(of: $0) })
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
