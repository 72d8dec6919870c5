import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// The last things: a line for people, the report, and the status for the front.
extension RunHost {
    func finish() -> Never {
        socket?.remove()
        if console?.job.isAbandoned == true {
            writeReportsWithoutFront()
            curfew_exit(125)
        }
        if console?.hasTerminal == true { finishConsole() }
        // What was sent to all goes to all, however short the run is.
        while kernel.isAtWork { kernel.goOn() }
        if let ending, let instance { tell(ending, of: instance) }
        // A hook may wait for the channel's end itself, as `curfew quit` does.
        control?.closeAll()
        hooks?.finish()
        if let ending { end(ending.status) }
        curfew_exit(125)
    }

    private func tell(_ ending: Ending, of instance: Instance) {
        if let timeout = ending.timeout { tellTimeout(timeout, ending, instance) }
        if let kill = ending.kill, ending.timeout == nil || kill.reason != .timeLimit {
            StandardError.print("curfew: \(instance.name): killed: \(KillNarration.text(kill))")
        }
        if let limit = ending.restKilledAfter, ending.timeout == nil { tellRest(of: instance, killedAfter: limit) }
        writeReports(ending, of: instance)
    }

    private func finishConsole() { console?.finish(leaderWasKilled: instance?.leaderOutcome?.isSignal == true) }

    /// Nothing was started.
    func fail(_ error: LaunchError) -> Never {
        // The child has taken the terminal before its exec failed.
        finishConsole()
        removeUnused()
        StandardError.print("\(options.caller): \(error.problem)")
        report?.write(
            RunReport.ofFailure(
                name: draft.name, command: manifest.commandLine, status: error.status, problem: error.problem))
        socket?.remove()
        curfew_exit(error.status)
    }

    /// A child that failed has left its cgroups when it was reaped, but the kernel may take a moment more.
    private func removeUnused() {
        for _ in 0..<50 {
            if draft.containment.remove() { return }
            usleep(2000)
        }
    }

    /// What the command left behind hadn't ended in time.
    private func tellRest(of instance: Instance, killedAfter limit: Span) {
        let seen = instance.reporter.lastSnapshot?.processes ?? []
        let named = seen.prefix(3).map { "\($0.pid) \(Quoted.text($0.name))" }
        let more = seen.count > 3 ? [" and \(seen.count - 3) more"] : []
        let names = named.isEmpty ? "" : ": " + (named + more).joined(separator: ", ")
        StandardError.print(
            "curfew: \(instance.name): killed what it left behind, which hadn't ended "
                + "\(HumanText.duration(nanoseconds: limit.nanoseconds)) after \(signalsName)\(names)")
    }

    private var signalsName: String { "SIG" + SignalName.of(manifest.policy.terminateSignal) }

    /// The front ends as this process does, or dies of the signal it finds.
    private func end(_ status: Ending.Status) -> Never {
        switch status {
        case .exit(let code): curfew_exit(code)
        case .raise(let signal):
            page.setFrontsSignal(signal)
            // The front, and whoever else is in its group, as timeout(1) does it.
            if signal == SIGKILL, let group = instance?.frontsGroup { _ = curfew_kill(-group, SIGKILL) }
            curfew_exit(0)
        }
    }

    /// The front is gone, and with it whoever waited for the app: nothing stays.
    func endWithoutFront() -> Never {
        socket?.remove()
        let deadline = curfew_monotonic_nanoseconds() + 10_000_000_000
        var pause: UInt32 = 100
        repeat {
            kernel.kill(Self.app)
            reapAll()
            if kernel.isGone(Self.app) { break }
            usleep(pause)
            pause = min(pause * 2, 50_000)
        } while curfew_monotonic_nanoseconds() < deadline
        writeReportsWithoutFront()
        curfew_exit(125)
    }
}
