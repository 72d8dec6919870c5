import CurfewCore
import CurfewLinux

/// Who sends signals, and what is told of those that nobody has a say by.
extension AppsHost {
    func side(of pid: Int32) -> SignalSender.Side {
        SenderJudge().side(of: pid, place: { place(of: $0) })
    }

    /// Told of the app that has sent it; of the default one where it came from no app.
    func noteIgnored(_ signal: Int32, _ sender: SignalSender) {
        let sendersApp = defaultApp(for: .status) ?? sender.pid.flatMap { app(of: $0, until: .max) }
        guard let app = sendersApp, let news = ignoredSignals.record(signal, from: sender, at: kernel.now) else {
            return
        }
        record(news, of: app)
    }
}
