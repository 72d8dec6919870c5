import CurfewCore

/// Does what children's ends bring about: whoever holds the apps. One in the tests writes it down.
protocol ChildEndsHost: AnyObject {
    /// What the apps' processes have said by sd_notify is read.
    func drainNotifications()
    /// The core is told where the kernel itself has killed for memory.
    func noteMemoryLimit(of app: AppID)
    /// All that have ended. `willReap`: told of each app before its first one is.
    ///
    /// Returns the apps that anything can follow for.
    func reapAll(_ willReap: (Instance) -> Void) -> [Instance]
    func forgetMainProcess(of instance: Instance)
    func feed(_ input: Input)
    /// Job control is told where the app was stopped.
    func noteStop(of instance: Instance)
    /// The core is told where nothing is left of what it waits for.
    func lookWhoIsGone()
    /// The same of one app alone.
    func lookWhetherGone(_ app: AppID)
}

/// Children have ended, or stopped: what follows for their apps, each cause before what it has caused.
struct ChildEnds {
    /// Whether what an app has used is reported.
    let isReported: Bool
    let host: any ChildEndsHost

    func handle() {
        // What they said before they ended comes first, and while they can still be told from strangers.
        host.drainNotifications()
        let concerned = host.reapAll {
            // Whom the kernel has killed for memory is still there to be told of.
            if $0.manifest.limitsMemory { host.noteMemoryLimit(of: $0.id) }
        }
        for instance in concerned { handle(instance.takeEnds(), of: instance) }
        host.lookWhoIsGone()
    }

    /// The same for an app whose reaper tells of its ends: before one is let go …
    func willEnd(_ instance: Instance) {
        host.drainNotifications()
        if instance.manifest.limitsMemory { host.noteMemoryLimit(of: instance.id) }
    }

    /// … and once all of one moment are known.
    func handle(_ instance: Instance) {
        if instance.hasEnds { handle(instance.takeEnds(), of: instance) }
        host.lookWhetherGone(instance.id)
    }

    private func handle(_ ends: Instance.Ends, of instance: Instance) {
        // First, for it is why the rest has ended, or will.
        if ends.hasLostReaper { host.feed(.app(instance.id, .reaperLost)) }
        if let outcome = ends.leader { leaderEnded(outcome, of: instance) }
        if let outcome = ends.main {
            mainEnded(outcome, of: instance)
        } else if ends.leader == nil {
            // Of what outlives its leader the end has no status: the kernel's kill for memory is asked for.
            if instance.manifest.limitsMemory, instance.livingLeader == nil { host.noteMemoryLimit(of: instance.id) }
            host.noteStop(of: instance)
        }
    }

    /// Its pidfd says that the main process has ended; a child of ours is reaped first.
    func mainProcessEnded(_ pid: Int32, of instance: Instance) {
        handle()
        // Another may have been named meanwhile, by the very one that has ended.
        if instance.mainProcess?.pid == pid, !instance.isToldByReaper(pid) { mainEnded(nil, of: instance) }
    }

    private func leaderEnded(_ outcome: ExitOutcome, of instance: Instance) {
        if instance.mainProcess == nil { endRun(outcome, of: instance) }
        // Where the run goes on without it, what it has begun is released.
        if instance.mainProcess != nil || instance.manifest.policy.waitsForTree {
            host.feed(.app(instance.id, .ownerExited(TaskOwners.leader)))
        }
    }

    /// Its status is known to whoever was its parent: to us, when it has daemonised.
    private func mainEnded(_ outcome: ExitOutcome?, of instance: Instance) {
        guard instance.mainProcess != nil else { return }
        host.forgetMainProcess(of: instance)
        endRun(outcome ?? .exited(code: 0), of: instance)
    }

    /// The main process has ended.
    private func endRun(_ outcome: ExitOutcome, of instance: Instance) {
        if isReported { instance.reporter.noteMeasures() }
        // The kernel's kill for memory and the leader's death by it arrive together; the cause comes first.
        host.noteMemoryLimit(of: instance.id)
        host.feed(.app(instance.id, .leaderExited(outcome)))
    }
}
