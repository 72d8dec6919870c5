import CurfewCore
import CurfewLinux

/// What the app's processes tell by sd_notify.
extension AppsHost: NotifyHost {
    var now: Instant { kernel.now }

    func notified(_ app: AppID, _ notification: ServiceNotification) {
        engine.feed(.app(app, .notified(notification)))
    }

    /// A status that stays as it is isn't news.
    func statusTold(_ app: AppID, _ text: String) {
        guard let instance = kernel.instances[app], text != instance.statusText else { return }
        instance.statusText = text
        record(.statusText(text), of: app)
    }

    /// A stranger's is told of the default app, where there is one.
    func notificationIgnored(_ app: AppID?, _ why: String) {
        if let app = app ?? defaultApp(for: .status) { record(.notificationIgnored(reason: why), of: app) }
    }

    // MARK: The main process

    func mainProcessNamed(_ app: AppID, _ pid: Int32) {
        guard let instance = kernel.instances[app] else { return }
        let naming = MainProcess.naming(
            pid, current: instance.mainPid, leader: instance.livingLeader,
            keeps: { descriptors.allows($0.number, forApp: false) }, isOfApp: { instance.tree.contains($0) })
        switch naming {
        case .unchanged: return
        case .refused: return notificationIgnored(app, "MAINPID=\(pid) isn't a process of the app")
        case .unwatchable:
            return notificationIgnored(app, "MAINPID=\(pid) can't be watched: pidfd_open is refused here")
        case .leader: forgetMainProcess(of: instance)
        case .process(let process):
            forgetMainProcess(of: instance)
            loop.add(process.pidfd, Kind.mainProcess.token(Int(pid)))
            children.register(pid, of: app)
            instance.mainProcess = process
        }
        mainProcessChanged(of: instance, to: pid)
        record(.mainProcess(pid), of: app)
    }

    func forgetMainProcess(of instance: Instance) {
        if let process = instance.mainProcess { children.forget(process.pid) }
        instance.forgetMainProcess()
    }
}
