import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// Why an app isn't launched: a code, and words.
struct LaunchRefusal: Error, Hashable {
    var code: String
    var problem: String

    init(_ code: String, _ problem: String) {
        self.code = code
        self.problem = problem
    }

    init(_ error: LaunchError) { self.init("failed", error.problem) }
    init(_ error: DefinitionRefusal) { self.init("invalid", error.problem) }

    /// Whether the next try can't go better, for it is what the app is that is wrong.
    var isLasting: Bool { ["invalid", "no-app"].contains(code) }
}

/// From a definition to a running program. What fails is thrown, and has changed nothing and left nothing behind.
extension ServeHost {
    /// What is made for an app before its program runs; undone where it never does.
    private struct Draft {
        let link: AppLink
        let id: AppID
        /// Of this launch.
        var options: LaunchOptions
        var containment = Containment.tree
        var settings: FileWatch?
        /// Our end of its reaper's.
        var reaperChannel = Descriptor.none
        var output: AppOutput?
    }

    /// `options`: of this launch; nil: as the definition has them.
    @discardableResult
    func launch(
        _ definition: ServedDefinition, _ options: LaunchOptions? = nil
    ) throws(LaunchRefusal) -> Instance {
        let name = definition.name
        try checkLaunch(of: definition)
        if let environment = definition.environment { definition.environment = environments.shared(environment) }
        let link = try claimLink(name)
        var draft = Draft(link: link, id: numbers.take(), options: options ?? definition.launch)
        let ended = apps.restoredEnd(of: name)
        let lastApp = apps[name]?.lastApp
        let manifest = definition.plan.manifest
        if let ended {
            draft.options.info += [Info("restored", "true"), Info("ended", ended.word)]
        }
        do throws(LaunchError) {
            let instance = try start(definition, manifest, &draft)
            links[draft.id] = link
            apps.launched(definition, as: draft.id, inBackground: draft.options.inBackground)
            desk.held(name, !apps.list.mayLaunchInBackground(name))
            if let lastApp { control?.follow(draft.id, insteadOf: lastApp) }
            begin(instance, draft.options)
            noteLaunch(of: instance, definition, inBackground: draft.options.inBackground)
            watchMemory(defaultLow: manifest.defaultMemoryLow)
            return instance
        } catch {
            undo(&draft)
            throw refusal(error)
        }
    }

    /// Others take processes too, or an app more than one: then the kernel itself refuses.
    private func refusal(_ error: LaunchError) -> LaunchRefusal {
        guard error.lacksProcess else { return LaunchRefusal(error) }
        processLimit = ProcessLimit.least()
        let limit = processLimit.map { "; the least limit is \($0.name), \($0.count)" } ?? ""
        return LaunchRefusal("limit", "\(error.problem): there can't be more processes\(limit)")
    }

    private func checkLaunch(of definition: ServedDefinition) throws(LaunchRefusal) {
        let name = definition.name
        if isEnding { throw LaunchRefusal("ending", "the server \(plan.name) is ending; nothing is launched any more") }
        if apps.app(named: name) != nil {
            throw LaunchRefusal("running", "\(name) is running; `curfew open \(name)` brings it to the front")
        }
        if let obstacle = definition.obstacle { throw LaunchRefusal("invalid", obstacle) }
        let kind = definition.plan.manifest.containment
        if kind != .auto, let own = cgroups?.kind, kind != own {
            throw LaunchRefusal(
                "invalid", "--containment \(kind.rawValue): this server holds all its apps by \(own.rawValue)")
        }
        if apps.runningCount >= capacity.count { throw LaunchRefusal("limit", capacity.refusal) }
        // One that has its memory limited, or waits for input, keeps more than the least.
        guard AppCapacity.leavesEnough(descriptors, taken: lastDescriptor) else {
            throw LaunchRefusal("limit", AppCapacity.refusal(running: apps.runningCount))
        }
    }

    /// As the limits are now.
    var capacity: AppCapacity { AppCapacity(descriptors, processLimit, processesOfApp: hasSubreapers ? 2 : 1) }

    private func claimLink(_ name: String) throws(LaunchRefusal) -> AppLink {
        let claim: AppLink.Claim
        do throws(KernelError) {
            claim = try AppLink.claim(name, for: plan.name, in: directory)
        } catch {
            throw LaunchRefusal("failed", error.text)
        }
        switch claim {
        case .claimed(let link): return link
        case .taken: throw LaunchRefusal("running", "an app called \(name) is running already, outside this server")
        case .blocked:
            throw LaunchRefusal(
                "busy",
                "a dead supervisor's socket is in the way, \(directory.socketPath(name)), and can't be "
                    + "removed safely: another process holds a lock on its directory")
        }
    }

    // MARK: The program

    private func start(
        _ definition: ServedDefinition, _ manifest: Manifest, _ draft: inout Draft
    ) throws(LaunchError) -> Instance {
        draft.containment = try makeContainment(of: definition.name, manifest, draft)
        draft.settings = try watchSettings(of: manifest, for: draft.id)
        let pagingMethod = try prepareResources(
            for: manifest, in: draft.containment, hasOwnGroup: true, leadsSession: true,
            isStrict: definition.plan.options.isStrict)
        prepareSleep(for: manifest)
        let stateDirectory = try prepareStateDirectory(of: definition.name, manifest)
        draft.output = openOutput(of: definition.name)
        let program = try start(definition, manifest, &draft, stateDirectory)
        lastDescriptor = program.channel.number
        if let kept = draft.output {
            HandedOutput(app: kept.app, run: kept.run, slot: draft.id.slot, pid: program.pid, to: proxy)
                .handOver(kept.readingEnd)
        }
        let instance = adopt(
            program, as: draft.id, named: definition.name, manifest, in: draft.containment,
            root: root(of: program, in: draft.containment))
        attendReaper(program, draft.reaperChannel, of: instance)
        if let kept = draft.output { output?.began(kept, pid: program.pid) }
        instance.leadsSession = true
        instance.settings = draft.settings
        instance.pagingMethod = pagingMethod
        if !descriptors.isScarce { instance.tree.containment.keepOnlyKill() }
        attendChannel(program, of: instance)
        return instance
    }

    private func root(of program: LaunchedProgram, in containment: Containment) -> TreeRoot {
        if containment.unified != nil { return .cgroup }
        return program.reaper > 0 ? .reaper(program.reaper) : .line(of: program.pid)
    }

    /// Its orphans' ends come from there, and its own.
    private func attendReaper(_ program: LaunchedProgram, _ channel: Descriptor, of instance: Instance) {
        guard program.reaper > 0 else { return }
        instance.subreaper = Subreaper(pid: program.reaper, channel: channel)
        children.register(program.reaper, of: instance.id)
        loop.add(channel, Kind.reaper.token(instance.id.rawValue))
    }

    private func makeContainment(
        of name: String, _ manifest: Manifest, _ draft: Draft
    ) throws(LaunchError) -> Containment {
        do throws(KernelError) {
            let own = ServerCgroups.appsName(name, number: draft.id.rawValue)
            let resources = manifest.resources(inBackground: draft.options.inBackground)
            return try cgroups?.makeApps(own, resources) { page.set(SharedPage.Path($0), $1) } ?? .tree
        } catch {
            throw LaunchError(error, for: name)
        }
    }

    private func start(
        _ definition: ServedDefinition, _ manifest: Manifest, _ draft: inout Draft, _ stateDirectory: String?
    ) throws(LaunchError) -> LaunchedProgram {
        var nothing = Descriptor(curfew_open_at(AT_FDCWD, "/dev/null", O_RDWR, 0))
        guard nothing.isOpen else { throw LaunchError(KernelError("open", "/dev/null", errno: -nothing.number)) }
        defer { nothing.close() }
        let inherited = OwnedStrings(definition.environment ?? environment.with(definition.addedEnvironment))
        let place = definition.directory.map { OwnedStrings([$0]) }
        let environment = Environment(
            inherited.pointer, channel: Self.channelNumber, socket: draft.link.path, notify: notifyName,
            watchdogInterval: manifest.policy.watchdogInterval, stateDirectory: stateDirectory)
        defer {
            environment.free()
            withExtendedLifetime((inherited, place)) {}
        }
        let signals = CommandSignals(
            callersMask: callersMask, callerIgnoredChild: curfew_proxy().pointee.callers_ignored_child, timeout: nil)
        var attributes = LaunchAttributes(environment: environment.pointer, signals: signals)
        // No terminal is its own, and what it forks gets no more of the processors than any other app, or its server: with autogroup
        // the kernel shares them between sessions. Beside a fork bomb of the server's session a request waited for 87 ms.
        // Source: sched(7), the autogroup feature.
        attributes.hasOwnSession = true
        attributes.channelNumber = Self.channelNumber
        attributes.dropsCapabilities = manifest.dropsCapabilities
        attributes.setsNoNewPrivileges = manifest.setsNoNewPrivileges
        let written = draft.output?.programsEnd.number ?? nothing.number
        attributes.streams = (nothing.number, written, written)
        attributes.directory = place?.pointer[0].map { UnsafePointer($0) }
        attributes.umask = definition.umask
        attributes.limits = definition.limits
        if !definition.limits.contains(where: { $0.resource == descriptorLimit.resource }) {
            attributes.limits.append(descriptorLimit)
        }
        var reapersEnd = try makeReaperChannel(&draft)
        defer { reapersEnd.close() }
        if reapersEnd.isOpen { attributes.reaper = (reaperImage?.file.number ?? -1, reapersEnd.number) }
        let launcher = Launcher(
            command: manifest.command, arguments: manifest.arguments, usesTimeoutsWords: false,
            system: SlottedLaunchSystem(base: machine.launches, slots: slots))
        return try launcher.start(attributes, in: draft.containment)
    }

    /// The reaper's end of its channel; none where it has no reaper.
    private func makeReaperChannel(_ draft: inout Draft) throws(LaunchError) -> Descriptor {
        guard reaperImage != nil, draft.containment.unified == nil else { return .none }
        do throws(KernelError) {
            let ends = try Subreaper.makeChannel()
            draft.reaperChannel = ends.ours
            return ends.reapers
        } catch {
            throw LaunchError(error)
        }
    }

    /// Nothing of its starter's is open in a program but the first three.
    private static let channelNumber: Int32 = 8

    /// Every app has one of its own, unless `--state-dir` names another.
    private func prepareStateDirectory(of name: String, _ manifest: Manifest) throws(LaunchError) -> String? {
        let own = StateDirectory.ofApp(name)?.path
        guard let path = manifest.stateDirectory ?? own else { return nil }
        do throws(AppStateDirectory.Problem) {
            return try AppStateDirectory.prepare(path)
        } catch {
            throw LaunchError(125, "CURFEW_STATE_DIR \(path): \(error.text); nothing was started")
        }
    }

    /// Nil where its output can't be kept: that is said, and it goes nowhere.
    private func openOutput(of name: String) -> AppOutput? {
        do throws(KernelError) {
            return try output?.open(app: name, run: (apps[name]?.launches ?? 0) + 1)
        } catch {
            complain("\(name): its output can't be kept: \(error.text)")
            return nil
        }
    }

    private func undo(_ draft: inout Draft) {
        if let kept = draft.output { output?.discard(kept) }
        draft.settings?.close()
        draft.reaperChannel.close()
        let isRemoved = draft.containment.remove()
        draft.containment.close()
        // A child that failed has left its cgroups when it was reaped, but the kernel may take a moment more.
        if !isRemoved { for path in draft.containment.paths { staleSweep.add(own: path) } }
        draft.link.remove()
        numbers.giveBack(draft.id)
    }

    // MARK: At the start

    /// What is written of apps is read, and those are launched that are to be, into background.
    func launchAtStart(_ read: ReloadedDefinitions) {
        tell(read)
        restartUnseen()
        for name in read.launchedAtStart where !isEnding && apps.app(named: name) == nil {
            guard apps.list.mayLaunchInBackground(name) else { continue }
            do throws(LaunchRefusal) {
                let definition = try definition(named: name)
                try launch(definition, LaunchOptions(inBackground: true, info: definition.launch.info))
            } catch {
                complain("\(name): couldn't be launched: \(error.problem)")
            }
        }
    }

    func reloadDefinitions() -> ReloadedDefinitions {
        let read = definitions.reload()
        tell(read)
        return read
    }

    /// What is wrong is told of each time that it is read.
    private func tell(_ read: ReloadedDefinitions) {
        for problem in read.problems + read.warnings { complain(problem) }
        desk.define(read.fetchIntervals)
    }

    // MARK: Again

    /// So many launches of a kind, and it is others' turn.
    static let launchesPerTurn = 4

    /// Those whose pause is over.
    func restartDue() {
        for entry in apps.dueRestarts(at: engine.now.lifecycle).prefix(Self.launchesPerTurn) {
            let isBehind = entry.restart?.launch.isIntoBackground(isFrontFull: engine.core.isFrontFull) ?? true
            do throws(LaunchRefusal) {
                let definition = try definition(named: entry.name)
                try launch(definition, LaunchOptions(inBackground: isBehind, info: definition.launch.info))
            } catch {
                failedAgain(entry.name, error)
            }
        }
    }
    /// What is wrong with it may be over the next time, unless it is what it is.
    private func failedAgain(_ name: String, _ refusal: LaunchRefusal) {
        var next = "that isn't tried again"
        if refusal.isLasting {
            apps.giveUpRestart(of: name)
            noteRestart(of: name, after: nil)
        } else if let pause = apps.putOffRestart(of: name, at: engine.now.lifecycle) {
            noteRestart(of: name, after: pause)
            next = "tried again in \(HumanText.duration(nanoseconds: pause.nanoseconds))"
        }
        complain("\(name): couldn't be launched again: \(refusal.problem); \(next)")
    }
}
