import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// What differs under `curfew timeout`: which signals are passed on, and what is said.
extension Supervision {
    /// The signals that timeout(1) passes on to its command, and catches itself.
    ///
    /// Source: coreutils manual, "timeout invocation"; coreutils 9.1, observed.
    private static let passedOn = [SIGALRM, SIGINT, SIGQUIT, SIGHUP, SIGTERM]

    /// Takes what is passed on; false where it is anything else.
    ///
    /// From a terminal's keys the command has had it too, being in the front's group; its hangup only the session's leader.
    func isTimeoutsOwn(_ signal: Int32, isFromTerminal: Bool) -> Bool {
        guard let timeout = plan.policy.timeout, signal == timeout.signal || Self.passedOn.contains(signal) else {
            return false
        }
        engine.feed(.signalled(Self.app, signal, isHeard: isFromTerminal && signal != SIGHUP))
        return true
    }

    /// Where stopping isn't home: the command is stopped and continued by its terminal, and the front does as it does.
    /// What stops a command that reads the terminal from behind doesn't stop its timeout.
    func stopsOrContinues(_ signal: Int32, _ timing: JobControl.Timing) -> Bool {
        switch signal {
        case SIGCONT: if timing != .beforeStop { jobControl?.frontContinued() }
        case SIGTSTP:
            if timing != .beforeStop, curfew_signal_is_ignored(signal) == 0 { jobControl?.stopFront(by: signal) }
        case SIGTTIN, SIGTTOU, SIGWINCH: break
        default: return false
        }
        return true
    }

    /// The command has the usual dispositions of what its timeout catches, whatever the caller had; so that it can be
    /// ended by them. All of them are blocked here.
    func resetDispositions() {
        guard let timeout = plan.policy.timeout else { return }
        for signal in Self.passedOn + [SIGCHLD, SIGTTIN, SIGTTOU] { _ = curfew_signal_default(signal) }
        if timeout.signal > 0 { _ = curfew_signal_default(timeout.signal) }
    }

    // MARK: What is said

    func willSignal(_ app: AppID, _ signal: Int32) {
        if plan.isVerbose { tellSignal(signal) }
    }

    /// In timeout(1)'s words.
    func tellSignal(_ signal: Int32) {
        StandardError.print("\(plan.caller): sending signal \(SignalName.of(signal)) to command '\(plan.command)'")
    }

    /// What was there when its time was over, and where it was.
    func tellTimeout(_ timeout: TimeoutOutcome, _ ending: Ending) {
        if case .signaled(_, dumpedCore: true) = ending.leader {
            StandardError.print("\(plan.caller): the monitored command dumped core")
        }
        guard plan.isVerbose, timeout.isExpired, let snapshot = lastSnapshot else { return }
        for process in snapshot.processes { StandardError.print("\(plan.caller): \(process.whereabouts)") }
        if snapshot.omitted > 0 { StandardError.print("\(plan.caller): and \(snapshot.omitted) more processes") }
    }
}
