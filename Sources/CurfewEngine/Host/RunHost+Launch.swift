import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// From nothing to a running program. What fails here is thrown, and nothing has been started.
extension RunHost {
    func launch() throws(LaunchError) {
        if manifest.hasLifecycle { try claimName() } else { draft.name = AppName.fromCommand(manifest.command) }
        draft.containment = try makeContainment()
        let signals = CommandSignals(
            callersMask: callersMask, callerIgnoredChild: curfew_front().pointee.callers_ignored_child,
            timeout: manifest.policy.timeout)
        let console = Console(
            manifest, options.onSupervisorExit, page: page, front: front, signals: signals, host: self)
        self.console = console
        try makeLoop()
        let notifySocket = try manifest.hasLifecycle ? makeNotifySocket() : nil
        let settings = try watchSettings()
        let pagingMethod = try prepareResources()
        prepareSleep()
        let launcher = Launcher(
            command: manifest.command, arguments: manifest.arguments, usesTimeoutsWords: manifest.policy.timeout != nil,
            system: LiveLaunchSystem(front: front))
        let program = try launcher.start(attributes(signals, console), in: draft.containment)
        // It loads now, on another processor where there is one. Whatever it finds by name is there; what it sends, and
        // signals, wait until all the rest is ready.
        let instance = adopt(program)
        instance.settings = settings
        instance.pagingMethod = pagingMethod
        begin(instance)
        attend(program, instance.tree, notifySocket)
        Capabilities.keepWhatIsUsed(forPriorities: manifest.policy.yieldsInBackground || manifest.policy.pageOut != nil)
        watchMachine()
        sweepStaleCgroups(beside: instance.tree.containment)
    }

    /// The watchdogs of the core run from `started`.
    private func begin(_ instance: Instance) {
        engine.journal = journal
        if options.holdsTime { engine.holdTime() }
        engine.launch(Self.app, instance.policy, manifest.launch)
        engine.feed(.app(Self.app, .started))
    }

    // MARK: The name

    private func claimName() throws(LaunchError) {
        let claim = NameClaim(
            asked: manifest.name, command: manifest.command, pid: getpid, directory: try runtimeDirectory())
        let directory = claim.directory
        let claimed = try claim.claim { (name, path) throws(KernelError) in
            // Told before it is made: the keeper unlinks what it knows of, if nobody listens there.
            page.set(.socket, path)
            return try NamedSocket.claim(name, in: directory, maker: front, while: { isAwaited })
        }
        socket = claimed
        draft.name = claimed.name
    }

    private func runtimeDirectory() throws(LaunchError) -> RuntimeDirectory {
        do throws(KernelError) {
            return try RuntimeDirectory.forSupervisor()
        } catch {
            throw LaunchError(error)
        }
    }

    /// False once the front is gone, or has been told something: to end, most likely.
    private var isAwaited: Bool { getppid() == front && page.newsCount == 0 }

    // MARK: The tree

    private func makeContainment() throws(LaunchError) -> Containment {
        let cgroup = Cgroup2.prefix + (manifest.hasLifecycle ? "" : "-") + draft.name + "." + decimal(Int(getpid()))
        do throws(KernelError) {
            return try Containment.make(manifest.containment, name: cgroup, resources: manifest.resources, front: front)
            {
                page.set(SharedPage.Path($0), $1)
            }
        } catch {
            throw LaunchError(error, for: "--containment \(manifest.containment.rawValue)")
        }
    }

    private func sweepStaleCgroups(beside containment: Containment) {
        // One by one: an array of them is a type that the runtime would make, a fifth of a launch's instructions.
        findStale(beside: containment.unified?.path)
        findStale(beside: containment.freezer?.path)
        findStale(beside: containment.memory?.path)
        findStale(beside: containment.cpu?.path)
        if staleSweep.nextTurn != nil { staleSweep.goOn() }
    }

    private func findStale(beside own: String?) {
        guard let own, let slash = own.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
        staleSweep.add(parent: String(own[..<slash]), keeping: String(own[own.index(after: slash)...]))
    }

    // MARK: The loop

    private func makeLoop() throws(LaunchError) {
        loop = EventLoop.make()
        signals = Descriptor(curfew_signalfd(Self.waitedSignals))
        guard epoll.isOpen, signals.isOpen else {
            throw LaunchError(KernelError("wait for signals", "", errno: -min(epoll.number, signals.number)))
        }
    }

    /// SIGCHLD, what asks for an end, the front's bell, and what continues us, whose timer goes on once it is read.
    private static var waitedSignals: UInt64 {
        [SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGCONT, Int32(CURFEW_DOORBELL), Int32(CURFEW_FRONT_GONE_SIGNAL)]
            .reduce(0) { $0 | 1 << UInt64($1 - 1) }
    }

    private func makeNotifySocket() throws(LaunchError) -> NotifySocket {
        do throws(KernelError) {
            let socket = try NotifySocket.make()
            notifyName = socket.name
            return socket
        } catch {
            throw LaunchError(error)
        }
    }

    // MARK: The program

    private func attributes(_ signals: CommandSignals, _ console: Console) -> LaunchAttributes {
        var attributes = LaunchAttributes(environment: environment, signals: signals)
        attributes.hasOwnGroup = console.givesOwnGroup
        attributes.sharedGroup = console.frontGroup
        // What starts in background gets the terminal when it is opened.
        attributes.terminal = manifest.launch.inBackground ? -1 : console.terminalForChild
        attributes.hasChannel = manifest.hasLifecycle
        attributes.channelNumber = channelNumber
        attributes.dropsCapabilities = manifest.dropsCapabilities
        attributes.setsNoNewPrivileges = manifest.setsNoNewPrivileges
        attributes.note = page.launchNote
        return attributes
    }

    private var environment: UnsafePointer<UnsafeMutablePointer<CChar>?> {
        guard manifest.hasLifecycle else { return UnsafePointer(environ) }
        return Environment(
            channel: channelNumber, socket: socket?.path ?? "", notify: notifyName,
            watchdogInterval: manifest.policy.watchdogInterval
        ).pointer
    }

    private func adopt(_ program: LaunchedProgram) -> Instance {
        var containment = draft.containment
        containment.closeJoining()
        if containment.outOfMemoryEvent >= 0 {
            let token = Source.outOfMemory.token(Self.app.rawValue)
            _ = curfew_epoll_add(epoll.number, containment.outOfMemoryEvent, 1, token)
        }
        let tree = ProcessTree(
            containment: containment, leader: program.pid, ownGroup: program.group, method: manifest.suspension)
        let instance = Instance(Self.app, name: draft.name, manifest, tree, startedAt: kernel.now)
        kernel.instances.insert(instance)
        reaper.register(program.pid, of: instance.id)
        descriptors = DescriptorLimit.raised()
        prepareSignals(of: instance)
        if manifest.hasLifecycle {
            kernel.allStopped = { [unowned self] in console?.handle($1 ? .allStopped : .continues) }
            kernel.isContinued = { [unowned self] in isContinued($0) }
        }
        return instance
    }

    /// Waits for all that comes from it, or is for it.
    private func attend(_ program: LaunchedProgram, _ tree: ProcessTree, _ notifySocket: NotifySocket?) {
        loop.add(signals, Source.signals.token())
        if !descriptors.isScarce { tree.containment.prepareKill() }
        if let notifySocket { notify = NotifyServer(notifySocket, loop: loop, host: self) }
        guard let socket else { return }
        control = ControlServer(app: Self.app, listening: socket.descriptor, loop: loop, host: self)
        var childsEnd = program.childsEnd
        noteChannel(childsEnd, of: Self.app)
        if descriptors.isScarce {
            childsEnd.close()
            tree.containment.keepsFilesOpen = false
        }
        control?.descriptors = descriptors
        control?.addPipe(program.channel, childsEnd: childsEnd, of: Self.app)
    }

    /// POSIX sh can redirect single digits only; 3 is left for socket activation. 8 unless the caller has it open,
    /// -1 if it has them all. To be asked before anything of ours is opened.
    static func freeChannelNumber() -> Int32 {
        for number: Int32 in [8, 9, 7, 6, 5, 4] where curfew_is_descriptor_open(number) == 0 { return number }
        return -1
    }
}

extension SharedPage.Path {
    init(_ role: Containment.PathRole) {
        switch role {
        case .unified: self = .unified
        case .freezer: self = .freezer
        case .memory: self = .memory
        case .cpu: self = .cpu
        }
    }
}
