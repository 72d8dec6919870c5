import CurfewCore

/// Does what children's ends bring about: whoever holds the app. One in the tests writes it down.
protocol ChildEndsHost: AnyObject {
    /// What the app's processes have said by sd_notify is read.
    func drainNotifications()
    /// The core is told where the kernel itself has killed for memory.
    func noteMemoryLimit(of app: AppID)
    /// All that have ended.
    func reapAll() -> Instance.Ends
    func forgetMainProcess(of instance: Instance)
    func feed(_ input: Input)
    /// Job control is told where the app was stopped.
    func noteStop(of instance: Instance)
    /// The core is told where nothing is left of what it waits for.
    func lookWhoIsGone()
}

/// Children have ended, or stopped: what follows for the one app, each cause before what it has caused.
struct ChildEnds {
    let instance: Instance
    /// Whether what it has used is reported.
    let isReported: Bool
    let host: any ChildEndsHost

    private var manifest: Manifest { instance.manifest }

    func handle() {
        // What they said before they ended comes first, and while they can still be told from strangers.
        host.drainNotifications()
        // Whom the kernel has killed for memory is still there to be told of.
        if manifest.limitsMemory { host.noteMemoryLimit(of: instance.id) }
        let ends = host.reapAll()
        if let outcome = ends.leader { leaderEnded(outcome) }
        if let outcome = ends.main {
            mainEnded(outcome)
        } else if ends.leader == nil {
            // Of what outlives its leader the end has no status: the kernel's kill for memory is asked for.
            if manifest.limitsMemory, instance.livingLeader == nil { host.noteMemoryLimit(of: instance.id) }
            host.noteStop(of: instance)
        }
        host.lookWhoIsGone()
    }

    /// Its pidfd says that the main process has ended; a child of ours is reaped first.
    func mainProcessEnded(_ pid: Int32) {
        handle()
        // Another may have been named meanwhile, by the very one that has ended.
        if instance.mainProcess?.pid == pid { mainEnded(nil) }
    }

    private func leaderEnded(_ outcome: ExitOutcome) {
        if instance.mainProcess == nil { endRun(outcome) }
        // Where the run goes on without it, what it has begun is released.
        if instance.mainProcess != nil || manifest.policy.waitsForTree {
            host.feed(.app(instance.id, .ownerExited(TaskOwners.leader)))
        }
    }

    /// Its status is known to whoever was its parent: to us, when it has daemonised.
    private func mainEnded(_ outcome: ExitOutcome?) {
        guard instance.mainProcess != nil else { return }
        host.forgetMainProcess(of: instance)
        endRun(outcome ?? .exited(code: 0))
    }

    /// The leader, or the process it has named in its place, has ended.
    private func endRun(_ outcome: ExitOutcome) {
        if isReported { instance.reporter.noteMeasures() }
        // The kernel's kill for memory and the leader's death by it arrive together; the cause comes first.
        host.noteMemoryLimit(of: instance.id)
        host.feed(.app(instance.id, .leaderExited(outcome)))
    }
}
