import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// The proxy's news, and signals to the supervisor itself; job control decides what they mean.
extension RunHost {
    func heardByProxy(_ signal: curfew_signal_info) {
        switch signal.signal {
        case Int32(CURFEW_DOORBELL): readNews(of: proxy, on: page) { heard($0) }
        case Int32(CURFEW_PROXY_GONE_SIGNAL):
            // Anybody can send it, and again; only the kernel gives us another parent, once.
            if getppid() != proxy { console?.handle(.proxyGone) }
        case SIGCONT: break  // It has been its purpose to continue us.
        default: console?.handle(.supervisorGot(signal.signal, from: SignalSender(code: signal.code, pid: signal.pid)))
        }
    }

    private func heard(_ news: ProxyNews) {
        switch news {
        case .answered(let question): console?.handle(.proxyAnswered(question))
        case .continuedUs:
            wasStopped {
                StandardError.print("curfew: \(draft.name): the supervisor was stopped by a signal, and goes on")
            }
            console?.handle(.supervisorContinued)
        case .got(let signal, let sender, let stops): console?.handle(.proxyGot(signal, from: sender, stops: stops))
        }
    }
}
