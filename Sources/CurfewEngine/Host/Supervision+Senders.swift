import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// Who has sent a signal, as far as the kernel vouches for it.
///
/// With a negative code, as sigqueue(3) has, the sender writes the pid itself; kill(2) and tgkill(2) can't.
/// Source: rt_sigqueueinfo(2); kernel, kernel/signal.c, do_rt_sigqueueinfo.
enum SignalSender: Equatable {
    /// A key, the end of a terminal, an orphaned process group.
    case kernel
    case process(Int32)
    case unknown

    init(code: Int32, pid: Int32) {
        switch code {
        case Int32(SI_KERNEL): self = .kernel
        // 0: of another pid namespace, or one whose siginfo found no room.
        case Int32(SI_USER), Int32(SI_TKILL): self = pid > 0 ? .process(pid) : .unknown
        default: self = .unknown
        }
    }
}

/// Whoever is inside has no say by signals either: they open the app, send it home and end it, as an operator does.
extension Supervision {
    /// Where a sender stands; one that has ended since can't be told.
    private enum Standing {
        case outside, inside, unknown
    }

    /// Whether the signal may drive the app; that it may not is noted.
    ///
    /// Where the sender can't be told it may end the app or stop it, which the app can do by itself. It opens the app
    /// only when all of the app was stopped by the time it was sent: then it came from outside.
    func mayDrive(by signal: Int32, _ sender: SignalSender) -> Bool {
        guard plan.hasLifecycle else { return true }
        // Of the kernel's own, SIGCONT comes to a group that has been orphaned, which an app can bring about; no shell's does.
        switch standing(of: signal == SIGCONT && sender == .kernel ? .unknown : sender) {
        case .outside: return true
        case .unknown where signal != SIGCONT || newsAreFromOutside: return true
        case .inside, .unknown:
            noteIgnored(signal, sender)
            return false
        }
    }

    private func standing(of sender: SignalSender) -> Standing {
        let pid: Int32
        switch sender {
        case .kernel: return .outside
        case .unknown: pid = 0
        case .process(let sender): pid = sender
        }
        // Held while it is looked at, so that all that is seen is of one process.
        var pidfd = Descriptor(curfew_pidfd_open(pid))
        defer { pidfd.close() }
        let ancestry = Ancestry(of: pid, supervisor: getpid(), cgroup: kernel.tree?.containment.unified?.path)
        if ancestry.isOurs { return .inside }
        // A descriptor of it can be refused by a sandbox.
        let isThere = pidfd.isOpen ? curfew_pidfd_send_signal(pidfd.number, 0) : pid > 0 ? curfew_kill(pid, 0) : -ESRCH
        if isThere == -ESRCH { return .unknown }
        // A /proc that isn't ours tells nothing; without it a shell's `fg` must still work.
        return ancestry.isKnown || !Procfs.isOurs ? .outside : .unknown
    }

    /// Once a second at most, as all that anybody can bring about as often as he likes.
    private func noteIgnored(_ signal: Int32, _ sender: SignalSender) {
        let now = kernel.now
        if let last = ignoredSignalNoted, now - last < .seconds(1) { return }
        ignoredSignalNoted = now
        var pid: Int32?
        if case .process(let sender) = sender { pid = sender }
        record(.signalIgnored(signal, from: pid), of: Self.app)
    }

    // MARK: What was sent while all was stopped

    /// Whether what is read now was sent to the front while every process of the app was stopped.
    private var newsAreFromOutside: Bool { isFrontsQueueClean && olderNews == 0 }

    /// All of the app is stopped: once the front has passed on what it was sent before, what it gets is from outside. A
    /// stopped front has passed it on, for any SIGCONT would have continued it.
    func appStopped() {
        if jobControl?.isFrontStopped == true, Procfs.stat(front)?.isStopped == true {
            isFrontsQueueClean = true
            olderNews = page.newsCount
            return
        }
        lastQuestion &+= 1
        page.ask(lastQuestion, of: front)
    }

    func appContinues() {
        isFrontsQueueClean = false
        // An answer to come is to a question of the past.
        lastQuestion &+= 1
    }

    func frontAnswered(_ question: UInt32) {
        guard question == lastQuestion else { return }
        isFrontsQueueClean = true
        olderNews = 0
    }

    // MARK: Ourselves

    /// The front has continued us. Between two looks nothing was enforced; what is due by now is done now.
    func wasStopped() {
        let now = kernel.now
        if let last = stopNoted, now - last < .seconds(1) { return }
        if stopNoted == nil {
            StandardError.print("curfew: \(name): the supervisor was stopped by a signal, and goes on")
        }
        stopNoted = now
        record(.supervisorStopped, of: Self.app)
    }
}
