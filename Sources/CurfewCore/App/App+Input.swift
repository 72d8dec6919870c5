extension App {
    /// Time has passed; one that isn't due stays as it is.
    mutating func tick(isFrontFull: Bool, at now: Moment, into effects: inout [Effect]) {
        if isAsleep, due(at: now) != nil { notePlace(isFrontFull: isFrontFull) }
        proceed(at: now, into: &effects)
    }

    /// What it is told of itself alone; the supervisor has seen to what concerns others.
    mutating func handle(_ input: AppInput, at now: Moment, into effects: inout [Effect]) {
        switch input {
        case .home(let stopped, let request): home(stopped: stopped, request: request, at: now, into: &effects)
        case .stoppedByTerminal: stoppedByTerminal()
        case .sleep(let stays, let request): sleep(stays: stays, request: request, at: now, into: &effects)
        case .inputWatched(let obstacle): inputWatched(obstacle: obstacle, at: now, into: &effects)
        case .ranOn: ranOn(at: now, into: &effects)
        case .inputCame(let news): inputCame(news, at: now, into: &effects)
        case .connectionWaits(let socket): connectionWaits(socket, at: now, into: &effects)
        case .connectionTaken(let socket): connectionTaken(socket)
        case .idlenessMeasured(let sample): idlenessMeasured(sample, at: now, into: &effects)
        case .quit(let request): quit(request: request, at: now, into: &effects)
        case .reclaim(let request): reclaim(request: request, at: now, into: &effects)
        case .signalled(let signal, let isHeard): relay(signal, isHeard: isHeard, at: now, into: &effects)
        case .interrupt(let request): interrupt(request: request, at: now, into: &effects)
        case .dismiss(let request): dismiss(request: request, at: now, into: &effects)
        case .post(let change, let request): post(change, request: request, at: now, into: &effects)
        case .wake(let event, let request): wake(event, request: request, at: now, into: &effects)
        case .expire: expire(at: now, into: &effects)
        case .notified(let notification): notified(notification, at: now, into: &effects)
        case .warn(let level, let request): warn(level, request: request, at: now, into: &effects)
        case .memoryMarkReached(let bytes): memoryMarkReached(bytes, at: now, into: &effects)
        case .memoryMarkArmed(let isArmed): memoryMarkArmed(isArmed, at: now)
        case .locksChecked(let locks): locksChecked(locks, at: now, into: &effects)
        case .cpuTimeMeasured(let cpuTime): cpuTimeMeasured(cpuTime, at: now, into: &effects)
        case .hello(let connection): hello(connection, at: now, into: &effects)
        case .disconnected(let connection): disconnected(connection, at: now, into: &effects)
        case .acknowledge(let sequence): acknowledge(sequence, at: now, into: &effects)
        case .beginTask(let name, let owner, let connection, let request):
            beginTask(name: name, owner: owner, connection: connection, request: request, at: now, into: &effects)
        case .endTask(let task, let request): endTask(task, request: request, at: now, into: &effects)
        case .keepAlive(let interval, let request):
            setKeepAlive(interval, request: request, at: now, into: &effects)
        case .ownerExited(let owner): ownerExited(owner, at: now, into: &effects)
        case .leaderExited(let outcome): leaderExited(outcome, at: now, into: &effects)
        case .leftBehind: leftBehind(at: now, into: &effects)
        case .reaperLost: reaperLost(at: now, into: &effects)
        case .abandoned: abandoned(at: now, into: &effects)
        case .suspensionConfirmed: suspensionConfirmed(isComplete: true, at: now, into: &effects)
        case .suspensionIncomplete: suspensionConfirmed(isComplete: false, at: now, into: &effects)
        case .suspensionPending: suspensionPending(at: now)
        case .stillThere: stillThere(at: now)
        case .pageOutPending: pageOutPending(at: now)
        case .footprintMeasured(let bytes): footprintMeasured(bytes, at: now, into: &effects)
        case .memoryLimitHit(let bytes): memoryLimitHit(bytes, at: now, into: &effects)
        case .tracerChecked(let isTraced): tracerChecked(isTraced: isTraced, at: now, into: &effects)
        case .started: started(at: now, into: &effects)
        case .open(let request): open(request: request, at: now, into: &effects)
        // Those make it, and end it.
        case .launch, .treeGone, .killIncomplete: break
        }
    }
}
