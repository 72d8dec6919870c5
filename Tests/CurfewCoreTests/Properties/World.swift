@testable import CurfewCore

/// Runs a trace: turns actions into inputs as an engine could send them, and checks everything after each.
struct World {
    private(set) var supervisor = Supervisor()
    private(set) var now = Instant(nanoseconds: 1_000_000_000_000)
    private(set) var journal: [(now: Instant, input: Input)] = []
    private var effects: [Effect] = []
    private var references: [ReferenceApp] = []
    private var isPrompt: Bool
    private var traced: Set<AppID> = []
    private var lastRequest = 0
    /// Requests whose reply is known before it comes.
    private var expectedReplies: [RequestID: Reply] = [:]

    private init(isPrompt: Bool) { self.isPrompt = isPrompt }

    /// What a trace brings about, for knowing what traces reach.
    static func effects(of trace: Trace) -> [Effect] {
        var world = World(isPrompt: trace.isPrompt)
        for step in trace.steps { try? world.perform(step) }
        return world.effects
    }

    /// The first violation, with the inputs up to it; nil when there is none.
    static func violation(of trace: Trace) -> (text: String, journal: [(now: Instant, input: Input)])? {
        var world = World(isPrompt: trace.isPrompt)
        do throws(Violation) {
            for step in trace.steps { try world.perform(step) }
            try world.checkReplay()
            return nil
        } catch {
            return (error.text, world.journal)
        }
    }

    private mutating func perform(_ step: Trace.Step) throws(Violation) {
        pass(step.pause)
        try checkEarlyTick()
        try tickForKeepAlive()
        guard let input = input(for: step.action) else { return }
        var inputs = [input]
        while !inputs.isEmpty { inputs += try feed(inputs.removeFirst()) }
    }

    // MARK: Time

    private mutating func pass(_ pause: Trace.Pause) {
        let before = now
        switch pause {
        case .span(let span): now = now + span
        case .toDeadline(let offset):
            guard let deadline = supervisor.nextDeadline.earliest, deadline != .distantFuture else { return }
            now = max(now, deadline + offset)
        }
        for index in references.indices { references[index].elapse(now - before) }
    }

    /// A tick before the next deadline changes nothing.
    private func checkEarlyTick() throws(Violation) {
        if let deadline = supervisor.nextDeadline.earliest, deadline <= now { return }
        var copy = supervisor
        guard copy.handle(.machine(.tick), at: Moment(now)).isEmpty, copy == supervisor else {
            throw Violation("a tick before the next deadline changed something")
        }
    }

    /// As an engine that is never late: what else is told of an app could bring it about as well.
    private mutating func tickForKeepAlive() throws(Violation) {
        guard references.contains(where: \.isKeepAliveDue) else { return }
        var inputs = [Input.machine(.tick)]
        while !inputs.isEmpty { inputs += try feed(inputs.removeFirst()) }
    }

    // MARK: From actions to inputs

    private func reference(_ id: AppID) -> ReferenceApp? { references.first { $0.id == id && !$0.isGone } }

    private mutating func nextRequest() -> RequestID {
        lastRequest += 1
        return RequestID(lastRequest)
    }

    /// Nil when an engine couldn't send it now.
    private mutating func input(for action: Trace.Action) -> Input? {
        switch action {
        case .tick: return .machine(.tick)
        case .launch(let id, let policy, let options):
            guard !references.contains(where: { $0.id == id }) else { return nil }
            references.append(ReferenceApp(id: id, policy: Trace.policies[policy], options: options))
            return .app(id, .launch(Trace.policies[policy], options))
        case .trace(let id, let isTraced):
            if isTraced { traced.insert(id) } else { traced.remove(id) }
            return nil
        case .started(let id):
            return reference(id).flatMap { $0.hasStarted || $0.isOver ? nil : .app(id, .started) }
        case .leaderExited(let id, let code):
            let outcome = ExitOutcome.exited(code: code)
            return reference(id).flatMap { $0.hasStarted && $0.hasLeader ? .app(id, .leaderExited(outcome)) : nil }
        case .leaderDied(let id, let signal):
            let outcome = ExitOutcome.signaled(signal: signal, dumpedCore: false)
            return reference(id).flatMap { $0.hasStarted && $0.hasLeader ? .app(id, .leaderExited(outcome)) : nil }
        case .leaderObeys(let id):
            guard let app = reference(id), app.isTerminating, app.hasLeader else { return nil }
            return .app(id, .leaderExited(.signaled(signal: app.policy.terminateSignal, dumpedCore: false)))
        case .treeGone(let id):
            return reference(id).flatMap { $0.hasStarted && $0.hasLeader ? nil : .app(id, .treeGone) }
        case .home(let id, let stopped): return .app(id, .home(stopped: stopped, request: request(id)))
        case .open(let id): return .app(id, .open(request: request(id)))
        case .quit(let id): return .app(id, .quit(request: request(id)))
        case .stoppedByTerminal(let id): return .app(id, .stoppedByTerminal)
        case .interrupt(let id): return .app(id, .interrupt(request: request(id)))
        case .dismiss(let id): return .app(id, .dismiss(request: request(id)))
        case .post(let id, let name): return .app(id, .post(postedEvent(name), request: request(id)))
        case .wake(let id, let name): return .app(id, .wake(postedEvent(name), request: request(id)))
        case .expire(let id): return .app(id, .expire)
        default: return messageInput(for: action)
        }
    }

    /// A request of an app that is there; nil for another, or now and then.
    private mutating func request(_ id: AppID) -> RequestID? {
        let request = nextRequest()
        return reference(id) == nil || request.rawValue % 3 == 0 ? nil : request
    }

    /// No two are the same, so that an old one can't pass for a new one.
    private func postedEvent(_ name: String) -> PostedEvent { PostedEvent(name, [Info("step", "\(journal.count)")]) }

    private mutating func messageInput(for action: Trace.Action) -> Input? {
        switch action {
        case .hello(let id, let connection): return .app(id, .hello(ConnectionID(connection)))
        case .disconnect(let id, let connection): return .app(id, .disconnected(ConnectionID(connection)))
        case .acknowledge(let id, let sequence): return .app(id, .acknowledge(sequence: sequence))
        case .acknowledgeOldest(let id):
            return reference(id)?.oldestOwed.map { .app(id, .acknowledge(sequence: $0)) }
        case .begin(let id, let owner, let connection):
            guard reference(id) != nil else { return nil }
            return .app(
                id,
                .beginTask(
                    name: "t", owner: OwnerID(owner), connection: connection.map { ConnectionID($0) },
                    request: nextRequest()))
        case .end(let id, let task):
            guard reference(id) != nil else { return nil }
            return .app(id, .endTask(TaskID(task), request: nextRequest()))
        case .keepAlive(let id, let interval):
            return reference(id).map { _ in .app(id, .keepAlive(interval, request: nextRequest())) }
        case .ownerExited(let id, let owner): return .app(id, .ownerExited(OwnerID(owner)))
        case .confirm(let id, let isComplete):
            guard let app = reference(id), app.isBeingStopped, !app.isOver else { return nil }
            return isComplete ? .app(id, .suspensionConfirmed) : .app(id, .suspensionIncomplete)
        case .answerMeasurement(let id, let bytes):
            guard let app = reference(id), app.awaitsMeasurement else { return nil }
            return .app(id, .footprintMeasured(bytes: bytes))
        case .answerCPUTime(let id):
            guard let app = reference(id), app.awaitsCPUTime else { return nil }
            return .app(id, .cpuTimeMeasured(cpuTime))
        case .notified(let id, let notification): return .app(id, .notified(notification))
        case .memoryHit(let id): return .app(id, .memoryLimitHit(bytes: 1))
        case .answerTracer(let id):
            guard let app = reference(id), app.awaitsTracer else { return nil }
            return .app(id, .tracerChecked(isTraced: traced.contains(id)))
        default: return nil
        }
    }

    // MARK: One input

    /// Returns the inputs that answer its effects, if they are answered at once.
    private mutating func feed(_ input: Input) throws(Violation) -> [Input] {
        journal.append((now, input))
        if let index = references.firstIndex(where: { $0.id == input.app && !$0.isGone }) {
            expectedReplies.merge(references[index].take(input)) { $1 }
        }
        if input == .machine(.tick) {
            for index in references.indices { references[index].takeTick() }
        }
        let batch = supervisor.handle(input, at: Moment(now))
        effects += batch
        var answers: [Input] = []
        for effect in batch {
            try judge(effect, of: input)
            if isPrompt { answers += self.answers(to: effect) }
            // No engine keeps this for later.
            if case .sweep(let id, kills: false) = effect {
                answers.append(now.nanoseconds % 3 == 0 ? .app(id, .treeGone) : .app(id, .leftBehind))
            }
        }
        for index in references.indices { try references[index].settleKeepAlive() }
        try checkAll(after: input)
        for index in references.indices { references[index].finishBatch() }
        return answers
    }

    private func answers(to effect: Effect) -> [Input] {
        switch effect {
        case .checkTracer(let id):
            let answer = Input.app(id, .tracerChecked(isTraced: traced.contains(id)))
            return supervisor.app(id)?.isWatched == true ? [.app(id, .cpuTimeMeasured(cpuTime)), answer] : [answer]
        case .suspend(let id, _): return [hangs ? .app(id, .suspensionPending) : .app(id, .suspensionConfirmed)]
        case .confirmSuspension(let id, let isLast):
            guard hangs else { return [.app(id, .suspensionConfirmed)] }
            return (isLast ? [.app(id, .suspensionIncomplete)] : []) + [.app(id, .suspensionPending)]
        case .kill(let id, _), .sweep(let id, kills: true): return [.app(id, .stillThere)]
        case .killAgain(let id, let isLast):
            guard hangs else { return [.app(id, .treeGone)] }
            return [isLast ? .app(id, .killIncomplete) : .app(id, .stillThere)]
        case .pageOut(let id, _): return hangs ? [.app(id, .pageOutPending)] : []
        case .continuePageOut(let id): return hangs ? [.app(id, .pageOutPending)] : []
        case .checkLocks(let id): return [.app(id, .locksChecked(now.nanoseconds % 5 == 0 ? [.sample] : []))]
        case .measureCPUTime(let id): return [.app(id, .cpuTimeMeasured(cpuTime))]
        default: return []
        }
    }

    /// Whether the kernel takes its time, at the moment.
    private var hangs: Bool { now.nanoseconds / 1_000_000 % 4 != 0 }

    /// Every app uses a third of a core, and never pauses.
    private var cpuTime: Span { Span(nanoseconds: now.nanoseconds / 3) }

    private mutating func judge(_ effect: Effect, of input: Input) throws(Violation) {
        if case .reply(let request, let reply) = effect {
            guard let index = references.firstIndex(where: { $0.unanswered.contains(request) }) else {
                throw Violation("request \(request.rawValue) answered twice, or never made")
            }
            return try references[index].answered(request, reply, expected: expectedReplies[request])
        }
        if case .stateChanged(_, let from, let to) = effect {
            guard Transition.allCases.contains(where: { $0.from.contains(from) && $0.to == to }) else {
                throw Violation("\(from) -> \(to) is in no row of the table")
            }
        }
        guard let index = references.firstIndex(where: { $0.id == effect.app }) else {
            throw Violation("an effect for no app: \(effect)")
        }
        do throws(Violation) {
            try references[index].judge(effect, of: input)
        } catch {
            throw Violation("\(letter(references[index].id)): \(error.text)")
        }
    }

    private func checkAll(after input: Input) throws(Violation) {
        for reference in references {
            do throws(Violation) {
                try reference.checkNothingMissing(after: input)
                if let app = supervisor.app(reference.id) {
                    try reference.compare(with: app, at: now)
                    try checkDeadline(of: app, reference)
                } else if !reference.isGone {
                    throw Violation("the app is missing")
                }
            } catch {
                throw Violation("\(letter(reference.id)): \(error.text)")
            }
        }
        let inFront = references.filter(\.state.isForeground)
        guard inFront.count <= 1 else { throw Violation("two apps are in the foreground") }
        if input == .machine(.tick) { try checkTick() }
    }

    private func checkDeadline(of app: App, _ reference: ReferenceApp) throws(Violation) {
        if reference.isOver {
            guard app.nextDeadline.lifecycle == nil else { throw Violation("over, and a deadline is armed") }
            if let retry = app.nextDeadline.real, retry > now + .milliseconds(100) {
                throw Violation("over, and something else than its kill is armed")
            }
            return
        }
        // What its leader left behind is resumed as soon as it is known of.
        guard reference.isStopped, !reference.isEndingRest, let started = app.startedAt else {
            return
        }
        if reference.policy.pageOut != nil { return }
        let timeLimit = reference.policy.timeLimit.isInfinite ? nil : started + reference.policy.timeLimit
        let limit = [timeLimit, reference.keepAliveLeft.map { now + $0 }].compactMap { $0 }.min()
        let isLookedAt = reference.isBeingStopped || reference.isStoppingLate
        let deadline = isLookedAt ? app.nextDeadline.lifecycle : app.nextDeadline.earliest
        guard deadline == limit else { throw Violation("suspended, and a deadline is armed") }
    }

    /// A tick does everything that is due, and a second one at the same instant nothing.
    private func checkTick() throws(Violation) {
        var copy = supervisor
        guard copy.handle(.machine(.tick), at: Moment(now)).isEmpty, copy == supervisor else {
            throw Violation("a second tick changed something")
        }
        guard let deadline = supervisor.nextDeadline.earliest, deadline <= now else { return }
        throw Violation("a deadline is still due after the tick")
    }

    /// The same inputs give the same effects, from scratch.
    private func checkReplay() throws(Violation) {
        var fresh = Supervisor()
        var again: [Effect] = []
        for (now, input) in journal { fresh.handle(input, at: Moment(now), into: &again) }
        guard again == effects, fresh == supervisor else { throw Violation("a replay came out differently") }
    }
}

extension Effect {
    /// The app it is about; nil for a reply.
    var app: AppID? {
        switch self {
        case .deliver(let id, _), .suspend(let id, _), .resume(let id, _), .terminate(let id, _), .kill(let id, _),
            .sweep(let id, _), .ended(let id, _), .stateChanged(let id, _, _), .measureFootprint(let id),
            .checkTracer(let id), .measureCPUTime(let id), .note(let id, _), .limitMemory(let id, _),
            .signal(let id, _, _), .expire(let id, _), .release(let id), .checkLocks(let id), .pageOut(let id, _),
            .throttle(let id, _), .setPriority(let id, _), .killLeader(let id, _),
            .confirmSuspension(let id, _), .killAgain(let id, _), .continuePageOut(let id), .watchInput(let id, _),
            .unwatchInput(let id), .lookForConnection(let id, _), .measureIdleness(let id):
            id
        case .reply, .measureAvailableMemory, .measureFreeDisk, .pressureChanged, .sendJoinedHome: nil
        }
    }
}

extension FileLock {
    static let sample = FileLock(path: "/db", kind: "POSIX", isWrite: true, pid: 7, isWaitedFor: false)
}

/// One line for an input, as a failing trace shows it.
func line(_ input: Input) -> String {
    guard case .app(let id, .launch(let policy, let options)) = input else { return "\(input)" }
    let number = Trace.policies.firstIndex(of: policy) ?? -1
    let event = options.wakingEvent.map { " for \($0.name)" } ?? ""
    return "launch(\(letter(id)), policy \(number)\(options.inBackground ? ", in background" : "")\(event))"
}
