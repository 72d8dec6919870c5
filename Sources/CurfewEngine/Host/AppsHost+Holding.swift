import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// What there is once for all apps before the first is launched, and what makes a program that was started one of them.
extension AppsHost {
    /// Out of reach of the terminal's signals; and told when the proxy goes. `name`: what others know a supervisor by.
    func leaveProxyGroup(_ proxy: Int32, as name: StaticString) {
        _ = curfew_set_parent_death_signal(Int32(CURFEW_PROXY_GONE_SIGNAL))
        if getppid() != proxy { curfew_exit(125) }
        _ = setpgid(0, 0)
        _ = curfew_set_subreaper()
        name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount) { _ = curfew_set_name($0) }
    }

    /// What is waited for by the loop, besides what comes with each app.
    func makeLoop(signals waited: UInt64) throws(LaunchError) {
        loop = EventLoop.make()
        signals = Descriptor(curfew_signalfd(waited))
        guard epoll.isOpen, signals.isOpen else {
            throw LaunchError(KernelError("wait for signals", "", errno: -min(epoll.number, signals.number)))
        }
    }

    func makeNotifySocket() throws(LaunchError) -> NotifySocket {
        do throws(KernelError) {
            let socket = try NotifySocket.make()
            notifyName = socket.name
            return socket
        } catch {
            throw LaunchError(error)
        }
    }

    // MARK: An app

    /// From now on the program is held as that app.
    func adopt(
        _ program: LaunchedProgram, as id: AppID, named name: String, _ manifest: Manifest, in joined: Containment,
        root: TreeRoot? = nil
    ) -> Instance {
        var containment = joined
        containment.closeJoining()
        if containment.outOfMemoryEvent >= 0 {
            let token = Kind.outOfMemory.token(id.rawValue)
            _ = curfew_epoll_add(epoll.number, containment.outOfMemoryEvent, 1, token)
        }
        let tree = ProcessTree(
            containment: containment, leader: program.pid, ownGroup: program.group, method: manifest.suspension,
            root: root)
        let instance = Instance(id, name: name, manifest, tree, startedAt: kernel.now)
        kernel.instances.insert(instance)
        children.register(program.pid, of: id)
        descriptors = DescriptorLimit.raised()
        return instance
    }

    /// The watchdogs of the core run from `started`.
    func begin(_ instance: Instance, _ options: LaunchOptions) {
        engine.launch(instance.id, instance.policy, options)
        engine.feed(.app(instance.id, .started))
    }

    /// Serves its control pipe.
    func attendChannel(_ program: LaunchedProgram, of instance: Instance) {
        var childsEnd = program.childsEnd
        noteChannel(childsEnd, of: instance)
        if descriptors.isScarce || !keepsSpares { childsEnd.close() }
        if descriptors.isScarce { instance.tree.containment.keepsFilesOpen = false }
        instance.pipe = control?.addPipe(program.channel, childsEnd: childsEnd, of: instance.id)
    }

    /// It is over. What a kill couldn't end is no app's any more: whenever it ends, its number is told of nobody.
    func disown(_ instance: Instance) {
        forgetMainProcess(of: instance)
        if let leader = instance.livingLeader { children.forget(leader) }
        if let subreaper = instance.subreaper { children.forget(subreaper.pid) }
    }

    // MARK: What others have left

    /// One by one: an array of them is a type that the runtime would make, a fifth of a launch's instructions.
    func sweepStaleCgroups(beside containment: Containment) {
        findStale(beside: containment.unified?.path)
        findStale(beside: containment.freezer?.path)
        findStale(beside: containment.memory?.path)
        findStale(beside: containment.cpu?.path)
        if staleSweep.nextTurn != nil { staleSweep.goOn() }
    }

    func findStale(beside own: String?) {
        guard let own, let slash = own.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
        staleSweep.add(parent: String(own[..<slash]), keeping: String(own[own.index(after: slash)...]))
    }
}
