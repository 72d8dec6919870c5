import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// What comes by signals: children that end or stop; what any other means, each supervisor knows.
extension AppsHost {
    /// How many signals are dealt with before it is others' turn.
    static var signalsPerTurn: Int { 32 }

    func readSignals() {
        var info = curfew_signal_info()
        // In turns, so that a flood of signals holds up nothing that is due.
        for _ in 0..<Self.signalsPerTurn {
            guard !isOver, curfew_signalfd_read(signals.number, &info) == 1 else { return }
            if info.signal == SIGCHLD { childrenChanged() } else { heard(info) }
        }
    }

    private func childrenChanged() {
        continueReapers()
        ends.handle()
    }

    // MARK: Children

    func mainProcessEnded(_ pid: Int32) {
        guard let app = children.app(of: pid), let instance = kernel.instances[app] else { return ends.handle() }
        ends.mainProcessEnded(pid, of: instance)
        // How it ended can still have to be told by another.
        if let process = instance.mainProcess, process.pid == pid { loop.remove(process.pidfd) }
    }

    var ends: ChildEnds { ChildEnds(isReported: isReported, host: self) }
}

extension AppsHost: ChildEndsHost {
    func drainNotifications() { notifyServer?.drain() }

    /// Of very many that are on their way out only those are looked at that it can be.
    func lookWhoIsGone() {
        guard let reapedApps else { return engine.childrenChanged() }
        for app in reapedApps { engine.childrenChanged(of: app) }
    }

    func lookWhetherGone(_ app: AppID) { engine.childrenChanged(of: app) }
}
