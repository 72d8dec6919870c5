import CurfewCore
import CurfewLinux
import Glibc

/// Feeds inputs to the core and does what it answers, in order, until nothing more follows.
///
/// Knows no descriptors: what waits, and for what, is the host's business. One thread.
public final class Engine {
    public private(set) var core: Supervisor
    public let kernel: any Kernel
    public unowned let host: any EngineHost
    /// Where each input and what it brought about is recorded; nil when nobody asked.
    public var journal: (any JournalWriting)?

    /// Lifecycle time, where it is held; nil where it is real time.
    private var heldTime: Instant?
    private var effects: [Effect] = []
    private var isPerforming = false

    /// The looks for locks that are still to come; why they are no timers of the core: ADR 0007.
    private var lockLooks: [LockLook] = []

    /// Apps whose stop takes more turns than one.
    private var stopping: [AppID] = []
    /// Apps of whose descriptors there are more to look at than one turn allows.
    private var watching: [AppID] = []

    /// How long after a stop its locks are looked for: whoever opens the app at once doesn't wait for that.
    static var lockDelay: Span { .milliseconds(1) }

    /// A class, and so is `EventLog.Entry`: arrays of classes need no metadata of their own made at run time.
    private final class LockLook {
        let app: AppID
        let due: Instant
        /// Whether some of its processes were looked at.
        var isBegun = false

        init(_ app: AppID, due: Instant) {
            self.app = app
            self.due = due
        }
    }

    /// `foregroundPlaces`: how many apps may be in front at once; 1 or more.
    public init(kernel: any Kernel, host: any EngineHost, foregroundPlaces: Int = 1) {
        core = Supervisor(foregroundPlaces: foregroundPlaces)
        self.kernel = kernel
        self.host = host
    }

    // MARK: Time

    public var now: Moment {
        let real = kernel.now
        return Moment(lifecycle: heldTime ?? real, real: real)
    }

    /// Whether lifecycle time stands still but for `advance`.
    public var isTimeHeld: Bool { heldTime != nil }

    /// From now on lifecycle time stands still.
    public func holdTime() { heldTime = heldTime ?? kernel.now }

    /// Moves lifecycle time that is held to what is due next by it, at most by `span`; what is left of that.
    public func advance(by span: Span) -> Span {
        guard let heldTime else { return span }
        let end = heldTime + span
        let next = max(heldTime, min(core.nextDeadline.lifecycle ?? end, end))
        self.heldTime = next
        feed(.machine(.tick))
        return end - next
    }

    /// Whether nothing is left to be made sure of, of what was begun with the apps' processes.
    public var isSettled: Bool {
        core.isSettled && !kernel.isAtWork && watching.isEmpty && !lockLooks.contains { $0.isBegun }
    }

    /// Of what the core has armed, on the clock that runs; of lifecycle time that is held nothing comes by itself.
    public func running(_ deadline: NextDeadline) -> Instant? { isTimeHeld ? deadline.real : deadline.earliest }

    /// When `wake` has to be called at the latest, in real time; nil: not at all.
    public var nextDeadline: Instant? {
        var next = running(core.nextDeadline)
        for look in lockLooks { next = min(next ?? look.due, look.due) }
        if kernel.isAtWork || !stopping.isEmpty || !watching.isEmpty { next = min(next ?? .distantFuture, kernel.now) }
        return next == .distantFuture ? nil : next
    }

    public func launch(_ app: AppID, _ policy: Policy, _ options: LaunchOptions = LaunchOptions()) {
        feed(.app(app, .launch(policy, options)))
    }

    /// Takes an input and performs all that follows from it. What the host feeds meanwhile is performed after.
    public func feed(_ input: Input) {
        if case .app(_, .open) = input {} else { takeLockLook(of: input.app) }
        step(input)
        performAll()
    }

    /// Does what is due; harmless when nothing is.
    public func wake() {
        feed(.machine(.tick))
        goOnStopping()
        goOnWatching()
        if kernel.isAtWork { kernel.goOn() }
    }

    /// A child has ended: what is killed or swept may be gone now.
    public func childrenChanged() {
        // Asked for anew of each: what is fed meanwhile can end any app.
        for app in core.leavingApps { childrenChanged(of: app) }
    }

    /// As the other, of one app.
    public func childrenChanged(of app: AppID) {
        if core.app(app)?.isLeaving == true, kernel.isGone(app) { feed(.app(app, .treeGone)) }
    }

    private func performAll() {
        if isPerforming { return }
        isPerforming = true
        defer { isPerforming = false }
        var index = 0
        // Performing feeds results back, which append; of what is still to come a termination can be taken out.
        while index < effects.count {
            let effect = effects[index]
            index += 1
            perform(effect, followedFrom: index)
        }
        effects.removeAll(keepingCapacity: true)
    }

    /// The signal by which a plain app is to end that is resumed for that, taken out of what follows.
    ///
    /// It is sent with the resumption, to be there when the app goes on: a shell that begins its reading anew between the two
    /// would hear of it with its next line only, and be killed meanwhile. It overtakes what is told in between, which nothing
    /// promises to be there first.
    private func takeTermination(of app: AppID, from index: Int) -> Int32? {
        guard core.app(app)?.isTerminating == true else { return nil }
        for later in index..<effects.count {
            guard case .terminate(app, let signal) = effects[later] else { continue }
            effects.remove(at: later)
            return signal
        }
        return nil
    }

    private func result(_ input: Input) { step(input) }

    /// The one place where the core is told something.
    private func step(_ input: Input) {
        let now = now
        let count = effects.count
        core.handle(input, at: now, into: &effects)
        journal?.record(input, at: now, effects[count...])
    }

    private func perform(_ effect: Effect, followedFrom next: Int) {
        switch effect {
        case .deliver(let app, let delivery):
            host.record(.delivered(delivery), of: app)
            host.deliver(delivery, to: app)
        case .reply(let request, let reply): host.reply(reply, to: request)
        case .suspend(let app, let includingStopped):
            // What it held while it ran doesn't count.
            forgetLockLook(of: app)
            stopping.removeAll { $0 == app }
            told(app, isStopped: kernel.suspend(app, includingStopped: includingStopped))
        case .confirmSuspension(let app, let isLast): confirmSuspension(of: app, isLast: isLast)
        case .resume(let app, let includingStopped):
            resume(app, includingStopped: includingStopped, sending: takeTermination(of: app, from: next))
        case .terminate(let app, let signal): send(signal, to: app, mainProcessOnly: false)
        case .signal(let app, let signal, let mainProcessOnly): send(signal, to: app, mainProcessOnly: mainProcessOnly)
        case .expire(let app, let report):
            host.willEnd(app, report)
            host.record(.expired(report), of: app)
        case .killLeader(let app, let report):
            host.willEnd(app, report)
            send(SIGKILL, to: app, mainProcessOnly: true)
            host.record(.killing(report), of: app)
        case .release(let app):
            kernel.release(app)
            result(.app(app, .treeGone))
        case .kill(let app, let report):
            host.willEnd(app, report)
            kill(app)
            host.record(.killing(report), of: app)
        case .killAgain(let app, let isLast): killAgain(app, isLast: isLast)
        case .sweep(let app, let kills): sweep(app, kills: kills)
        case .ended(let app, let ending):
            host.record(.ended(ending), of: app)
            host.ended(app, ending)
        case .stateChanged(let app, let from, let to):
            host.record(.stateChanged(from: from, to: to), of: app)
            host.stateChanged(app, from: from, to: to)
        case .measureFootprint(let app):
            result(.app(app, .footprintMeasured(bytes: footprint(of: app))))
        case .limitMemory(let app, let enforcement):
            let isArmed = kernel.limitMemory(of: app, enforcement)
            if enforcement.mark != nil { result(.app(app, .memoryMarkArmed(isArmed))) }
        case .measureAvailableMemory:
            result(.machine(.availableMemoryMeasured(kernel.availableMemory(), isStalling: false)))
        case .measureFreeDisk: result(.machine(.freeDiskMeasured(kernel.freeDisk())))
        case .pressureChanged(let level, let available): host.pressureChanged(to: level, available: available)
        case .checkLocks(let app): checkLocks(app)
        case .pageOut(let app, let threshold):
            if kernel.beginPageOut(app, from: threshold) { result(.app(app, .pageOutPending)) }
        case .continuePageOut(let app): continuePageOut(app)
        case .throttle(let app, let limits): kernel.throttle(app, limits)
        case .setPriority(let app, let isLowered): kernel.setPriority(of: app, isLowered: isLowered)
        case .measureCPUTime(let app): measureCPUTime(app)
        case .checkTracer(let app):
            // What a watchdog that is due has to tell, fresh.
            if core.app(app)?.isWatched == true { measureCPUTime(app) }
            result(.app(app, .tracerChecked(isTraced: kernel.isTraced(app))))
        case .watchInput(let app, let afresh): watchInput(app, afresh: afresh)
        case .unwatchInput(let app):
            watching.removeAll { $0 == app }
            kernel.unwatchInput(app)
        case .lookForConnection(let app, let socket): lookForConnection(to: app, at: socket)
        case .measureIdleness(let app): measureIdleness(app)
        case .note(let app, let note): host.record(.note(note), of: app)
        case .sendJoinedHome(let app): host.sendJoinedHome(app)
        }
    }

    /// In bytes, exact where it comes near the app's next mark.
    public func footprint(of app: AppID) -> UInt64 {
        kernel.footprint(app, limit: core.app(app)?.nextMemoryMark)
    }

    /// Who works is looked up only of one that is busy: an idle one's stop shall follow at once.
    private func measureIdleness(_ app: AppID) {
        var sample = kernel.idleSample(of: app, sinceLast: core.app(app)?.isMeasuredAnew == true)
        if core.app(app)?.isBusy(by: sample) == true { sample = kernel.named(sample, of: app) }
        result(.app(app, .idlenessMeasured(sample)))
    }

    private func measureCPUTime(_ app: AppID) {
        result(.app(app, .cpuTimeMeasured(.microseconds(Int64(clamping: kernel.cpuMicroseconds(of: app))))))
    }

    // MARK: Stopping

    /// The core hears of it once each process was told.
    private func told(_ app: AppID, isStopped: Bool) {
        if isStopped {
            result(.app(app, .suspensionConfirmed))
        } else if kernel.isStopping(app) {
            stopping.append(app)
        } else {
            result(.app(app, .suspensionPending))
        }
    }

    private func resume(_ app: AppID, includingStopped: Bool, sending signal: Int32?) {
        forgetLockLook(of: app)
        watching.removeAll { $0 == app }
        if let signal { host.willSignal(app, signal) }
        let taken = kernel.resume(app, sending: signal)
        if includingStopped { kernel.continueAfterTerminalStop(app) }
        for socket in taken { result(.app(app, .connectionTaken(socket))) }
    }

    /// One turn more, of the app that has waited longest for it.
    private func goOnStopping() {
        guard let app = stopping.first else { return }
        stopping.removeFirst()
        // What was fed meanwhile can have resumed it, or ended it.
        guard core.app(app)?.isBeingStopped == true, kernel.isStopping(app) else { return }
        told(app, isStopped: kernel.confirmSuspension(app))
        performAll()
    }

    private func confirmSuspension(of app: AppID, isLast: Bool) {
        // What was fed meanwhile can have resumed it.
        guard core.app(app)?.awaitsRetry == true else { return }
        if kernel.confirmSuspension(app) {
            result(.app(app, .suspensionConfirmed))
        } else if kernel.isStopping(app) {
            stopping.append(app)
        } else if isLast {
            // The core first: told of this, a host can open the app and send it home anew, which is another stop.
            result(.app(app, .suspensionIncomplete))
            result(.app(app, .suspensionPending))
            host.record(.stillRunning(kernel.pendingSuspension(app)), of: app)
        } else {
            result(.app(app, .suspensionPending))
        }
    }

    /// A piece at a time, with room for others in between: moving all at once can take many seconds.
    private func continuePageOut(_ app: AppID) {
        guard core.app(app)?.isPagingOut == true else { return }
        if let moved = kernel.continuePageOut(app) {
            host.record(.pagedOut(moved), of: app)
        } else {
            result(.app(app, .pageOutPending))
        }
    }

    // MARK: Sleep

    private func watchInput(_ app: AppID, afresh: Bool) {
        if core.app(app)?.wasFoundIdle == true, kernel.hasRunSinceLook(app) { return result(.app(app, .ranOn)) }
        answerWatching(app, kernel.watchInput(app, afresh: afresh))
    }

    private func answerWatching(_ app: AppID, _ answer: InputWatching) {
        switch answer {
        case .pending: watching.append(app)
        case .watched(let obstacle, let waiting):
            result(.app(app, .inputWatched(obstacle: obstacle)))
            for socket in waiting { result(.app(app, .connectionWaits(socket))) }
        case .came(let news): result(.app(app, .inputCame(news)))
        }
    }

    private func lookForConnection(to app: AppID, at socket: ListeningSocket) {
        // Another look can have resumed it.
        guard core.app(app)?.state == .suspended else { return }
        // What waits where isn't known before that has been looked at: it is looked for later.
        if watching.contains(app) { return result(.app(app, .connectionWaits(socket))) }
        let news = kernel.connection(to: app, at: socket)
        result(.app(app, news.map { .inputCame($0) } ?? .connectionTaken(socket)))
    }

    /// One turn more, of the app that has waited longest for it.
    private func goOnWatching() {
        guard let app = watching.first else { return }
        watching.removeFirst()
        guard core.app(app)?.state == .suspended else { return }
        answerWatching(app, kernel.watchInput(app, afresh: false))
        performAll()
    }

    // MARK: Locks

    /// Of one that is stopped a moment later, unless they end it: then nothing may come before, but of very many processes.
    private func checkLocks(_ app: AppID) {
        guard let stopped = core.app(app), stopped.state == .suspended, stopped.policy.locks != .kill, !isTimeHeld
        else { return lookForLocksAtOnce(app) }
        forgetLockLook(of: app)
        lockLooks.append(LockLook(app, due: kernel.now + Self.lockDelay))
    }

    /// If it has very many processes, from now on, in turns.
    private func lookForLocksAtOnce(_ app: AppID) {
        // One that is under way answers this too.
        if lockLooks.contains(where: { $0.app == app && $0.isBegun }) { return }
        let look = LockLook(app, due: kernel.now)
        if let locks = goOn(look) { result(.app(app, .locksChecked(locks))) } else { lockLooks.append(look) }
    }

    private func goOn(_ look: LockLook) -> [FileLock]? {
        defer { look.isBegun = true }
        return kernel.locks(of: look.app, anew: !look.isBegun)
    }

    /// Looks now for what would be looked for in a moment, so that nobody sees that it wasn't yet, unless the app has very
    /// many processes; nil: of every app.
    public func lookForLocks(of app: AppID?) {
        takeLockLook(of: app)
        performAll()
    }

    private func takeLockLook(of app: AppID?) {
        // One that takes several turns has them when it is woken for them, whatever else comes.
        for look in lockLooks where app == nil || look.app == app && !look.isBegun {
            forgetLockLook(of: look.app)
            guard let locks = goOn(look) else {
                // It has had its turn, and comes after the others the next time.
                lockLooks.append(look)
                return
            }
            step(.app(look.app, .locksChecked(locks)))
        }
    }

    private func forgetLockLook(of app: AppID) { lockLooks.removeAll { $0.app == app } }

    // MARK: Ending

    private func send(_ signal: Int32, to app: AppID, mainProcessOnly: Bool) {
        host.willSignal(app, signal)
        kernel.signal(app, signal, mainProcessOnly: mainProcessOnly)
    }

    private func kill(_ app: AppID) {
        forgetLockLook(of: app)
        watching.removeAll { $0 == app }
        host.willSignal(app, SIGKILL)
        kernel.kill(app)
        result(.app(app, .stillThere))
    }

    private func killAgain(_ app: AppID, isLast: Bool) {
        guard core.app(app)?.awaitsRetry == true else { return }
        if kernel.isGone(app) {
            result(.app(app, .treeGone))
        } else if isLast {
            let survivors = kernel.survivors(app)
            result(.app(app, .killIncomplete))
            host.record(.stillRunning(survivors), of: app)
        } else {
            kernel.kill(app)
            result(.app(app, .stillThere))
        }
    }

    private func sweep(_ app: AppID, kills: Bool) {
        if kernel.isGone(app) {
            result(.app(app, .treeGone))
        } else if kills {
            kill(app)
        } else {
            result(.app(app, .leftBehind))
        }
    }
}
