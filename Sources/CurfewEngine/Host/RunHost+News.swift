import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// The front's news, and signals to the supervisor itself; job control decides what they mean.
extension RunHost {
    func heardByFront(_ signal: curfew_signal_info) {
        switch signal.signal {
        case Int32(CURFEW_DOORBELL): readNews()
        case Int32(CURFEW_FRONT_GONE_SIGNAL):
            // Anybody can send it, and again; only the kernel gives us another parent, once.
            if getppid() != front { console?.handle(.frontGone) }
        case SIGCONT: break  // It has been its purpose to continue us.
        default: console?.handle(.supervisorGot(signal.signal, from: SignalSender(code: signal.code, pid: signal.pid)))
        }
    }

    private func readNews() {
        for _ in 0..<Self.signalsPerTurn {
            guard !isOver, let news = page.takeNews(front: front) else { return }
            switch news.signal {
            case 0: console?.handle(.frontAnswered(news.number))
            case SIGSTOP:
                wasStopped()
                console?.handle(.supervisorContinued)
            default:
                let sender = SignalSender(code: news.code, pid: news.pid)
                console?.handle(.frontGot(news.signal, from: sender, stops: news.number))
            }
        }
        // No more come as long as nobody rings.
        if page.newsCount > 0 { _ = curfew_kill(getpid(), Int32(CURFEW_DOORBELL)) }
    }

    /// The front has continued us. Between two looks nothing was enforced; what is due by now is done now.
    private func wasStopped() {
        guard let news = stops.news(at: kernel.now) else { return }
        if news == .first {
            StandardError.print("curfew: \(draft.name): the supervisor was stopped by a signal, and goes on")
        }
        recordOfAll(.supervisorStopped)
    }
}
