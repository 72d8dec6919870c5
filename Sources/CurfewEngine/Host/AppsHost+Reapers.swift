import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// What the apps' reapers tell, where they have some: a child's end comes from there then, as else from waitid(2).
extension AppsHost {
    /// Whether it is the process that an app's orphans come to.
    func isSubreaper(_ pid: Int32) -> Bool {
        guard let app = children.app(of: pid) else { return false }
        return kernel.instances[app]?.subreaper?.pid == pid
    }

    /// The reaper of that app has told something.
    func reaperTold(_ app: AppID) {
        guard let instance = kernel.instances[app], let subreaper = instance.subreaper else { return }
        switch subreaper.news() {
        case .nothing: break
        case .ended(let report):
            ends.willEnd(instance)
            // The registry's is the app's own number, whatever a reaper in the app's hands tells.
            if children.app(of: report.pid) == app, !isSubreaper(report.pid) { children.forget(report.pid) }
            instance.reaped(report)
            instance.subreaper?.letGo(report.pid)
        case .noOther: ends.handle(instance)
        case .empty:
            instance.tree.isToldEmpty = true
            ends.handle(instance)
        case .gone: instance.dropSubreaper()
        }
    }

    /// An app can have stopped its own: then nobody would tell of its ends.
    func continueReapers() {
        guard hasSubreapers else { return }
        while let pid = Reaping.nextStopped() {
            guard isSubreaper(pid), let app = children.app(of: pid) else { continue }
            _ = curfew_kill(pid, SIGCONT)
            let isTold = kernel.instances[app]?.subreaperStops.isTold(at: kernel.now) == true
            if isTold { record(.supervisorStopped, of: app) }
        }
    }
}
