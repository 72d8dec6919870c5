import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// What comes by signals: children that end or stop, and the front's news; job control decides what those mean.
extension RunHost {
    /// How many signals, and how much of the front's news, are dealt with before it is others' turn.
    private static var signalsPerTurn: Int { 32 }

    func readSignals() {
        var info = curfew_signal_info()
        // In turns, so that a flood of signals holds up nothing that is due.
        for _ in 0..<Self.signalsPerTurn {
            guard ending == nil, curfew_signalfd_read(signals.number, &info) == 1 else { return }
            switch info.signal {
            case SIGCHLD: childrenChanged()
            case Int32(CURFEW_DOORBELL): readNews()
            case Int32(CURFEW_FRONT_GONE_SIGNAL):
                // Anybody can send it, and again; only the kernel gives us another parent, once.
                if getppid() != front { console?.handle(.frontGone) }
            case SIGCONT: break  // It has been its purpose to continue us.
            default: console?.handle(.supervisorGot(info.signal, from: SignalSender(code: info.code, pid: info.pid)))
            }
        }
    }

    private func readNews() {
        for _ in 0..<Self.signalsPerTurn {
            guard ending == nil, let news = page.takeNews(front: front) else { return }
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

    // MARK: Children

    private func childrenChanged() {
        if let instance { ends(of: instance).handle() }
    }

    func mainProcessEnded(_ pid: Int32) {
        guard let app = reaper.app(of: pid), let instance = kernel.instances[app] else { return childrenChanged() }
        ends(of: instance).mainProcessEnded(pid)
    }

    private func ends(of instance: Instance) -> ChildEnds {
        ChildEnds(instance: instance, isReported: report != nil, host: self)
    }
}

extension RunHost: ChildEndsHost {
    func drainNotifications() { notify?.drain() }

    /// Every orphan is the one app's, for there is no other.
    @discardableResult
    func reapAll() -> Instance.Ends {
        var ends = Instance.Ends()
        reaper.reap { [kernel] in kernel.instances[$1 ?? Self.app]?.reaped($0, &ends) }
        return ends
    }

    /// Job control knows what a stop means; where it means nothing it isn't looked for.
    func noteStop(of instance: Instance) {
        guard manifest.hasLifecycle, let console, console.hasTerminal,
            let signal = instance.stopSignal(orLeftIn: console.stoppableGroup)
        else { return }
        console.handle(.appStopped(by: signal))
    }

    func lookWhoIsGone() { engine.childrenChanged() }
}
