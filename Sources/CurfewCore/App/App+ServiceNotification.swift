/// What a program that speaks sd_notify says, and the signs of life it owes.
extension App {
    public var isReady: Bool { notify.isReady }
    public var isStopping: Bool { notify.isStopping }
    /// How often a sign of life is owed; nil: never.
    public var watchdogInterval: Span? { notify.watchdogInterval }

    mutating func notified(_ notification: ServiceNotification, at now: Moment, into effects: inout [Effect]) {
        guard !isKilled, !phase.isOver else { return }
        switch notification {
        case .ready: becameReady(at: now, into: &effects)
        case .stopping: isStoppingByItself(into: &effects)
        case .extendTimeout(let span): extendTimeouts(to: span, at: now, into: &effects)
        case .alive: if notify.signOfLife != nil { demandSignOfLife(at: now) }
        case .broken: foundBroken(at: now, into: &effects)
        case .watchdogInterval(let interval):
            notify.setWatchdogInterval(interval)
            demandSignOfLife(at: now)
        }
    }

    /// It acknowledges the launch and nothing else.
    private mutating func becameReady(at now: Moment, into effects: inout [Effect]) {
        if notify.becameReady() {
            effects.append(.note(id, .ready))
            let isUnheard = policy.requiresHello && !channel.hasFinishedLaunching && startedAt != nil
            if isUnheard, end == nil { announcePlainLaunch(into: &effects) }
        }
        for done in channel.acknowledgeLaunch() {
            effects.append(.note(id, .acknowledged(done.event, sequence: done.sequence)))
        }
        demandFirstSignOfLife(at: now)
        proceed(at: now, into: &effects)
    }

    private mutating func isStoppingByItself(into effects: inout [Effect]) {
        if notify.isStoppingByItself() { effects.append(.note(id, .stopping)) }
        if case .terminating(let watchdog, let sequence?) = end {
            end = .terminating(watchdog, sequence: nil)
            effects.append(.note(id, .acknowledged(.lifecycle(.willTerminate), sequence: sequence)))
        }
    }

    /// Every transition that runs ends at the earliest `span` from now. Source: systemd.service(5),
    /// TimeoutStartSec=: a message prolongs a phase, and has to be repeated before what it granted is over.
    private mutating func extendTimeouts(to span: Span, at now: Moment, into effects: inout [Effect]) {
        guard channel.isExtensible || isTerminating else {
            effects.append(.note(id, .nothingToExtend))
            return
        }
        channel.extend(to: span, at: now)
        if case .terminating(var watchdog, let sequence) = end {
            watchdog.extend(to: span, at: now)
            end = .terminating(watchdog, sequence: sequence)
        }
        effects.append(.note(id, .timeoutExtended(span)))
    }

    // MARK: Signs of life

    /// A new interval from now, where signs of life are owed: by an app that runs, once its launch is over.
    mutating func demandSignOfLife(at now: Moment) {
        guard let watchdogInterval, isRunning, end == nil, isLaunchOver else {
            notify.demand(nil)
            return
        }
        notify.demand(watchdog(watchdogInterval, at: now.byRealTime))
    }

    /// As `demandSignOfLife`, unless one is owed already: what else becomes of the launch buys no time.
    mutating func demandFirstSignOfLife(at now: Moment) {
        if notify.signOfLife == nil { demandSignOfLife(at: now) }
    }

    private var isLaunchOver: Bool { isReady || !policy.requiresHello || !channel.owesLaunch }

    /// As a missing sign of life: a debugger holds it off, which a suspended app hasn't.
    private mutating func foundBroken(at now: Moment, into effects: inout [Effect]) {
        guard end == nil, !isTraced else { return }
        notify.isBroken = true
        proceed(at: now, tracerIsKnown: isSuspending, into: &effects)
    }

    mutating func killForSignOfLife(at now: Moment, into effects: inout [Effect]) {
        var report = killReport(.watchdog, at: now)
        if !notify.isBroken, let signOfLife = notify.signOfLife {
            report.limit = signOfLife.limit
            report.elapsed = signOfLife.elapsed(at: now.byRealTime)
        }
        kill(report, at: now, into: &effects)
    }
}
