import CurfewCore
import CurfewLinux
import Glibc

/// Feeds inputs to the core and does what it answers, in order, until nothing more follows.
///
/// Knows no descriptors: what waits, and for what, is the host's business. One thread.
public final class Engine {
    public private(set) var core = Supervisor()
    public let kernel: any Kernel
    public unowned let host: any EngineHost
    /// Where each input and what it brought about is recorded; nil when nobody asked.
    public var journal: (any JournalWriting)?

    /// Lifecycle time, where it is held; nil where it is real time.
    private var heldTime: Instant?
    private var effects: [Effect] = []
    private var watches: [Watch] = []
    private var isPerforming = false

    /// How soon a stop that isn't confirmed is looked at again, and for how long before it is told what hangs.
    static var confirmationInterval: Span { .milliseconds(5) }
    static var confirmationLimit: Span { .milliseconds(200) }
    /// How soon a kill is repeated; doubled up to a tenth of a second.
    static var killInterval: Span { .milliseconds(1) }
    static var longestKillInterval: Span { .milliseconds(100) }
    /// How long after a stop its locks are looked for: whoever opens the app at once doesn't wait for that.
    static var lockDelay: Span { .milliseconds(1) }
    /// Between two pieces of an app's memory on their way to swap.
    static var pageOutInterval: Span { .milliseconds(1) }
    /// How long what SIGKILL doesn't end is waited for: a process in uninterruptible sleep can outlast anything.
    static var killLimit: Span { .seconds(10) }

    /// What the engine looks at again for one app.
    ///
    /// A class, and so is `EventLog.Entry`: arrays of classes need no metadata of their own made at run time.
    private final class Watch {
        let app: AppID
        var confirming: (next: Instant, until: Instant)?
        var leaving: Leaving?
        var stoppedByTerminal = false
        /// When the next piece of its memory goes to swap.
        var pagingOut: Instant?
        /// When its locks are looked for.
        var lockLook: Instant?

        init(app: AppID) { self.app = app }

        func isDue(at now: Instant) -> Bool {
            if let confirming, confirming.next <= now { return true }
            if let pagingOut, pagingOut <= now { return true }
            if let lockLook, lockLook <= now { return true }
            return leaving.map { $0.next <= now } ?? false
        }
    }

    private struct Leaving {
        var next: Instant
        var interval: Span
        var until: Instant
        let kills: Bool
    }

    public init(kernel: any Kernel, host: any EngineHost) {
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
        feed(.tick)
        return end - next
    }

    /// Whether no stop is still to be confirmed, and no kill still to be done.
    public var isSettled: Bool { watches.allSatisfy { $0.confirming == nil && $0.leaving == nil } }

    /// Of what the core has armed, on the clock that runs; of lifecycle time that is held nothing comes by itself.
    public func running(_ deadline: NextDeadline) -> Instant? { isTimeHeld ? deadline.real : deadline.earliest }

    /// When `wake` has to be called at the latest, in real time; nil: not at all.
    public var nextDeadline: Instant? {
        var earliest = running(core.nextDeadline)
        for watch in watches {
            earliest = Self.earlier(earliest, watch.confirming?.next)
            earliest = Self.earlier(earliest, watch.leaving?.next)
            earliest = Self.earlier(earliest, watch.pagingOut)
            earliest = Self.earlier(earliest, watch.lockLook)
        }
        return earliest == .distantFuture ? nil : earliest
    }

    private static func earlier(_ left: Instant?, _ right: Instant?) -> Instant? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }

    public func launch(_ app: AppID, _ policy: Policy, _ options: LaunchOptions = LaunchOptions()) {
        watches.append(Watch(app: app))
        feed(.launch(app, policy, options))
    }

    /// Takes an input and performs all that follows from it. What the host feeds meanwhile is performed after.
    public func feed(_ input: Input) {
        switch input {
        case .home(let app, stopped: true, _), .stoppedByTerminal(let app): update(app) { $0.stoppedByTerminal = true }
        default: break
        }
        if case .open = input {} else { takeLockLook(of: input.app) }
        step(input)
        performAll()
    }

    /// Does what is due; harmless when nothing is.
    public func wake() {
        feed(.tick)
        let now = kernel.now
        for due in watches where due.isDue(at: now) {
            let app = due.app
            // Asked for anew: what is fed meanwhile can end any app, and its watch goes with it.
            if let confirming = watch(app)?.confirming, confirming.next <= now { confirm(app, until: confirming.until) }
            if let leaving = watch(app)?.leaving, leaving.next <= now { leave(app, leaving) }
            if let pagingOut = watch(app)?.pagingOut, pagingOut <= now { pageOut(app) }
        }
    }

    /// A child has ended: what is killed or swept may be gone now.
    public func childrenChanged() {
        for watch in watches where watch.leaving != nil { finishIfGone(watch.app) }
    }

    private func performAll() {
        if isPerforming { return }
        isPerforming = true
        defer { isPerforming = false }
        var index = 0
        // Performing feeds results back, which append; nothing is removed before all is done.
        while index < effects.count {
            let effect = effects[index]
            index += 1
            perform(effect)
        }
        effects.removeAll(keepingCapacity: true)
    }

    private func result(_ input: Input) { step(input) }

    /// The one place where the core is told something.
    private func step(_ input: Input) {
        let now = now
        let count = effects.count
        core.handle(input, at: now, into: &effects)
        journal?.record(input, at: now, effects[count...])
    }

    private func perform(_ effect: Effect) {
        switch effect {
        case .deliver(let app, let delivery):
            host.record(.delivered(delivery.event, sequence: delivery.sequence), of: app)
            host.deliver(delivery, to: app)
        case .reply(let request, let reply): host.reply(reply, to: request)
        case .suspend(let app): suspend(app)
        case .resume(let app): resume(app)
        case .terminate(let app, let signal): send(signal, to: app, leaderOnly: false)
        case .signal(let app, let signal, let leaderOnly): send(signal, to: app, leaderOnly: leaderOnly)
        case .expire(let app, let report):
            host.willEnd(app, report)
            host.record(.expired(report), of: app)
        case .killLeader(let app, let report):
            host.willEnd(app, report)
            send(SIGKILL, to: app, leaderOnly: true)
            host.record(.killing(report), of: app)
        case .release(let app):
            kernel.release(app)
            result(.treeGone(app))
        case .kill(let app, let report):
            host.willEnd(app, report)
            host.willSignal(app, SIGKILL)
            kill(app)
            host.record(.killing(report), of: app)
        case .sweep(let app, let kills): sweep(app, kills: kills)
        case .ended(let app, let ending):
            watches.removeAll { $0.app == app }
            host.record(.ended(ending), of: app)
            host.ended(app, ending)
        case .stateChanged(let app, let from, let to):
            host.record(.stateChanged(from: from, to: to), of: app)
            host.stateChanged(app, from: from, to: to)
        case .measureFootprint(let app):
            result(.footprintMeasured(app, bytes: footprint(of: app)))
        case .limitMemory(let app, let enforcement):
            let isArmed = kernel.limitMemory(of: app, enforcement)
            if enforcement.mark != nil { result(.memoryMarkArmed(app, isArmed)) }
        case .measureAvailableMemory:
            result(.availableMemoryMeasured(kernel.availableMemory(), isStalling: false))
        case .measureFreeDisk: result(.freeDiskMeasured(kernel.freeDisk()))
        case .pressureChanged(let level, let available): host.pressureChanged(to: level, available: available)
        case .checkLocks(let app): checkLocks(app)
        case .pageOut(let app, let threshold):
            if kernel.beginPageOut(app, from: threshold) { update(app) { $0.pagingOut = kernel.now } }
        case .throttle(let app, let limits): kernel.throttle(app, limits)
        case .setPriority(let app, let isLowered): kernel.setPriority(of: app, isLowered: isLowered)
        case .measureCPUTime(let app): measureCPUTime(app)
        case .checkTracer(let app):
            // What a watchdog that is due has to tell, fresh.
            if core.app(app)?.isWatched == true { measureCPUTime(app) }
            result(.tracerChecked(app, isTraced: kernel.isTraced(app)))
        case .note(let app, let note): host.record(.note(note), of: app)
        }
    }

    /// In bytes, exact where it comes near the app's next mark.
    public func footprint(of app: AppID) -> UInt64 {
        kernel.footprint(app, limit: core.app(app)?.nextMemoryMark)
    }

    private func measureCPUTime(_ app: AppID) {
        result(.cpuTimeMeasured(app, .microseconds(Int64(clamping: kernel.cpuMicroseconds(of: app)))))
    }

    // MARK: Stopping

    private func suspend(_ app: AppID) {
        let includingStopped = watch(app)?.stoppedByTerminal ?? false
        if kernel.suspend(app, includingStopped: includingStopped) {
            result(.suspensionConfirmed(app))
            return
        }
        let now = kernel.now
        let until = now + Self.confirmationLimit
        update(app) { $0.confirming = (next: now + Self.confirmationInterval, until: until) }
    }

    private func confirm(_ app: AppID, until: Instant) {
        let now = kernel.now
        if kernel.confirmSuspension(app) {
            update(app) { $0.confirming = nil }
            feed(.suspensionConfirmed(app))
        } else if now >= until {
            update(app) { $0.confirming = nil }
            // The core first: told of this, a host can open the app and send it home anew, which is another stop.
            result(.suspensionIncomplete(app))
            host.record(.stillRunning(kernel.pendingSuspension(app)), of: app)
            performAll()
        } else {
            update(app) { $0.confirming = (next: now + Self.confirmationInterval, until: until) }
        }
    }

    private func resume(_ app: AppID) {
        let wasStoppedByTerminal = watch(app)?.stoppedByTerminal ?? false
        update(app) {
            $0.confirming = nil
            $0.stoppedByTerminal = false
            $0.pagingOut = nil
            $0.lockLook = nil
        }
        kernel.resume(app)
        if wasStoppedByTerminal { kernel.continueAfterTerminalStop(app) }
    }

    /// A piece at a time, with room for others in between: moving all at once can take many seconds.
    private func pageOut(_ app: AppID) {
        let moved = kernel.continuePageOut(app)
        let next = kernel.now + Self.pageOutInterval
        update(app) { $0.pagingOut = moved == nil ? next : nil }
        if let moved { host.record(.pagedOut(moved), of: app) }
    }

    // MARK: Locks

    /// Of one that is stopped a moment later, unless they end it: then nothing may come before.
    private func checkLocks(_ app: AppID) {
        guard let stopped = core.app(app), stopped.state == .suspended, stopped.policy.locks != .kill, !isTimeHeld
        else { return result(.locksChecked(app, kernel.locks(of: app))) }
        let next = kernel.now + Self.lockDelay
        update(app) { $0.lockLook = next }
    }

    /// Looks now for what would be looked for in a moment, so that nobody sees that it wasn't yet; nil: of every app.
    public func lookForLocks(of app: AppID?) {
        takeLockLook(of: app)
        performAll()
    }

    private func takeLockLook(of app: AppID?) {
        for watch in watches where watch.lockLook != nil && (app == nil || watch.app == app) {
            watch.lockLook = nil
            step(.locksChecked(watch.app, kernel.locks(of: watch.app)))
        }
    }

    // MARK: Ending

    private func send(_ signal: Int32, to app: AppID, leaderOnly: Bool) {
        host.willSignal(app, signal)
        kernel.signal(app, signal, leaderOnly: leaderOnly)
    }

    private func kill(_ app: AppID) {
        kernel.kill(app)
        update(app) {
            $0.confirming = nil
            $0.pagingOut = nil
            $0.lockLook = nil
        }
        waitUntilGone(app, kills: true)
    }

    private func sweep(_ app: AppID, kills: Bool) {
        if kernel.isGone(app) {
            result(.treeGone(app))
            return
        }
        if kills {
            host.willSignal(app, SIGKILL)
            return kill(app)
        }
        waitUntilGone(app, kills: false)
        result(.leftBehind(app))
    }

    private func waitUntilGone(_ app: AppID, kills: Bool) {
        let now = kernel.now
        let next = kills ? now + Self.killInterval : .distantFuture
        let leaving = Leaving(next: next, interval: Self.killInterval, until: now + Self.killLimit, kills: kills)
        update(app) { $0.leaving = leaving }
    }

    private func leave(_ app: AppID, _ leaving: Leaving) {
        if finishIfGone(app) { return }
        let now = kernel.now
        if now >= leaving.until {
            host.record(.stillRunning(kernel.survivors(app)), of: app)
            update(app) { $0.leaving = nil }
            feed(.treeGone(app))
            return
        }
        kernel.kill(app)
        let interval = min(Self.longestKillInterval, leaving.interval + leaving.interval)
        let next = Leaving(next: now + interval, interval: interval, until: leaving.until, kills: true)
        update(app) { $0.leaving = next }
    }

    @discardableResult
    private func finishIfGone(_ app: AppID) -> Bool {
        guard watch(app)?.leaving != nil, kernel.isGone(app) else { return false }
        update(app) { $0.leaving = nil }
        feed(.treeGone(app))
        return true
    }

    private func watch(_ app: AppID) -> Watch? { watches.first { $0.app == app } }

    private func update(_ app: AppID, _ change: (Watch) -> Void) {
        if let watch = watch(app) { change(watch) }
    }
}
