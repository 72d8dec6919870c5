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
        // What they said before they ended comes first, and while they can still be told from strangers.
        notify?.drain()
        // Whom the kernel has killed for memory is still there to be told of.
        if manifest.limitsMemory { noteMemoryLimit(of: Self.app) }
        guard let instance else { return }
        let ends = reapAll()
        if let outcome = ends.leader {
            if instance.mainProcess == nil { endRun(of: instance, outcome) }
            // Where the run goes on without it, what it has begun is released.
            if instance.mainProcess != nil || manifest.policy.waitsForTree {
                engine.feed(.app(instance.id, .ownerExited(TaskOwners.leader)))
            }
        }
        if let outcome = ends.main {
            mainProcessExited(outcome, of: instance)
        } else if ends.leader == nil {
            // Of what outlives its leader the end has no status: the kernel's kill for memory is asked for.
            if manifest.limitsMemory, instance.livingLeader == nil { noteMemoryLimit(of: instance.id) }
            noteStop(of: instance)
        }
        engine.childrenChanged()
    }

    /// Every orphan is the one app's, for there is no other.
    @discardableResult
    func reapAll() -> Instance.Ends {
        var ends = Instance.Ends()
        reaper.reap { [kernel] in kernel.instances[$1 ?? Self.app]?.reaped($0, &ends) }
        return ends
    }

    /// The leader, or the process it has named in its place, has ended.
    func endRun(of instance: Instance, _ outcome: ExitOutcome) {
        if report != nil { instance.reporter.noteMeasures() }
        // The kernel's kill for memory and the leader's death by it arrive together; the cause comes first.
        noteMemoryLimit(of: instance.id)
        engine.feed(.app(instance.id, .leaderExited(outcome)))
    }

    /// Its pidfd says that the main process has ended; a child of ours is reaped first.
    func mainProcessEnded(_ pid: Int32) {
        let app = reaper.app(of: pid)
        childrenChanged()
        // Another may have been named meanwhile, by the very one that has ended.
        guard let app, let instance = kernel.instances[app], instance.mainProcess?.pid == pid else { return }
        mainProcessExited(nil, of: instance)
    }

    private func noteStop(of instance: Instance) {
        guard manifest.hasLifecycle, let console, console.hasTerminal, let signal = stopSignal(console, instance) else {
            return
        }
        console.handle(.appStopped(by: signal))
    }

    /// The signal that has stopped the leader, or what it has left in its group.
    private func stopSignal(_ console: Console, _ instance: Instance) -> Int32? {
        if let leader = instance.livingLeader {
            guard case .stopped(let signal)? = Reaping.stopReport(of: leader)?.change else { return nil }
            return signal
        }
        var info = curfew_wait_info()
        let status = curfew_waitid(
            Int32(P_PGID.rawValue), console.stoppableGroup, WSTOPPED | WNOHANG, &info)
        return status == 0 && info.pid > 0 ? info.status : nil
    }
}
