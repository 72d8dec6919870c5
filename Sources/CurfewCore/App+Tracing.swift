/// An app held by a debugger outside its tree is neither suspended nor killed by a watchdog, and its clocks stand.
///
/// A debugger's coming and going is no event the kernel tells of, so it is looked for when it matters: before a
/// suspension, a warning, a watchdog's kill, and then every `tracerInterval` while one is there.
/// Source: Apple DTS: with a debugger attached the app isn't suspended and watchdogs are off.
extension App {
    static let tracerInterval = Span.seconds(1)

    mutating func checkTracer(into effects: inout [Effect]) {
        guard !isAwaitingTracerCheck else { return }
        isAwaitingTracerCheck = true
        nextTracerCheck = nil
        effects.append(.checkTracer(id))
    }

    mutating func tracerChecked(isTraced nowTraced: Bool, at now: Instant, into effects: inout [Effect]) {
        isAwaitingTracerCheck = false
        guard killed == nil, phase != .over else { return }
        if nowTraced != isTraced {
            isTraced = nowTraced
            effects.append(.note(id, .traced(nowTraced)))
            updateClocks(at: now)
            updateWatchdogs(at: now)
        }
        if isTraced { isBroken = false }
        nextTracerCheck = isTraced ? now + App.tracerInterval : nil
        if !wantsSuspension(at: now) { continueIfStopped(at: now, into: &effects) }
        proceed(at: now, tracerIsKnown: true, into: &effects)
        if !isSuspending, lockDeferral == nil { answerSuspensionRequests(into: &effects) }
    }

    private mutating func updateWatchdogs(at now: Instant) {
        for index in pending.indices { pending[index].watchdog.set(running: !isTraced, at: now) }
        launch?.set(running: !isTraced, at: now)
        if case .terminating(var watchdog, let sequence) = end {
            watchdog.set(running: !isTraced, at: now)
            end = .terminating(watchdog, sequence: sequence)
        }
    }
}
