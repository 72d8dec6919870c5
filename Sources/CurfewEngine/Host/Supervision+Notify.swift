import CurfewCore
import CurfewLinux

/// What the app's processes tell by sd_notify.
extension Supervision: NotifyHost {
    var now: Instant { kernel.now }

    var isOver: Bool { ending != nil }

    func app(of pid: Int32, until deadline: Int64) -> AppID? {
        kernel.tree?.contains(pid, until: deadline) == true ? Self.app : nil
    }

    func notified(_ app: AppID, _ notification: CurfewCore.Notification) {
        engine.feed(.app(app, .notified(notification)))
    }

    /// A status that stays as it is isn't news.
    func statusTold(_ app: AppID, _ text: String) {
        guard text != statusText else { return }
        statusText = text
        record(.statusText(text), of: app)
    }

    func notificationIgnored(_ app: AppID?, _ why: String) { record(.notificationIgnored(reason: why), of: Self.app) }

    // MARK: The main process

    /// The process whose end is the run's.
    var mainPid: Int32 { mainProcess?.pid ?? kernel.tree?.leader ?? 0 }

    /// Nil once it is gone, and its number is anybody's.
    var livingLeader: Int32? { kernel.isLeaderGone ? nil : kernel.tree?.leader }

    func mainProcessNamed(_ app: AppID, _ pid: Int32) {
        let naming = MainProcess.naming(
            pid, current: mainProcess?.pid ?? kernel.tree?.leader, leader: livingLeader,
            keeps: { descriptors.allows($0.number, forApp: false) }, isOfApp: { kernel.tree?.contains($0) == true })
        switch naming {
        case .unchanged: return
        case .refused: return notificationIgnored(app, "MAINPID=\(pid) isn't a process of the app")
        case .unwatchable:
            return notificationIgnored(app, "MAINPID=\(pid) can't be watched: pidfd_open is refused here")
        case .leader: forgetMainProcess()
        case .process(let process):
            forgetMainProcess()
            loop.add(process.pidfd, Source.mainProcess.token(Int(pid)))
            mainProcess = process
        }
        page.leader = pid
        record(.mainProcess(pid), of: app)
    }

    private func forgetMainProcess() {
        mainProcess?.pidfd.close()
        mainProcess = nil
    }

    /// It has ended. Its status is known to whoever was its parent: to us, when it has daemonised.
    func mainProcessExited(_ outcome: ExitOutcome?) {
        guard mainProcess != nil else { return }
        forgetMainProcess()
        endRun(outcome ?? .exited(code: 0))
    }
}
