import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// The end of an app, and of the server with all of them.
extension ServeHost {
    /// It is over: told of, and all that was made for it is gone.
    func forget(_ app: AppID, _ ending: Ending) {
        guard let instance = kernel.instances[app] else { return }
        if ending.kill.map({ isTold($0) }) ?? true { tell(ending, of: instance) }
        tellOfHandOver(ending, of: instance)
        let run = apps[app]?.launches ?? 1
        let now = engine.now.lifecycle
        let restart = apps.ended(app, ending, life: kernel.now - instance.startedAt, at: now)
        if let entry = apps[instance.name] { noteEnd(of: instance, entry, pause: restart.map { $0 - now }) }
        output?.ended(
            app: instance.name, run: run, HandedOutput(app: instance.name, run: run, slot: app.slot, to: proxy))
        control?.forget(app, pipe: instance.pipe)
        links.removeValue(forKey: app)?.remove()
        disown(instance)
        instance.close()
        lastDescriptor = 0
        kernel.instances.remove(app)
        numbers.giveBack(app)
        manager?.statusChanged(at: kernel.now)
        answerWaiting(app)
        endIfDone()
    }

    private func tell(_ ending: Ending, of instance: Instance) {
        let words = LastWords(name: instance.name, manifest: instance.manifest, options: options)
        for line in words.lines(of: ending, seen: { instance.reporter.lastSnapshot }) { tellPeople(line) }
        FinalReport(instance: instance, host: self).write(ending)
    }

    private func answerWaiting(_ app: AppID) {
        for index in waiting.indices { waiting[index].apps.remove(app) }
        let done = waiting.filter(\.apps.isEmpty)
        waiting.removeAll(where: \.apps.isEmpty)
        for wait in done {
            if let name = wait.removed { keepRemoval(of: name, wait.request) } else { accept(wait.request) }
        }
    }

    // MARK: The server's

    /// Every app is asked to end, all at once; each has the time that its limits give it.
    func end() {
        guard !isEnding else { return }
        isEnding = true
        sources?.end()
        tellManagerOfEnd()
        desk.arm()
        for name in apps.list.names where apps[name]?.restart != nil { noteRestart(of: name, after: nil) }
        apps.forgetRestarts()
        let running = apps.running
        for app in running where apps[app]?.request == nil { apps[app]?.request = .serverEnd }
        for app in running { feed(.app(app, .quit(request: nil))) }
        endIfDone()
    }

    /// Once no app runs, and all is kept that sources have pushed.
    func endIfDone() {
        if isEnding, apps.runningCount == 0, sources?.isOver != false { isOver = true }
    }

    /// The last things, once no app runs and no source.
    func finish() -> Never {
        while kernel.isAtWork { kernel.goOn() }
        finishOutput()
        staleSweep.finish()
        records?.stop()
        removeAll()
        errors.finish()
        // Last of all: by its end a client knows that another server can have the name and the records.
        control?.closeAll()
        curfew_exit(0)
    }

    private func finishOutput() {
        if output?.finish(within: 2_000_000_000) == false {
            complain("the disk hasn't taken all that the apps wrote")
        }
    }

    /// Its names and its cgroups. What a kill couldn't end is left in them, and was told of.
    private func removeAll() {
        for link in links.values { link.remove() }
        socket?.remove()
        for _ in 0..<50 {
            reapAll { _ in }
            // The apps' reapers, which were killed with them.
            let isAlone = !hasSubreapers || !Reaping.hasChildren()
            if cgroups?.remove() != false, isAlone { return }
            usleep(2000)
        }
    }

    /// The proxy is gone, and with it whoever would clean up after us: nothing stays.
    func endWithoutProxy() -> Never {
        sources?.end()
        var pacing = KillPacing.ofSupervisor(at: kernel.now)
        pacing.killAll(now: { kernel.now }) { pacing in
            for app in apps.running { kernel.kill(app) }
            // On the tree there can be more than is known to be an app's.
            ProcessTree.killDescendants(of: getpid(), reapersLast: pacing.sparesReapers)
            reapAll { _ in }
            return !Reaping.hasChildren() && cgroups?.isPopulated() != true
        }
        for app in apps.running { _ = kernel.isGone(app) }
        _ = output?.finish(within: 500_000_000)
        removeAll()
        complain("`curfew serve` itself was killed, so its apps were ended")
        errors.finish()
        curfew_exit(125)
    }

    /// Nothing was started.
    func fail(_ error: LaunchError) -> Never {
        _ = cgroups?.remove()
        socket?.remove()
        complain(error.problem)
        errors.finish()
        curfew_exit(error.status)
    }
}
