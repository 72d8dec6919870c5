import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// From nothing to a running program. Whatever fails here is told in one line, and nothing has been started.
extension Supervision {
    func launch() {
        if plan.hasLifecycle { claimName() } else { name = AppName.fromCommand(plan.command) }
        let containment = makeContainment()
        unused = containment
        kernel.tree = nil
        console = Console(plan, page: page, front: front, mask: commandsMask, host: self)
        prepareLoop()
        if plan.hasLifecycle { makeNotifySocket() }
        watchSettings()
        // The watchdogs of the core run from `started`; a policy must know who enforces its memory limit.
        var policy = plan.policy
        if plan.limitsMemory {
            policy.memory = MemoryPolicy(
                foreground: plan.memory, background: plan.backgroundLimits,
                isEnforcedByKernel: containment.enforcesMemory)
        }
        self.policy = policy
        prepareResources(containment)
        engine.launch(Self.app, policy, plan.launch)
        spawn(into: containment)
        Capabilities.keepWhatIsUsed(forPriorities: plan.policy.yieldsInBackground || plan.policy.pageOut != nil)
        startedAt = kernel.now
        engine.feed(.started(Self.app))
        watchMachine()
        sweepStaleCgroups()
    }

    // MARK: The name

    private func claimName() {
        let directory = runtimeDirectory()
        let wanted = plan.name ?? AppName.fromCommand(plan.command)
        if let claimed = claim(wanted, in: directory) ?? claim("\(wanted)-\(getpid())", in: directory) {
            socket = claimed
            name = claimed.name
        } else {
            fail(125, "can't find a free name for \(wanted)")
        }
    }

    private func runtimeDirectory() -> RuntimeDirectory {
        do throws(KernelError) {
            return try RuntimeDirectory.forSupervisor()
        } catch {
            fail(125, error.text)
        }
    }

    /// Nil when it can't be had and another may do.
    private func claim(_ name: String, in directory: RuntimeDirectory) -> NamedSocket? {
        let path = directory.socketPath(name)
        guard path.utf8.count <= RuntimeDirectory.maximumSocketPathBytes else {
            fail(125, "the control socket's path is too long for a socket (\(path.utf8.count) bytes): \(path)")
        }
        do throws(KernelError) {
            // Told before it is made: the keeper unlinks what it knows of, if nobody listens there.
            page.set(.socket, path)
            switch try NamedSocket.claim(name, in: directory, maker: front, while: { isAwaited }) {
            case .claimed(let socket): return socket
            case .taken where plan.name != nil:
                fail(64, "--name \(name): an app of this name is running (see `curfew ps`)")
            case .blocked where plan.name != nil:
                fail(
                    125,
                    "--name \(name): a dead supervisor's socket is in the way, \(path), and can't be removed safely: "
                        + "another process holds a lock on its directory; end that one, or remove the socket yourself")
            case .taken, .blocked: return nil
            }
        } catch {
            fail(125, error.text)
        }
    }

    /// False once the front is gone, or has been told something: to end, most likely.
    private var isAwaited: Bool { getppid() == front && page.newsCount == 0 }

    // MARK: The tree

    private func makeContainment() -> Containment {
        let cgroup = Cgroup2.prefix + (plan.hasLifecycle ? "" : "-") + name + "." + decimal(Int(getpid()))
        do throws(KernelError) {
            return try Containment.make(plan.containment, name: cgroup, resources: plan.resources, front: front) {
                page.set(SharedPage.Path($0), $1)
            }
        } catch {
            fail(125, "--containment \(plan.containment.rawValue): \(error.text)")
        }
    }

    private func sweepStaleCgroups() {
        guard let containment = kernel.tree?.containment else { return }
        // One by one: an array of them is a type that the runtime would make, a fifth of a launch's instructions.
        sweep(beside: containment.unified?.path)
        sweep(beside: containment.freezer?.path)
        sweep(beside: containment.memory?.path)
        sweep(beside: containment.cpu?.path)
    }

    private func sweep(beside own: String?) {
        guard let own, let slash = own.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
        CgroupDirectory.sweep(parent: String(own[..<slash]), keeping: String(own[own.index(after: slash)...]))
    }

    // MARK: The loop

    private func prepareLoop() {
        loop = EventLoop.make()
        signals = Descriptor(curfew_signalfd(Self.waitedSignals))
        guard epoll.isOpen, signals.isOpen else {
            fail(125, KernelError("wait for signals", "", errno: -min(epoll.number, signals.number)).text)
        }
        _ = curfew_epoll_add(epoll.number, signals.number, 1, Source.signals.token())
        if let socket {
            control = ControlServer(app: Self.app, listening: socket.descriptor, loop: loop, host: self)
        }
    }

    /// SIGCHLD, what asks for an end, the front's bell, and what continues us, whose timer goes on once it is read.
    private static var waitedSignals: UInt64 {
        [SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGCONT, Int32(CURFEW_DOORBELL), Int32(CURFEW_FRONT_GONE_SIGNAL)]
            .reduce(0) { $0 | 1 << UInt64($1 - 1) }
    }

    private func makeNotifySocket() {
        do throws(KernelError) {
            let socket = try NotifySocket.make()
            notifyName = socket.name
            notify = NotifyServer(socket, loop: loop, host: self)
        } catch {
            fail(125, error.text)
        }
    }

    // MARK: The program

    private func spawn(into containment: Containment) {
        // Whatever has kept us waiting so far: nobody wants it any more.
        if getppid() != front { fail(125, "killed before \(plan.command) was started") }
        let channel: (ours: Int32, childs: Int32) = plan.hasLifecycle ? makeChannel() : (-1, -1)
        var request = SpawnRequest(arguments: plan.arguments, environment: environment)
        request.cgroup = containment.unified?.directory.number ?? -1
        request.joining = containment.joining
        request.hasOwnProcessGroup = console?.givesOwnGroup ?? true
        // What starts in background gets the terminal when it is opened.
        request.terminal = plan.launch.inBackground ? -1 : console?.terminalForChild ?? -1
        request.channel = channelNumber < 0 ? -1 : channel.childs
        request.channelNumber = channelNumber
        request.signalMask = commandsMask
        request.ignoredSignals = commandsIgnoredSignals
        resetDispositions()
        request.dropsCapabilities = plan.dropsCapabilities
        request.setsNoNewPrivileges = plan.setsNoNewPrivileges
        do throws(SpawnError) {
            let (pid, pidfd) = try request.spawn()
            adopt(pid, pidfd, containment, hasOwnGroup: request.hasOwnProcessGroup)
        } catch {
            fail(error)
        }
        descriptors = DescriptorLimit.raised()
        if !descriptors.isScarce { kernel.tree?.containment.prepareKill() }
        prepareSignals()
        guard plan.hasLifecycle else { return }
        kernel.allStopped = { [unowned self] in console?.handle($0 ? .allStopped : .continues) }
        var childsEnd = Descriptor(channel.childs)
        if descriptors.isScarce {
            childsEnd.close()
            kernel.tree?.containment.keepsFilesOpen = false
        }
        control?.descriptors = descriptors
        control?.addPipe(Descriptor(channel.ours), childsEnd: childsEnd, of: Self.app)
    }

    private func makeChannel() -> (ours: Int32, childs: Int32) {
        var channel: (Int32, Int32) = (-1, -1)
        let status = withUnsafeMutableBytes(of: &channel) {
            curfew_socketpair($0.baseAddress?.assumingMemoryBound(to: Int32.self))
        }
        if status < 0 { fail(125, KernelError("make", "the control pipe", errno: -status).text) }
        return channel
    }

    private var environment: UnsafePointer<UnsafeMutablePointer<CChar>?> {
        guard plan.hasLifecycle else { return UnsafePointer(environ) }
        return Environment(
            channel: channelNumber, socket: socket?.path ?? "", notify: notifyName,
            watchdogInterval: plan.policy.watchdogInterval
        ).pointer
    }

    private func adopt(_ pid: Int32, _ pidfd: Descriptor, _ containment: Containment, hasOwnGroup: Bool) {
        var pidfd = pidfd
        pidfd.close()
        var containment = containment
        containment.closeJoining()
        let group = hasOwnGroup ? pid : 0
        page.leader = pid
        page.group = group
        console?.appGroup = group
        if containment.outOfMemoryEvent >= 0 {
            _ = curfew_epoll_add(epoll.number, containment.outOfMemoryEvent, 1, Source.outOfMemory.token())
        }
        // A timeout's command is in the front's group, which is held besides.
        kernel.waitsForTree = plan.policy.waitsForTree || plan.policy.timeout != nil
        kernel.tree = ProcessTree(
            containment: containment, leader: pid, ownGroup: group, method: plan.suspension)
    }

    /// POSIX sh can redirect single digits only; 3 is left for socket activation. 8 unless the caller has it open,
    /// -1 if it has them all. To be asked before anything of ours is opened.
    static func freeChannelNumber() -> Int32 {
        for number: Int32 in [8, 9, 7, 6, 5, 4] where curfew_is_descriptor_open(number) == 0 { return number }
        return -1
    }

    // MARK: Failing

    private func fail(_ error: SpawnError) -> Never {
        let command = plan.command
        switch error.stage {
        case .exec where error.errno == ENOENT: fail(127, unrunnable(command, error))
        case .exec where [ENOMEM, EAGAIN, EMFILE, ENFILE].contains(error.errno):
            // The machine's want, or the memory limit's, and not the file's fault.
            fail(125, "can't start \(command): \(error.reason)")
        case .exec: fail(126, unrunnable(command, error))
        case .clone: fail(125, "can't start \(command): \(error.reason)")
        case .join, .group, .terminal, .channel, .privileges:
            fail(125, "can't prepare \(command) (\(error.stage)): \(error.reason)")
        }
    }

    /// In timeout(1)'s words where it is called so.
    private func unrunnable(_ command: String, _ error: SpawnError) -> String {
        let isTimeout = plan.policy.timeout != nil
        return isTimeout
            ? "failed to run command \(Quoted.text(command)): \(error.reason)" : "\(command): \(error.reason)"
    }

    func fail(_ status: Int32, _ problem: String) -> Never {
        // The child has taken the terminal before its exec failed.
        console?.finish()
        removeUnused()
        StandardError.print("\(plan.caller): \(problem)")
        report?.write(RunReport.ofFailure(name: name, command: plan.commandLine, status: status, problem: problem))
        socket?.remove()
        curfew_exit(status)
    }

    /// A child that failed has left its cgroups when it was reaped, but the kernel may take a moment more.
    private func removeUnused() {
        for _ in 0..<50 {
            if unused.remove() { return }
            usleep(2000)
        }
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
