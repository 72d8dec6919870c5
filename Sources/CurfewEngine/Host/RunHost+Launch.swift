import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// From nothing to a running program. What fails here is thrown, and nothing has been started.
extension RunHost {
    func launch() throws(LaunchError) {
        if options.joinedServer != nil { try connectToServer() }
        if manifest.hasLifecycle { try claimName() } else { draft.name = AppName.fromCommand(manifest.command) }
        draft.containment = try makeContainment()
        let signals = CommandSignals(
            callersMask: callersMask, callerIgnoredChild: curfew_proxy().pointee.callers_ignored_child,
            timeout: manifest.policy.timeout)
        let console = Console(
            manifest, options.onSupervisorExit, page: page, proxy: proxy, signals: signals, host: self)
        self.console = console
        try makeLoop(signals: Self.waitedSignals)
        let notifySocket = try manifest.hasLifecycle ? makeNotifySocket() : nil
        let settings = try watchSettings(of: manifest, for: Self.app)
        let stateDirectory = try prepareStateDirectory()
        let pagingMethod = try prepareResources(
            for: manifest, in: draft.containment,
            hasOwnGroup: manifest.policy.timeout != nil || console.givesOwnGroup, isStrict: options.isStrict)
        prepareSleep(for: manifest)
        let launcher = Launcher(
            command: manifest.command, arguments: manifest.arguments, usesTimeoutsWords: manifest.policy.timeout != nil,
            system: LiveLaunchSystem(proxy: proxy))
        let program = try launcher.start(attributes(signals, console, stateDirectory), in: draft.containment)
        // It loads now, on another processor where there is one. Whatever it finds by name is there; what it sends, and
        // signals, wait until all the rest is ready.
        let instance = adopt(program, as: Self.app, named: draft.name, manifest, in: draft.containment)
        prepareHeld(instance)
        instance.settings = settings
        instance.pagingMethod = pagingMethod
        engine.journal = journal
        if options.holdsTime { engine.holdTime() }
        begin(instance, manifest.launch)
        attend(program, instance, notifySocket)
        if membership != nil { join(instance) }
        Capabilities.keepWhatIsUsed(forPriorities: manifest.policy.yieldsInBackground || manifest.policy.pageOut != nil)
        watchMachine(defaultLow: manifest.defaultMemoryLow)
        sweepStaleCgroups(beside: instance.tree.containment)
    }

    // MARK: The name

    private func claimName() throws(LaunchError) {
        let claim = NameClaim(
            asked: manifest.name, command: manifest.command, pid: getpid, directory: try runtimeDirectory())
        let directory = claim.directory
        let claimed = try claim.claim { (name, path) throws(KernelError) in
            // Told before it is made: the keeper unlinks what it knows of, if nobody listens there.
            page.set(.socket, path)
            return try NamedSocket.claim(name, in: directory, maker: proxy, while: { isAwaited })
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

    /// False once the proxy is gone, or has been told something: to end, most likely.
    private var isAwaited: Bool { getppid() == proxy && page.newsCount == 0 }

    // MARK: The tree

    private func makeContainment() throws(LaunchError) -> Containment {
        let cgroup = Cgroup2.prefix + (manifest.hasLifecycle ? "" : "-") + draft.name + "." + decimal(Int(getpid()))
        do throws(KernelError) {
            let resources = manifest.resources(inBackground: manifest.launch.inBackground)
            return try Containment.make(manifest.containment, name: cgroup, resources: resources, proxy: proxy) {
                page.set(SharedPage.Path($0), $1)
            }
        } catch {
            throw LaunchError(error, for: "--containment \(manifest.containment.rawValue)")
        }
    }

    // MARK: The program

    func attributes(
        _ signals: CommandSignals, _ console: Console, _ stateDirectory: String?
    ) -> LaunchAttributes {
        var attributes = LaunchAttributes(
            environment: environment(stateDirectory), signals: console.ownsTerminal ? signals.ofJob : signals)
        attributes.hasOwnGroup = console.givesOwnGroup
        attributes.sharedGroup = console.proxyGroup
        // What starts in background gets the terminal when it is opened.
        attributes.terminal = manifest.launch.inBackground ? -1 : console.terminalForChild
        attributes.hasChannel = manifest.hasLifecycle
        attributes.channelNumber = channelNumber
        attributes.dropsCapabilities = manifest.dropsCapabilities
        attributes.setsNoNewPrivileges = manifest.setsNoNewPrivileges
        attributes.note = page.launchNote
        return attributes
    }

    /// Nil where none was asked for.
    private func prepareStateDirectory() throws(LaunchError) -> String? {
        guard let path = manifest.stateDirectory else { return nil }
        do throws(AppStateDirectory.Problem) {
            return try AppStateDirectory.prepare(path)
        } catch {
            throw LaunchError(125, "--state-dir \(path): \(error.text); nothing was started")
        }
    }

    private func environment(_ stateDirectory: String?) -> UnsafePointer<UnsafeMutablePointer<CChar>?> {
        guard manifest.hasLifecycle else { return UnsafePointer(environ) }
        return Environment(
            channel: channelNumber, socket: socket?.path ?? "", notify: notifyName,
            watchdogInterval: manifest.policy.watchdogInterval, stateDirectory: stateDirectory
        ).pointer
    }

    /// What is told of it from its first moment on.
    func prepareHeld(_ instance: Instance) {
        instance.hooks = hooks
        prepareSignals(of: instance)
        if manifest.hasLifecycle {
            kernel.allStopped = { [unowned self] in console?.handle($1 ? .allStopped : .continues) }
            kernel.isContinued = { [unowned self] in isContinued($0) }
        }
    }

    /// Waits for all that comes from it, or is for it.
    private func attend(_ program: LaunchedProgram, _ instance: Instance, _ notifySocket: NotifySocket?) {
        loop.add(signals, Kind.signals.token())
        if !descriptors.isScarce { instance.tree.containment.prepareKill() }
        if let notifySocket { notifyServer = NotifyServer(notifySocket, loop: loop, host: self) }
        guard let socket else { return }
        control = ControlServer(listening: socket.descriptor, loop: loop, host: self)
        attendChannel(program, of: instance)
    }

    /// POSIX sh can redirect single digits only; 3 is left for socket activation. 8 unless the caller has it open,
    /// -1 if it has them all. To be asked before anything of ours is opened.
    static func freeChannelNumber(isOpen: (Int32) -> Bool = { curfew_is_descriptor_open($0) != 0 }) -> Int32 {
        for number: Int32 in [8, 9, 7, 6, 5, 4] where !isOpen(number) { return number }
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
