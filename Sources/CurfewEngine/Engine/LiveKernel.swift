import CCurfew
import CurfewCore
import CurfewLinux

/// Knows of an app that sleeps what the kernel doesn't.
protocol SleepHost: AnyObject {
    /// Whether what is typed is for the app, which is stopped.
    func getsKeys(_ app: AppID) -> Bool
    /// Whether it sleeps in front.
    func isAsleep(_ app: AppID) -> Bool
    /// Whether it does because somebody has asked for it.
    func sleepsAsAsked(_ app: AppID) -> Bool
    /// Whether a connection to it has to wait there.
    func holdsBack(_ app: AppID, at socket: ListeningSocket) -> Bool
    /// Another number when its terminal was read or written.
    func terminalStamp(of app: AppID) -> UInt64
}

/// The real machine: finds whose turn it is, and has that instance do it. It knows of no app itself.
final class LiveKernel: Kernel {
    /// An app's from when its program runs.
    var instances = InstanceTable()
    /// Any path of the file system whose free space is watched.
    /// Nil: none is watched yet.
    var watchedDisk: String?
    /// Called with true once every process is stopped, and with false before any is continued.
    var allStopped: ((AppID, Bool) -> Void)?
    /// Called once all of an app is continued.
    var isContinued: ((AppID) -> Void)?
    /// Called with what to wait for, each time a memory mark was armed.
    var watchesMark: ((AppID, Int32) -> Void)?
    /// Called with what to wait for, each time that input is waited for.
    var watchesInput: ((AppID, Descriptor) -> Void)?
    /// Asked about apps that sleep.
    weak var sleepHost: (any SleepHost)?
    /// Called with each footprint that is measured, where the kernel itself kills for its limit.
    var seesGrowth: ((AppID, UInt64) -> Void)?

    var now: Instant { Instant(nanoseconds: curfew_monotonic_nanoseconds()) }

    // MARK: Stopping

    func suspend(_ app: AppID, includingStopped: Bool) -> Bool {
        instances[app]?.forgetWhatWasRead(at: now)
        if sleepHost?.sleepsAsAsked(app) == true { instances[app]?.lookAtWaits() }
        instances[app]?.inputSeenAt = nil
        let isStopped = instances[app]?.tree.suspend(includingStopped: includingStopped) ?? true
        noteWork(of: app)
        return told(app, isStopped)
    }

    func confirmSuspension(_ app: AppID) -> Bool { told(app, instances[app]?.tree.confirmSuspension() ?? true) }

    func isStopping(_ app: AppID) -> Bool { instances[app]?.tree.isStopping ?? false }

    private func told(_ app: AppID, _ isStopped: Bool) -> Bool {
        if isStopped { allStopped?(app, true) }
        return isStopped
    }

    func pendingSuspension(_ app: AppID) -> [PendingProcess] { instances[app]?.tree.pendingSuspension() ?? [] }

    func resume(_ app: AppID, sending signal: Int32?) -> [ListeningSocket] {
        allStopped?(app, false)
        guard let instance = instances[app] else { return [] }
        // The last moment at which it is known that it isn't the app, if all of it was stopped.
        let taken = instance.tree.isStopping ? [] : instance.takenConnections
        instance.endInputWatch()
        instance.wokenAt = now
        instance.endPageOut()
        if instance.pagingMethod != nil { instance.tree.containment.barSwap() }
        instance.resume(sending: signal)
        noteWork(of: app)
        isContinued?(app)
        return taken
    }

    func continueAfterTerminalStop(_ app: AppID) { instances[app]?.tree.continueAfterTerminalStop() }

    // MARK: Signals

    func signal(_ app: AppID, _ signal: Int32, mainProcessOnly: Bool) {
        if mainProcessOnly {
            instances[app]?.signalMainProcess(signal)
            return
        }
        instances[app]?.signalAll(signal)
        noteWork(of: app)
    }

    var isAtWork: Bool { !instances.atWork.isEmpty }

    /// Each has a turn.
    func goOn() {
        for instance in instances.atWork {
            instance.goOn()
            noteWork(of: instance.id)
        }
    }

    /// To be called after whatever begins, goes on with or ends such work.
    private func noteWork(of app: AppID) { instances.note(app, isAtWork: instances[app]?.isAtWork ?? false) }

    func release(_ app: AppID) {
        instances[app]?.endInputWatch()
        instances[app]?.release()
        noteWork(of: app)
    }

    func kill(_ app: AppID) {
        instances[app]?.endInputWatch()
        instances[app]?.kill()
        noteWork(of: app)
    }

    func isGone(_ app: AppID) -> Bool { instances[app]?.isGone() ?? true }

    func survivors(_ app: AppID) -> [PendingProcess] { instances[app]?.survivors ?? [] }

    func isTraced(_ app: AppID) -> Bool { instances[app]?.tree.isTracedFromOutside() ?? false }

    // MARK: Sleep

    func watchInput(_ app: AppID, afresh: Bool) -> InputWatching {
        guard let instance = instances[app] else { return .watched(obstacle: nil) }
        if afresh { instance.leftUnread = [] }
        let answer = instance.watchInput(
            getsKeys: sleepHost?.getsKeys(app) ?? true, isAsleep: sleepHost?.isAsleep(app) ?? true,
            holdsBack: { sleepHost?.holdsBack(app, at: $0) ?? false })
        if case .came = answer { instance.inputSeenAt = now }
        // Not before: what is told between two turns wouldn't be remembered.
        if case .watched = answer, let epoll = instance.inputWatch?.epoll, epoll.isOpen { watchesInput?(app, epoll) }
        return answer
    }

    func unwatchInput(_ app: AppID) {
        instances[app]?.endInputWatch()
        noteWork(of: app)
    }

    func connection(to app: AppID, at socket: ListeningSocket) -> InputNews? {
        let news = instances[app]?.connection(at: socket)
        if news != nil { instances[app]?.inputSeenAt = now }
        return news
    }

    func idleSample(of app: AppID, sinceLast: Bool) -> IdleSample {
        instances[app]?.idleSample(terminal: sleepHost?.terminalStamp(of: app) ?? 0, sinceLast: sinceLast)
            ?? IdleSample(cpuTime: .zero, written: 0, processes: 0)
    }

    func named(_ sample: IdleSample, of app: AppID) -> IdleSample { instances[app]?.named(sample) ?? sample }
    func hasRunSinceLook(_ app: AppID) -> Bool { instances[app]?.hasRunSinceLook ?? false }

    // MARK: Memory

    func footprint(_ app: AppID, limit: UInt64?) -> UInt64 {
        guard let tree = instances[app]?.tree else { return 0 }
        let footprint = tree.footprint(limit: limit)
        if tree.containment.enforcesMemory { seesGrowth?(app, footprint) }
        return footprint
    }

    func limitMemory(of app: AppID, _ enforcement: MemoryEnforcement) -> Bool {
        guard let instance = instances[app] else { return false }
        let isArmed = instance.limitMemory(enforcement, at: now)
        if isArmed, enforcement.mark != nil { watchesMark?(app, instance.tree.containment.memoryMarkEvent) }
        return isArmed
    }

    /// Where it can't be read there is no telling that memory is short.
    func availableMemory() -> UInt64 { SystemMemory.read()?.available ?? .max }

    func freeDisk() -> UInt64 { DiskSpace.available(at: watchedDisk ?? "/")?.available ?? .max }

    func beginPageOut(_ app: AppID, from threshold: UInt64) -> Bool {
        instances[app]?.beginPageOut(from: threshold) ?? false
    }

    func continuePageOut(_ app: AppID) -> PageOutResult? {
        guard let instance = instances[app] else { return PageOutResult(resident: 0, swapped: 0) }
        return instance.continuePageOut()
    }

    func locks(of app: AppID, anew: Bool) -> [FileLock]? {
        guard let instance = instances[app] else { return [] }
        return instance.tree.locks(anew: anew).map { $0.map { FileLock($0) } }
    }

    // MARK: CPU

    func throttle(_ app: AppID, _ limits: CPUPolicy?) { instances[app]?.throttle(limits) }

    func setPriority(of app: AppID, isLowered: Bool) { instances[app]?.setPriority(isLowered: isLowered) }

    func cpuMicroseconds(of app: AppID) -> UInt64 { instances[app]?.cpuMicroseconds ?? 0 }
}
