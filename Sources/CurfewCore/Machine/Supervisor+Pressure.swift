/// The machine runs short of memory or of disk: who is told, and who has to go.
extension Supervisor {
    /// From now on available memory is watched; a second time changes nothing.
    mutating func watchMemory(low: UInt64, sustained: Span, isToldOfStalls: Bool, at now: Moment) {
        guard memoryPressure == nil else { return }
        memoryPressure = MemoryPressure(low: low, sustained: sustained, isToldOfStalls: isToldOfStalls, at: now)
    }

    mutating func availableMemoryMeasured(
        _ available: UInt64, isStalling: Bool, at now: Moment, into effects: inout [Effect]
    ) {
        guard var pressure = memoryPressure else { return }
        let level = pressure.level.following(available: available, low: pressure.low, isStalling: isStalling)
        pressure.available = available
        pressure.wanted = level.wanted(available: available, low: pressure.low, isStalling: isStalling)
        if level != pressure.level {
            let isWorse = level > pressure.level
            pressure.level = level
            pressure.since = now.real
            pressure.unwarned = isWorse ? appsToWarn : []
            effects.append(.pressureChanged(level, available: available))
        }
        // While all are suspended, whoever stalls tells; without such a teller it is looked at now and then.
        let isUrgent = level > .normal || !pressure.isToldOfStalls
        let isWatched = apps.contains { $0.isRunning || isUrgent }
        pressure.nextLook = isWatched ? now.real + pressure.interval(available: available) : nil
        memoryPressure = pressure
        warnNext(at: now, into: &effects)
        relieveMemory(at: now, into: &effects)
    }

    /// The foreground app first; a suspended one never.
    private var appsToWarn: [AppID] {
        let running = apps.filter { $0.isRunning && $0.end == nil }
        return (running.filter(\.state.isForeground) + running.filter { !$0.state.isForeground }).map(\.id)
    }

    /// One app at a time.
    mutating func warnNext(at now: Moment, into effects: inout [Effect]) {
        guard let warning = memoryPressure?.level.warning else { return }
        while let pressure = memoryPressure, let id = pressure.unwarned.first, pressure.nextWarning <= now.real {
            memoryPressure?.unwarned.removeFirst()
            guard let index = index(of: id) else { continue }
            if apps[index].warnOfMemory(warning, at: now, into: &effects) {
                memoryPressure?.nextWarning = now.real + MemoryPressure.warningInterval
            }
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
        var report = apps[index].killReport(reason, at: now)
        report.footprint = apps[index].footprint
        report.memoryLimit = reason == .memoryHighwater ? apps[index].memoryLimits?.soft : nil
        report.available = pressure.available
        report.availableLimit = pressure.wanted
        apps[index].kill(report, at: now, into: &effects)
        memoryPressure?.nextKill = now.real + MemoryPressure.killInterval
        memoryPressure?.nextLook = now.real + MemoryPressure.killInterval
    }

    /// Offenders against their soft limit first, at either level; then, at the critical one, whoever is lowest.
    private func memoryVictim(_ pressure: MemoryPressure, at now: Moment) -> (index: Int, reason: KillReason)? {
        let candidates = victims(at: now)
        if let offender = candidates.first(where: { apps[$0].isAboveSoftLimit }) { return (offender, .memoryHighwater) }
        if pressure.level == .critical {
            guard let lowest = candidates.first else { return nil }
            // In front it has a moment to heed the warning.
            let isSpared =
                apps[lowest].band(at: now) == .foreground && now.real < pressure.since + MemoryPressure.killInterval
            return isSpared ? nil : (lowest, .memoryPressure)
        }
        guard now.real >= pressure.since + pressure.sustained else { return nil }
        return candidates.first { apps[$0].band(at: now) == .suspended }.map { ($0, .idleExit) }
    }

    /// Ascending bands; in a band whoever entered it first. One that is ending already is let be.
    private func victims(at now: Moment) -> [Int] {
        let candidates = apps.indices.filter { (apps[$0].isRunning || apps[$0].isSuspending) && apps[$0].end == nil }
        return candidates.map { (index: $0, band: apps[$0].band(at: now), since: apps[$0].bandSince(at: now)) }
            .sorted { ($0.band, $0.since, $0.index) < ($1.band, $1.since, $1.index) }
            .map(\.index)
    }

    // MARK: Disk

    mutating func watchDisk(low: UInt64, at now: Moment) {
        if diskPressure == nil { diskPressure = DiskPressure(low: low, nextLook: now.real) }
    }

    /// Nobody in front is killed for it.
    mutating func freeDiskMeasured(_ free: UInt64, at now: Moment, into effects: inout [Effect]) {
        guard let pressure = diskPressure else { return }
        let isWatched = apps.contains { $0.isRunning || free < pressure.low }
        diskPressure?.nextLook = isWatched ? now.real + DiskPressure.interval : nil
        diskPressure?.isAtEase = free >= pressure.low
        guard free < pressure.low, let index = victims(at: now).first, apps[index].band(at: now) != .foreground else {
            return
        }
        var report = apps[index].killReport(.diskSpace, at: now)
        report.available = free
        report.availableLimit = pressure.low
        apps[index].kill(report, at: now, into: &effects)
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
        isAtEase && !apps.contains { $0.isRunning } ? nil : next
    }

    /// What time alone brings about here.
    mutating func proceed(at now: Moment, into effects: inout [Effect]) {
        warnNext(at: now, into: &effects)
        if let look = memoryLook, look <= now.real {
            memoryPressure?.nextLook = nil
            effects.append(.measureAvailableMemory)
        }
        if let look = diskLook, look <= now.real {
            diskPressure?.nextLook = nil
            effects.append(.measureFreeDisk)
        }
    }

    /// An app runs again: what is left may go fast.
    mutating func lookAgain(at now: Moment) {
        let isMemoryLeftAlone = memoryPressure != nil && memoryPressure?.nextLook == nil
        let isDiskLeftAlone = diskPressure != nil && diskPressure?.nextLook == nil
        guard isMemoryLeftAlone || isDiskLeftAlone, apps.contains(where: { $0.isRunning }) else { return }
        if isMemoryLeftAlone { memoryPressure?.nextLook = now.real }
        if isDiskLeftAlone { diskPressure?.nextLook = now.real }
    }
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
