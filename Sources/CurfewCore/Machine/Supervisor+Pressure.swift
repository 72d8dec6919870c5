/// The machine runs short of memory or of disk: who is told, and who has to go.
extension Supervisor {
    /// From now on available memory is watched; a second time changes nothing.
    mutating func watchMemory(low: UInt64, sustained: Span, isToldOfStalls: Bool, at now: Moment) {
        guard memoryPressure?.isWatched != true else { return }
        watchesMachine = true
        var pressure = MemoryPressure(low: low, sustained: sustained, isToldOfStalls: isToldOfStalls, at: now)
        if let simulated = memoryPressure {
            pressure.isSimulated = true
            pressure.level = simulated.level
            pressure.since = simulated.since
            pressure.unwarned = simulated.unwarned
            pressure.nextLook = simulated.nextLook
        }
        memoryPressure = pressure
    }

    /// As if that had been measured; nothing more is measured before `normal` is said.
    mutating func simulatePressure(_ level: PressureLevel, at now: Moment, into effects: inout [Effect]) {
        if memoryPressure == nil {
            guard level > .normal else { return }
            watchesMachine = true
            memoryPressure = MemoryPressure(
                low: 0, sustained: MemoryPressure.sustainedTime, isToldOfStalls: true, at: now)
            memoryPressure?.isWatched = false
        }
        guard var pressure = memoryPressure else { return }
        pressure.isSimulated = level > .normal
        pressure.available = nil
        enter(level, available: nil, of: &pressure, at: now, into: &effects)
        // Measured anew, once it isn't simulated any more.
        pressure.nextLook = pressure.isSimulated ? nil : now.real
        memoryPressure = pressure.isSimulated || pressure.isWatched ? pressure : nil
        goOnSimulating(at: now, into: &effects)
    }

    /// What follows from a level that is only said: warnings, and a victim from time to time.
    private mutating func goOnSimulating(at now: Moment, into effects: inout [Effect]) {
        guard let pressure = memoryPressure, pressure.isSimulated else { return }
        let next = isAnyWatched(isUrgent: true) ? now.real + pressure.interval(available: 0) : nil
        memoryPressure?.nextLook = next
        warnNext(at: now, into: &effects)
        relieveMemory(at: now, into: &effects)
    }

    private func enter(
        _ level: PressureLevel, available: UInt64?, of pressure: inout MemoryPressure, at now: Moment,
        into effects: inout [Effect]
    ) {
        guard level != pressure.level else { return }
        let isWorse = level > pressure.level
        pressure.level = level
        pressure.since = now.real
        pressure.unwarned = isWorse ? appsToWarn : []
        effects.append(.pressureChanged(level, available: available))
    }

    mutating func availableMemoryMeasured(
        _ available: UInt64, isStalling: Bool, at now: Moment, into effects: inout [Effect]
    ) {
        guard var pressure = memoryPressure, !pressure.isSimulated else { return }
        let level = pressure.level.following(available: available, low: pressure.low, isStalling: isStalling)
        pressure.available = available
        pressure.wanted = level.wanted(available: available, low: pressure.low, isStalling: isStalling)
        enter(level, available: available, of: &pressure, at: now, into: &effects)
        // While all are suspended, whoever stalls tells; without such a teller it is looked at now and then.
        let isUrgent = level > .normal || !pressure.isToldOfStalls
        let isWatched = isAnyWatched(isUrgent: isUrgent)
        pressure.nextLook = isWatched ? now.real + pressure.interval(available: available) : nil
        memoryPressure = pressure
        warnNext(at: now, into: &effects)
        relieveMemory(at: now, into: &effects)
    }

    /// One that runs, or any where it is urgent.
    private func isAnyWatched(isUrgent: Bool) -> Bool { isUrgent ? !table.apps.isEmpty : table.runningCount > 0 }

    /// Those in front first, then in the order of launch; a suspended one never.
    private var appsToWarn: [AppID] {
        let running = table.indicesByLaunch.map { table.apps[$0].id }.filter { isToBeWarned($0) }
        let front = table.front.inFront.filter { isToBeWarned($0) }
        return front + running.filter { !front.contains($0) }
    }

    private func isToBeWarned(_ id: AppID) -> Bool {
        table.index(of: id).map { table.apps[$0].isRunning && table.apps[$0].end == nil } ?? false
    }

    /// One app at a time.
    mutating func warnNext(at now: Moment, into effects: inout [Effect]) {
        guard let warning = memoryPressure?.level.warning else { return }
        while let pressure = memoryPressure, let id = pressure.unwarned.first, pressure.nextWarning <= now.real {
            memoryPressure?.unwarned.removeFirst()
            guard let index = table.index(of: id) else { continue }
            var isWarned = false
            table.change(at: index) { isWarned = $0.warnOfMemory(warning, at: now, into: &effects) }
            if isWarned { memoryPressure?.nextWarning = now.real + MemoryPressure.warningInterval }
        }
    }

    // MARK: Victims

    /// Kills at most one; available memory is measured again before the next.
    private mutating func relieveMemory(at now: Moment, into effects: inout [Effect]) {
        guard let pressure = memoryPressure, pressure.level > .normal else { return }
        guard let (index, reason) = memoryVictim(pressure, at: now) else { return }
        if now.real < pressure.nextKill {
            memoryPressure?.nextLook = min(pressure.nextLook ?? pressure.nextKill, pressure.nextKill)
            return
        }
        table.change(at: index) { app in
            var report = app.killReport(reason, at: now)
            report.footprint = app.footprint
            report.memoryLimit = reason == .memoryHighwater ? app.memoryLimits?.soft : nil
            report.available = pressure.available
            report.availableLimit = pressure.isSimulated ? nil : pressure.wanted
            app.kill(report, at: now, into: &effects)
        }
        memoryPressure?.nextKill = now.real + MemoryPressure.killInterval
        memoryPressure?.nextLook = now.real + MemoryPressure.killInterval
    }

    /// Offenders against their soft limit first, at either level; then, at the critical one, whoever is lowest.
    private func memoryVictim(_ pressure: MemoryPressure, at now: Moment) -> (index: Int, reason: KillReason)? {
        if let offender = victim(at: now, where: { $0.isAboveSoftLimit }) { return (offender, .memoryHighwater) }
        if pressure.level == .critical {
            guard let lowest = victim(at: now) else { return nil }
            // In front it has a moment to heed the warning.
            let isSpared =
                table.apps[lowest].band(at: now) == .foreground
                && now.real < pressure.since + MemoryPressure.killInterval
            return isSpared ? nil : (lowest, .memoryPressure)
        }
        guard now.real >= pressure.since + pressure.sustained else { return nil }
        return victim(at: now) { $0.band(at: now) == .suspended }.map { ($0, .idleExit) }
    }

    /// The lowest band's; in a band whoever entered it first, then whoever was launched first. One that is ending already
    /// is let be. Asked at most twice a second, so that each app may be looked at.
    private func victim(at now: Moment, where isWanted: (App) -> Bool = { _ in true }) -> Int? {
        var found: (index: Int, band: Band, since: Instant, launch: Int)?
        for index in table.apps.indices where table.apps[index].isCandidate && isWanted(table.apps[index]) {
            let app = (band: table.apps[index].band(at: now), since: table.apps[index].bandSince(at: now))
            let launch = table.launchNumber(at: index)
            if let found, (found.band, found.since, found.launch) < (app.band, app.since, launch) { continue }
            found = (index, app.band, app.since, launch)
        }
        return found?.index
    }

    // MARK: Disk

    mutating func watchDisk(low: UInt64, at now: Moment) {
        guard diskPressure == nil else { return }
        watchesMachine = true
        diskPressure = DiskPressure(low: low, nextLook: now.real)
    }

    /// Nobody in front is killed for it.
    mutating func freeDiskMeasured(_ free: UInt64, at now: Moment, into effects: inout [Effect]) {
        guard let pressure = diskPressure else { return }
        let isWatched = isAnyWatched(isUrgent: free < pressure.low)
        diskPressure?.nextLook = isWatched ? now.real + DiskPressure.interval : nil
        diskPressure?.isAtEase = free >= pressure.low
        guard free < pressure.low, let index = victim(at: now), table.apps[index].band(at: now) != .foreground else {
            return
        }
        table.change(at: index) { app in
            var report = app.killReport(.diskSpace, at: now)
            report.available = free
            report.availableLimit = pressure.low
            app.kill(report, at: now, into: &effects)
        }
        diskPressure?.nextLook = now.real + DiskPressure.killInterval
    }

    // MARK: Time

    /// When somebody is warned next, or the machine looked at.
    var nextPressureDeadline: Instant? {
        var earliest = memoryLook
        if let diskLook { earliest = earliest.map { min($0, diskLook) } ?? diskLook }
        guard let pressure = memoryPressure, !pressure.unwarned.isEmpty else { return earliest }
        return earliest.map { min($0, pressure.nextWarning) } ?? pressure.nextWarning
    }

    /// While it is at ease, whoever stalls tells.
    private var memoryLook: Instant? { memoryPressure.flatMap { look($0.nextLook, isAtEase: $0.isAtEase) } }

    private var diskLook: Instant? { diskPressure.flatMap { look($0.nextLook, isAtEase: $0.isAtEase) } }

    /// Not as long as all are suspended and enough is left.
    private func look(_ next: Instant?, isAtEase: Bool) -> Instant? {
        isAtEase && table.runningCount == 0 ? nil : next
    }

    /// What time alone brings about here.
    mutating func proceed(at now: Moment, into effects: inout [Effect]) {
        warnNext(at: now, into: &effects)
        if let look = memoryLook, look <= now.real {
            memoryPressure?.nextLook = nil
            if memoryPressure?.isSimulated == true {
                goOnSimulating(at: now, into: &effects)
            } else {
                effects.append(.measureAvailableMemory)
            }
        }
        if let look = diskLook, look <= now.real {
            diskPressure?.nextLook = nil
            effects.append(.measureFreeDisk)
        }
    }

    /// An app runs again: what is left may go fast.
    mutating func lookAgain(at now: Moment) {
        guard watchesMachine else { return }
        let isMemoryLeftAlone = memoryPressure != nil && memoryPressure?.nextLook == nil
        let isDiskLeftAlone = diskPressure != nil && diskPressure?.nextLook == nil
        guard isMemoryLeftAlone || isDiskLeftAlone, table.runningCount > 0 else { return }
        if isMemoryLeftAlone { memoryPressure?.nextLook = now.real }
        if isDiskLeftAlone { diskPressure?.nextLook = now.real }
    }
}

extension App {
    /// Whether it can be killed for what the machine is short of.
    fileprivate var isCandidate: Bool { (isRunning || isSuspending) && end == nil }
}

/// A file system that runs full.
struct DiskPressure: Sendable, Hashable {
    let low: UInt64
    var nextLook: Instant?
    /// Enough was free when last measured.
    var isAtEase = false

    /// No event of the kernel's tells of it.
    static let interval = Span.seconds(10)
    static let killInterval = Span.milliseconds(500)
}
