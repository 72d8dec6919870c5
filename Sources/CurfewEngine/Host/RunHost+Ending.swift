import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// The last things: a line for people, the report, and the status for the proxy.
extension RunHost: ClosingHost {
    func finish() -> Never { leave(Closing(host: self).finish()) }

    private func leave(_ exit: Closing.Exit) -> Never {
        if let signal = exit.proxySignal { page.setProxySignal(signal) }
        if let group = exit.killedGroup { _ = curfew_kill(-group, SIGKILL) }
        curfew_exit(exit.code)
    }

    var isAbandoned: Bool { console?.job.isAbandoned == true }
    var proxyGroup: Int32? { instance?.proxyGroup }
    var isAtWork: Bool { kernel.isAtWork }

    func goOn() { kernel.goOn() }

    func removeSocket() { socket?.remove() }

    func giveTerminalBack() { if console?.hasTerminal == true { finishConsole() } }

    func tell(_ ending: Ending) {
        if !lateWords.isEmpty { sayLateWords() }
        guard let instance else { return }
        let words = LastWords(name: instance.name, manifest: manifest, options: options)
        for line in words.lines(of: ending, seen: { instance.reporter.lastSnapshot }) { StandardError.print(line) }
        FinalReport(instance: instance, host: self).write(ending)
    }

    func tellWithoutProxy() {
        if let instance { FinalReport(instance: instance, host: self).writeWithoutProxy() }
    }

    func closeChannel() { control?.closeAll() }

    func finishHooks() { hooks?.finish() }

    func finishSweep() { staleSweep.finish() }

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

    /// The proxy is gone, and with it whoever waited for the app: nothing stays.
    func endWithoutProxy() -> Never {
        socket?.remove()
        var pacing = KillPacing.ofSupervisor(at: kernel.now)
        pacing.killAll(now: { kernel.now }) { _ in
            kernel.kill(Self.app)
            reapAll { _ in }
            return kernel.isGone(Self.app)
        }
        tellWithoutProxy()
        curfew_exit(125)
    }
}
