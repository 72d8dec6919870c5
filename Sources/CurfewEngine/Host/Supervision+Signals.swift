import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// Children that end or stop, signals passed on by the front, and the front's own end.
extension Supervision {
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
                if getppid() != front, !isFrontGoneHeeded {
                    isFrontGoneHeeded = true
                    frontGone()
                }
            case SIGCONT: break  // It has been its purpose to continue us.
            default:
                let sender = SignalSender(code: info.code, pid: info.pid)
                if !isTimeoutsOwn(info.signal, from: sender), mayDrive(by: info.signal, sender) {
                    engine.feed(.quit(Self.app, request: nil))
                }
            }
        }
    }

    private func readNews() {
        for _ in 0..<Self.signalsPerTurn {
            guard ending == nil, let news = page.takeNews(front: front) else { return }
            switch news.signal {
            case 0: frontAnswered(news.number)
            case SIGSTOP: wasStopped()
            default:
                let timing = jobControl?.timing(stops: news.number) ?? .running
                frontGot(news.signal, from: SignalSender(code: news.code, pid: news.pid), timing)
            }
            if olderNews > 0 { olderNews -= 1 }
        }
        // No more come as long as nobody rings.
        if page.newsCount > 0 { _ = curfew_kill(getpid(), Int32(CURFEW_DOORBELL)) }
    }

    // MARK: Children

    private func childrenChanged() {
        // What they said before they ended comes first, and while they can still be told from strangers.
        notify?.drain()
        // Whom the kernel has killed for memory is still there to be told of.
        if plan.limitsMemory { noteMemoryLimit() }
        var leaderOutcome: ExitOutcome?
        var mainOutcome: ExitOutcome?
        while case .report(let report) = Reaping.reapAny() {
            kernel.reapedCPUMicroseconds += report.cpuMicroseconds
            if report.pid == kernel.tree?.leader { leaderOutcome = ExitOutcome(report.change) }
            if report.pid == mainProcess?.pid { mainOutcome = ExitOutcome(report.change) }
        }
        if let leaderOutcome {
            jobControl?.leaderEnded(bySignal: leaderOutcome.isSignal)
            kernel.isLeaderGone = true
            if mainProcess == nil { endRun(leaderOutcome) }
            // Where the run goes on without it, what it has begun is released.
            if mainProcess != nil || plan.policy.waitsForTree { engine.feed(.ownerExited(Self.app, TaskOwners.leader)) }
        }
        if let mainOutcome {
            mainProcessExited(mainOutcome)
        } else if leaderOutcome == nil {
            // Of what outlives its leader the end has no status: the kernel's kill for memory is asked for.
            if plan.limitsMemory, jobControl?.isLeaderGone == true { noteMemoryLimit() }
            noteStop()
        }
        engine.childrenChanged()
    }

    /// The leader, or the process it has named in its place, has ended.
    func endRun(_ outcome: ExitOutcome) {
        if report != nil { noteMeasures() }
        // The kernel's kill for memory and the leader's death by it arrive together; the cause comes first.
        noteMemoryLimit()
        engine.feed(.leaderExited(Self.app, outcome))
    }

    /// Its pidfd says that the main process has ended; a child of ours is reaped first.
    func mainProcessChanged(_ pid: Int32) {
        childrenChanged()
        // Another may have been named meanwhile, by the very one that has ended.
        if mainProcess?.pid == pid { mainProcessExited(nil) }
    }

    /// A terminal stop of the leader is home.
    private func noteStop() {
        guard plan.hasLifecycle, let jobControl, jobControl.hasTerminal, let signal = stopSignal(jobControl),
            let app = engine.core.app(Self.app)
        else { return }
        if !app.state.isForeground {
            // It ran on in background and used the terminal; whoever opens it continues it. SIGSTOP is ours.
            if signal != SIGSTOP { engine.feed(.stoppedByTerminal(Self.app)) }
        } else if Self.stopsReaders(signal), jobControl.giveTerminal() {
            kernel.continueAfterTerminalStop(Self.app)
        } else if jobControl.givesOwnGroup || signal == SIGTSTP || Self.stopsReaders(signal) {
            stoppedByTerminal(signal)
        }
    }

    /// The signal that has stopped the leader, or what it has left in its group.
    private func stopSignal(_ jobControl: JobControl) -> Int32? {
        guard jobControl.isLeaderGone else {
            guard let leader = kernel.tree?.leader, case .stopped(let signal)? = Reaping.stopReport(of: leader)?.change
            else { return nil }
            return signal
        }
        var info = curfew_wait_info()
        let status = curfew_waitid(
            Int32(P_PGID.rawValue), jobControl.stoppableGroup, WSTOPPED | WNOHANG, &info)
        return status == 0 && info.pid > 0 ? info.status : nil
    }

    /// Sent to a group that reads the terminal, or writes to it, from behind.
    private static func stopsReaders(_ signal: Int32) -> Bool { signal == SIGTTIN || signal == SIGTTOU }

    /// Home. Where there is no shell to open it again, Ctrl-Z does nothing, as without Curfew.
    private func stoppedByTerminal(_ signal: Int32) {
        if signal == SIGTSTP, let jobControl, !jobControl.hasShell {
            jobControl.continueFrontsGroup()
            kernel.continueAfterTerminalStop(Self.app)
        } else {
            goHome(by: signal, stopped: true)
        }
    }

    private func goHome(by signal: Int32, stopped: Bool) {
        engine.feed(.home(Self.app, stopped: stopped, request: nil))
        guard ending == nil else { return }
        if let app = engine.core.app(Self.app), app.isTerminating {
            // It was asked to end: it isn't sent home, and must run to end in time.
            jobControl?.leftForeground()
            kernel.continueAfterTerminalStop(Self.app)
        }
        jobControl?.stopFront(by: signal)
    }

    // MARK: The front

    private func frontGot(_ signal: Int32, from sender: SignalSender, _ timing: JobControl.Timing) {
        let isFromTerminal = sender == .kernel
        if isTimeoutsOwn(signal, from: sender) { return }
        if !plan.hasLifecycle, stopsOrContinues(signal, timing) { return }
        switch signal {
        case SIGCONT:
            // From before a stop that has come since, its `fg` has been heeded with the key that overtook it.
            if timing != .beforeStop { frontContinued(by: sender, wasStopped: timing == .afterStop) }
        case SIGTSTP, SIGTTIN, SIGTTOU:
            if timing != .beforeStop, mayDrive(by: signal, sender) {
                frontToldToStop(by: signal, isFromTerminal: isFromTerminal)
            }
        case SIGINT where isFromTerminal, SIGQUIT where isFromTerminal:
            if timing == .afterStop { frontContinued(by: sender, wasStopped: true) }
            pressedKey(signal)
        case SIGHUP where isFromTerminal: terminalClosed()
        case SIGWINCH where isFromTerminal: passToAppGroup(SIGWINCH)
        case SIGINT, SIGTERM, SIGHUP:
            if curfew_signal_is_ignored(signal) == 0, mayDrive(by: signal, sender) {
                engine.feed(.quit(Self.app, request: nil))
            }
        case SIGPIPE, SIGURG: break
        default: passToLeader(signal)
        }
    }

    /// By the terminal, together with the app where they share a group; or by somebody's kill -TSTP.
    private func frontToldToStop(by signal: Int32, isFromTerminal: Bool) {
        guard curfew_signal_is_ignored(signal) == 0 else { return }
        if isFromTerminal {
            stoppedByTerminal(signal)
        } else if signal == SIGTSTP {
            goHome(by: signal, stopped: jobControl?.appGroup == 0)
        }
    }

    /// `fg`, `bg`, or somebody's SIGCONT: each opens the app; only in front does it get the terminal.
    private func frontContinued(by sender: SignalSender, wasStopped: Bool) {
        jobControl?.frontContinued()
        guard let app = engine.core.app(Self.app) else { return }
        if app.state.isForeground {
            if jobControl?.giveTerminal() == true { kernel.continueAfterTerminalStop(Self.app) }
        } else if mayDrive(by: SIGCONT, sender) {
            engine.feed(.open(Self.app, request: nil))
        } else if wasStopped {
            // Else the shell would take its job for running, and its `fg` would send no SIGCONT.
            jobControl?.stopFrontAgain()
        }
    }

    /// The keys are the app's. Suspended it couldn't heed them, so there they end it.
    private func pressedKey(_ signal: Int32) {
        guard let app = engine.core.app(Self.app), curfew_signal_is_ignored(signal) == 0 else { return }
        switch app.state {
        case .suspended: engine.feed(.quit(Self.app, request: nil))
        case .background: kernel.tree?.signalOwnGroup(signal)
        case .active, .inactive, .notRunning: passToAppGroup(signal)
        }
    }

    /// The terminal's own signals are the app's. In a shared group it has had them; with its own it gets them here,
    /// when the shell has put the front in front of a running job.
    private func passToAppGroup(_ signal: Int32) {
        if jobControl?.giveTerminal() == true { kernel.tree?.signalOwnGroup(signal) }
    }

    /// In front the app is told, and may stay, as without Curfew; else nobody could ever open it again.
    private func terminalClosed() {
        guard let jobControl, let app = engine.core.app(Self.app), curfew_signal_is_ignored(SIGHUP) == 0 else { return }
        if !app.state.isForeground {
            engine.feed(.quit(Self.app, request: nil))
        } else if jobControl.appGroup > 0 {
            kernel.tree?.signalOwnGroup(SIGHUP)
        } else if jobControl.frontLeadsSession {
            passToLeader(SIGHUP)
        }
    }

    /// To the main process, where one was named; held by a pidfd, for its parent may reap it.
    func passToLeader(_ signal: Int32) {
        if let mainProcess {
            ProcessTree.send(signal, to: mainProcess.pid, heldBy: mainProcess.pidfd)
        } else if let leader = kernel.tree?.leader, jobControl?.isLeaderGone != true {
            _ = curfew_kill(leader, signal)
        }
    }

    /// Somebody killed the process that the caller waits for.
    private func frontGone() {
        jobControl?.frontContinued()
        switch plan.onSupervisorExit {
        case .kill where plan.policy.timeout != nil:
            isFrontGone = true
            // Its number can be somebody else's from now on.
            kernel.frontsGroup = nil
            engine.feed(.abandoned(Self.app))
        case .kill: endWithoutFront()
        case .resume: engine.feed(.open(Self.app, request: nil))
        }
    }
}

extension ExitOutcome {
    fileprivate var isSignal: Bool {
        if case .signaled = self { true } else { false }
    }

    fileprivate init?(_ change: ChildReport.Change) {
        switch change {
        case .exited(let code): self = .exited(code: code)
        case .killed(let signal, let dumpedCore): self = .signaled(signal: signal, dumpedCore: dumpedCore)
        case .stopped, .continued: return nil
        }
    }
}
