/// An app held by a debugger outside its tree is neither suspended nor killed by a watchdog, and its clocks stand.
///
/// A debugger's coming and going is no event the kernel tells of, so it is looked for when it matters: before a
/// suspension, a warning, a watchdog's kill; as soon as time runs down in background, and every `TracerCheck.interval` while
/// that or a watchdog runs, or a debugger is there. Where nothing runs down nobody looks.
/// Source: Apple DTS: with a debugger attached the app isn't suspended and watchdogs are off.
extension App {
    mutating func checkTracer(into effects: inout [Effect]) {
        if tracer.ask() { effects.append(.checkTracer(id)) }
    }

    mutating func tracerChecked(isTraced nowTraced: Bool, at now: Moment, into effects: inout [Effect]) {
        // Else it was a mere look.
        let wasHeldOff = due(at: now)?.isHeldOffByTracer ?? false
        tracer.answered(at: now)
        guard !isKilled, !phase.isOver else { return }
        if tracer.found(nowTraced) {
            effects.append(.note(id, .traced(nowTraced)))
            updateClocks(at: now)
            updateWatchdogs(at: now)
            if policy.sleep != nil { updateIdle(at: now) }
        }
        if isTraced {
            notify.isBroken = false
            phase.run?.wasFoundIdle = false
        }
        // What was to be suspended and isn't is left as no terminal has stopped it.
        if wasHeldOff, !wantsSuspension(at: now) { continueIfStopped(at: now, into: &effects) }
        proceed(at: now, tracerIsKnown: true, into: &effects)
        if !isSuspending, !isAwaitingLocks { answerSuspensionRequests(into: &effects) }
    }

    /// When a debugger is to be looked for, whatever else is due.
    var nextTracerCheck: Instant? {
        guard !tracer.isAwaitingAnswer, !isKilled, !phase.isOver else { return nil }
        return tracer.nextLook(first: isTraced ? nil : firstTracerCheck)
    }

    /// Since something runs down that a debugger would hold; nil while nothing does. A watchdog is mostly answered before
    /// the first look. Signs of life, owed for as long as a program runs, aren't worth one in the foreground.
    private var firstTracerCheck: Instant? {
        var first = backgroundClockStart
        func consider(_ watchdog: Watchdog?) {
            guard let watchdog, watchdog.end != nil, let start = watchdog.countdown.runningSince?.real else { return }
            let look = start + TracerCheck.interval
            if look < first ?? .distantFuture { first = look }
        }
        if case .terminating(let watchdog, _) = end { consider(watchdog) }
        guard end == nil else { return first }
        consider(channel.launch)
        for acknowledgement in channel.pending { consider(acknowledgement.watchdog) }
        return first
    }

    /// Without end there is nothing that runs down.
    private var backgroundClockStart: Instant? {
        guard runsInBackground, end == nil else { return nil }
        let isFinite = phase.stay.budget.countdown.end != nil || phase.stay.run.grace?.end != nil
        return isFinite ? phase.stay.budget.countdown.runningSince?.real : nil
    }

    private mutating func updateWatchdogs(at now: Moment) {
        let runs = !isTraced
        channel.set(running: runs, at: now)
        if case .terminating(var watchdog, let sequence) = end {
            watchdog.set(running: runs, at: now)
            end = .terminating(watchdog, sequence: sequence)
        }
    }
}
