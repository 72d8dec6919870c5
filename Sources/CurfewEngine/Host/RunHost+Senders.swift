import CurfewCore
import CurfewLinux

/// Who sends signals, and what is told of those that nobody has a say by.
extension RunHost {
    func standing(of pid: Int32) -> SignalSender.Standing {
        SenderJudge(app: Self.app).standing(of: pid, ancestry: { instance?.tree.ancestry(of: $0) })
    }

    func noteIgnored(_ signal: Int32, _ sender: SignalSender) {
        let news = ignoredSignals.record(signal, from: sender, at: kernel.now)
        if let news { record(news, of: Self.app) }
    }

    // MARK: Ourselves

    /// The front has continued us. Between two looks nothing was enforced; what is due by now is done now.
    func wasStopped() {
        guard let news = stops.news(at: kernel.now) else { return }
        if news == .first {
            StandardError.print("curfew: \(draft.name): the supervisor was stopped by a signal, and goes on")
        }
        recordOfAll(.supervisorStopped)
    }
}
