import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// Memory, disk and CPU time: what the machine can enforce of what was asked for, and what it tells.
extension AppsHost {
    /// Before anything is started: says what can't be enforced here, or refuses.
    ///
    /// Returns how memory can be paged out, where that was asked for.
    func prepareResources(
        for manifest: Manifest, in containment: Containment, hasOwnGroup: Bool,
        leadsSession: Bool = false, isStrict: Bool
    ) throws(LaunchError) -> PageOutMethod? {
        if manifest.limitsMemory {
            kernel.watchesMark = { [unowned self] in watchMark($0, $1) }
            kernel.seesGrowth = { [unowned self] in noteGrowth($0, $1) }
        }
        let asks = manifest.asksForResources || options.memoryLow != nil || manifest.policy.sleep?.wakesForInput == true
        guard asks || manifest.hasLifecycle && !Procfs.isOurs else { return nil }
        let pagingMethod = manifest.policy.pageOut == nil ? nil : Self.pageOutMethod(of: containment)
        var enforceability = Enforceability(manifest: manifest, containment: containment, pagingMethod: pagingMethod)
        enforceability.hasOwnGroup = hasOwnGroup
        enforceability.leadsSession = leadsSession
        if let warning = try enforceability.warning(isStrict: isStrict) {
            tellPeople("\(options.caller): \(warning)")
        }
        return pagingMethod
    }

    /// Without swap there is none.
    private static func pageOutMethod(of containment: Containment) -> PageOutMethod? {
        guard let memory = SystemMemory.read(), memory.swapTotal > 0 else { return nil }
        return containment.pageOutMethod
    }

    private func watchMark(_ app: AppID, _ event: Int32) {
        // Refused for one that is watched already.
        _ = curfew_epoll_add(epoll.number, event, 1, Kind.memoryMark.token(app.rawValue))
    }

    // MARK: What the kernel tells

    func noteMemoryLimit(of app: AppID) {
        guard let kill = kernel.instances[app]?.reporter.kernelsKill(limit: fatalLimit(of: app)) else { return }
        engine.feed(.app(app, kill))
    }

    func memoryMarkReached(by app: AppID) {
        guard let instance = kernel.instances[app] else { return }
        instance.tree.containment.readMemoryMarkEvent()
        let news = instance.reporter.markReached(limit: fatalLimit(of: app)) { engine.footprint(of: app) }
        engine.feed(.app(app, news))
    }

    private func fatalLimit(of app: AppID) -> UInt64? { engine.core.app(app)?.memoryLimits?.fatal }

    // MARK: The machine

    /// `defaultLow`: where memory is short, if the options don't say.
    func watchMachine(defaultLow: Amount?) {
        if let low = options.memoryLow ?? defaultLow, let memory = SystemMemory.read() {
            watchStalls()
            let sustained = MemoryPressure.sustainedTime.scaled(by: options.timeScale)
            engine.feed(
                .machine(
                    .watchMemory(
                        low: low.bytes(of: memory.total), sustained: sustained, isToldOfStalls: pressure != nil)))
        }
        watchDisk()
    }

    /// Where the options say so; once, however often it is called.
    func watchDisk() {
        if kernel.watchedDisk == nil, let low = options.diskLow, let disk = DiskSpace.available(at: ".") {
            kernel.watchedDisk = "."
            engine.feed(.machine(.watchDisk(low: low.bytes(of: disk.total))))
        }
    }

    private func watchStalls() {
        guard !descriptors.isScarce, let watch = try? Pressure.watchMemory() else { return }
        loop.add(watch.descriptor, Kind.pressure.token(), interest: Pressure.interest)
        pressure = watch
    }
}

extension AppsHost: StallHost {
    var availableMemory: UInt64 { kernel.availableMemory() }

    func endStallWatch() {
        if let pressure { _ = curfew_epoll_remove(epoll.number, pressure.descriptor.number) }
    }
}
