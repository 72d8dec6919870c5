import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// The process that `MAINPID=` named; the app's run is over when it ends.
struct MainProcess {
    let pid: Int32
    var pidfd: Descriptor
}

/// sd_notify: datagrams on `NOTIFY_SOCKET`. Source: sd_notify(3); docs/protocol.md, "sd_notify".
extension Supervision {
    /// How many datagrams are dealt with before it is others' turn.
    private static let datagramsPerTurn = 32
    /// How long strangers may keep it at that: each has to be told from the app's own.
    private static let nanosecondsForStrangers: Int64 = 2_000_000

    /// False when there may be more that matters.
    @discardableResult
    func readNotifications() -> Bool {
        readNotifications(until: kernel.now.nanoseconds + Self.nanosecondsForStrangers)
    }

    private func readNotifications(until deadline: Int64) -> Bool {
        guard let notifySocket else { return true }
        var isDrained = false
        withUnsafeTemporaryAllocation(byteCount: NotifyDatagram.maximumBytes, alignment: 1) { buffer in
            for _ in 0..<Self.datagramsPerTurn {
                if ending != nil {
                    isDrained = true
                    return
                }
                switch notifySocket.receive(into: buffer) {
                case .datagram(let count, let sender):
                    let isHeard = isOfApp(sender, until: deadline)
                    if isHeard { handleDatagram(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
                    if !isHeard, kernel.now.nanoseconds >= deadline { return }
                case .tooLong(let sender):
                    if isOfApp(sender, until: deadline) { ignore(NotifyProblem.tooLong.rawValue) }
                case .nothing:
                    isDrained = true
                    return
                case .failed(let error):
                    isDrained = true
                    return stopListeningToNotifications(error)
                }
            }
        }
        return isDrained
    }

    /// What a child said before it ended; the kernel's queue is shorter than this, but refilled while it is read.
    func readAllNotifications() {
        guard notifySocket != nil else { return }
        let deadline = kernel.now.nanoseconds + Self.nanosecondsForStrangers
        for _ in 0..<32 {
            if readNotifications(until: deadline) || kernel.now.nanoseconds >= deadline { return }
        }
    }

    /// What can't be read would wake us for ever.
    private func stopListeningToNotifications(_ error: KernelError) {
        guard let notifySocket else { return }
        _ = curfew_epoll_remove(epoll.number, notifySocket.descriptor.number)
        ignore(error.text)
    }

    private func ignore(_ why: String) { record(.notificationIgnored(reason: why), of: Self.app) }

    private func handleDatagram(_ bytes: UnsafeRawBufferPointer) {
        for field in NotifyDatagram.parse(bytes) where ending == nil { handleNotification(field) }
    }

    private func handleNotification(_ field: NotifyField) {
        switch field {
        case .ready: feed(.ready)
        case .stopping: feed(.stopping)
        case .status(let text): noteStatusText(text)
        case .mainPid(let pid): setMainProcess(pid)
        case .extendTimeout(let nanoseconds): feed(.extendTimeout(Span(nanoseconds: nanoseconds)))
        case .watchdog: feed(.alive)
        case .watchdogTrigger: feed(.broken)
        case .watchdogInterval(let nanoseconds):
            feed(.watchdogInterval(nanoseconds == 0 ? nil : Span(nanoseconds: nanoseconds)))
        case .barrier, .unknown: break
        case .malformed(let problem): ignore(problem.rawValue)
        }
    }

    private func feed(_ notification: CurfewCore.Notification) { engine.feed(.notified(Self.app, notification)) }

    /// A status that stays as it is isn't news.
    private func noteStatusText(_ text: String) {
        guard text != statusText else { return }
        statusText = text
        record(.statusText(text), of: Self.app)
    }

    /// Anybody may send to an abstract address; one who was gone before its datagram was read can't be told from others.
    private func isOfApp(_ sender: curfew_sender, until deadline: Int64) -> Bool {
        if sender.pid > 0, Self.canBeOfApp(sender.uid), kernel.tree?.contains(sender.pid, until: deadline) == true {
            return true
        }
        noteStranger(sender.pid)
        return false
    }

    /// Asked first, for it costs nothing: of an ordinary user's app no process is another ordinary user's.
    private static func canBeOfApp(_ uid: uid_t) -> Bool {
        let own = geteuid()
        return own == 0 || uid == own || uid == 0 || uid == getuid()
    }

    /// Once a second at most: nobody outside may push everything else out of the history.
    private func noteStranger(_ pid: Int32) {
        let now = kernel.now
        if let last = strangers.lastNoted, now - last < .seconds(1) {
            strangers.count += 1
            return
        }
        let more = strangers.count == 0 ? "" : "; \(strangers.count) more since the last such line"
        strangers = (now, 0)
        ignore("process \(pid) isn't one of the app's, or is gone\(more)")
    }

    // MARK: The main process

    /// The process whose end is the run's.
    var mainPid: Int32 { mainProcess?.pid ?? kernel.tree?.leader ?? 0 }

    /// The leader until another is named; one that ended already is no more than a name.
    private func setMainProcess(_ pid: Int32) {
        guard pid != (mainProcess?.pid ?? kernel.tree?.leader) else { return }
        if pid == kernel.tree?.leader, jobControl?.isLeaderGone != true {
            forgetMainProcess()
            page.leader = pid
            record(.mainProcess(pid), of: Self.app)
            return
        }
        var pidfd = Descriptor(curfew_pidfd_open(pid))
        guard pidfd.isOpen, descriptors.allows(pidfd.number, forApp: false), kernel.tree?.contains(pid) == true else {
            pidfd.close()
            return ignore("MAINPID=\(pid) isn't a process of the app")
        }
        forgetMainProcess()
        _ = curfew_epoll_add(epoll.number, pidfd.number, 1, Source.mainProcess.token(Int(pid)))
        mainProcess = MainProcess(pid: pid, pidfd: pidfd)
        page.leader = pid
        record(.mainProcess(pid), of: Self.app)
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
