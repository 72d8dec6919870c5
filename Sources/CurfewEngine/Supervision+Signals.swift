import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// Children that end or stop, signals passed on by the front, and the front's own end.
extension Supervision {
    func readSignals() {
        var info = curfew_signal_info()
        while ending == nil, curfew_signalfd_read(signals.number, &info) == 1 {
            switch info.signal {
            case SIGCHLD: childrenChanged()
            case Front.forwardedSignal:
                let signal = info.value & 0xff
                frontGot(signal, isFromTerminal: info.value & Front.fromTerminal != 0)
            case Front.frontGoneSignal: frontGone()
            default: engine.feed(.quit(Self.app, request: nil))
            }
        }
    }

    // MARK: Children

    private func childrenChanged() {
        var leaderOutcome: ExitOutcome?
        while case .report(let report) = Reaping.reapAny() {
            kernel.reapedCPUMicroseconds += report.cpuMicroseconds
            if report.pid == kernel.tree?.leader { leaderOutcome = ExitOutcome(report.change) }
        }
        if let leaderOutcome {
            if report != nil { noteMeasures() }
            // The kernel's kill for memory and the leader's death by it arrive together; the cause comes first.
            noteMemoryLimit()
            engine.feed(.leaderExited(Self.app, leaderOutcome))
        } else {
            noteLeaderStop()
        }
        engine.childrenChanged()
    }

    /// For the report: once the app is gone, so is the cgroup that counts.
    private func noteMeasures() {
        lastMeasures = (kernel.cpuMicroseconds, kernel.tree?.containment.peakMemory)
    }

    /// A terminal stop of the leader is home.
    private func noteLeaderStop() {
        guard let jobControl, jobControl.hasTerminal, let leader = kernel.tree?.leader,
            case .stopped(let signal)? = Reaping.stopReport(of: leader)?.change,
            let app = engine.core.app(Self.app), app.state.isForeground
        else { return }
        if signal == SIGTTIN || signal == SIGTTOU, jobControl.giveTerminal() {
            kernel.continueAfterTerminalStop(Self.app)
            return
        }
        guard jobControl.givesOwnGroup || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU else { return }
        goHome(stopped: true)
    }

    private func goHome(stopped: Bool) {
        engine.feed(.home(Self.app, stopped: stopped, request: nil))
        jobControl?.stopFront()
    }

    // MARK: The front

    private func frontGot(_ signal: Int32, isFromTerminal: Bool) {
        switch signal {
        case SIGCONT: frontContinued()
        case SIGTSTP: goHome(stopped: isFromTerminal)
        case SIGTTIN, SIGTTOU: if isFromTerminal { goHome(stopped: true) }
        case SIGINT, SIGTERM, SIGHUP, SIGQUIT:
            if isFromTerminal {
                passToAppGroup(signal)
            } else if signal == SIGQUIT {
                passToLeader(signal)
            } else if curfew_signal_is_ignored(signal) == 0 {
                engine.feed(.quit(Self.app, request: nil))
            }
        case SIGWINCH where isFromTerminal, SIGPIPE, SIGURG: break
        default: passToLeader(signal)
        }
    }

    /// `fg`, `bg`, or somebody's SIGCONT: each opens the app; only in front does it get the terminal.
    private func frontContinued() {
        jobControl?.frontContinued()
        guard let app = engine.core.app(Self.app) else { return }
        if app.state.isForeground {
            if jobControl?.giveTerminal() == true { kernel.continueAfterTerminalStop(Self.app) }
        } else {
            engine.feed(.open(Self.app, request: nil))
        }
    }

    /// The terminal's own signals are the app's. In a shared group it has had them; with its own it gets them here,
    /// when the shell has put the front in front of a running job.
    private func passToAppGroup(_ signal: Int32) {
        guard let jobControl, jobControl.giveTerminal() else { return }
        _ = curfew_kill(-jobControl.appGroup, signal)
    }

    private func passToLeader(_ signal: Int32) {
        guard let leader = kernel.tree?.leader else { return }
        _ = curfew_kill(leader, signal)
    }

    /// Somebody killed the process that the caller waits for.
    private func frontGone() {
        switch plan.onSupervisorExit {
        case .kill: endWithoutFront()
        case .resume: engine.feed(.open(Self.app, request: nil))
        }
    }
}

extension ExitOutcome {
    fileprivate init?(_ change: ChildReport.Change) {
        switch change {
        case .exited(let code): self = .exited(code: code)
        case .killed(let signal, let dumpedCore): self = .signaled(signal: signal, dumpedCore: dumpedCore)
        case .stopped, .continued: return nil
        }
    }
}
