@testable import CurfewCore

/// Runs a trace of apps that sleep: plays the engine, the kernel, the programs and their clients, and checks everything after
/// each input.
struct SleepWorld {
    private(set) var journal: [(now: Moment, input: Input)] = []
    /// All that was brought about.
    private(set) var effects: [Effect] = []
    private var supervisor = Supervisor()
    private var now = Moment(Instant(nanoseconds: 1_000_000_000_000))
    private let setup: SleepSetup
    private var apps: [SleepModelApp]
    private var isHeld: Bool
    private var isPunctual: Bool
    private var lastRequest = 0
    private var unanswered: Set<RequestID> = []
    /// Effects to be performed, each with what brought it about.
    private var queue: [(effect: Effect, cause: Input)] = []

    /// So many wake-ups at one step, and inputs at one wake-up, never come to an end.
    private static let mostWakeUps = 4_000
    private static let mostEffects = 2_000
    /// Within which everything comes to rest once nobody has to do with the apps any more; and as long as it may be until it is
    /// seen that a debugger has gone, which nothing divides.
    private static let restTime = Span.seconds(30)
    private static let tracerTime = Span.seconds(2)

    private init(_ setup: SleepSetup) {
        self.setup = setup
        apps = setup.apps
        isHeld = setup.isHeld
        isPunctual = setup.isPunctual
    }

    /// What a trace brings about, for knowing what traces reach.
    static func results(of trace: SleepTrace) -> (effects: [Effect], fates: Set<SleepModelListener.Fate>) {
        var world = SleepWorld(trace.setup)
        try? world.live(trace)
        return (world.effects, Set(world.apps.flatMap(\.listeners).flatMap(\.fates)))
    }

    /// The first violation, with the inputs up to it; nil when there is none.
    static func violation(of trace: SleepTrace) -> (text: String, journal: [(now: Moment, input: Input)])? {
        var world = SleepWorld(trace.setup)
        do throws(Violation) {
            try world.live(trace)
            return nil
        } catch {
            return (error.text, world.journal)
        }
    }

    private mutating func live(_ trace: SleepTrace) throws(Violation) {
        try launch(0)
        for step in trace.steps {
            try pass(step.pause)
            try perform(step.action)
        }
        try comeToRest()
    }

    // MARK: Time

    private mutating func pass(_ pause: Trace.Pause) throws(Violation) {
        switch pause {
        case .span(let span): try pass(scaled(span))
        case .toDeadline(let offset):
            if isHeld {
                guard let deadline = supervisor.nextDeadline.lifecycle, deadline != .distantFuture else { return }
                now.lifecycle = max(now.lifecycle, max(now.lifecycle, deadline) + scaled(offset))
                try pass(.zero)
            } else if let next = nextWakeUp(isPunctual: true), next != .distantFuture {
                try pass(max(.zero, next + scaled(offset) - now.real))
            }
        }
    }

    private func scaled(_ span: Span) -> Span { span > .zero ? span.scaled(by: setup.scale) : span }

    /// Wakes whoever is due on the way.
    private mutating func pass(_ span: Span) throws(Violation) {
        let end = now.real + span
        var count = 0
        while let next = nextWakeUp(isPunctual: isPunctual), next <= end {
            elapse(next - now.real)
            try wakeUp()
            count += 1
            if count > Self.mostWakeUps { throw Violation("it doesn't come to rest") }
        }
        elapse(end - now.real)
        if isPunctual { try checkLooks() }
    }

    /// Who is held back waits as long as it has to, and no longer.
    private func checkLooks() throws(Violation) {
        for app in apps {
            guard let due = app.lookDue, due <= now.lifecycle else { continue }
            throw Violation("\(letter(app.id)): a connection waits for too long")
        }
    }

    private mutating func elapse(_ span: Span) {
        guard span > .zero else { return }
        for index in apps.indices where apps[index].isHere {
            switch apps[index].tree.motion {
            case .running: apps[index].program.run(for: span)
            case .stopping(let since) where setup.runsWhileStopping:
                apps[index].program.run(for: min(span, since + setup.stopping - now.real))
            case .stopping, .stopped: break
            }
        }
        now.real = now.real + span
        if !isHeld { now.lifecycle = now.lifecycle + span }
    }

    /// By real time, now at the earliest. `isPunctual`: what is due in the core counts, too.
    private func nextWakeUp(isPunctual: Bool) -> Instant? {
        var next = apps.compactMap { nextTurn(of: $0) }
        if isPunctual {
            let deadline = supervisor.nextDeadline
            if let real = deadline.real { next.append(real) }
            if !isHeld, let lifecycle = deadline.lifecycle, lifecycle != .distantFuture {
                next.append(now.real + (max(now.lifecycle, lifecycle) - now.lifecycle))
            }
            if isHeld, let lifecycle = deadline.lifecycle, lifecycle <= now.lifecycle { next.append(now.real) }
        }
        return next.min().map { max(now.real, $0) }
    }

    /// When the engine goes on with the waiting for an app's input.
    private func nextTurn(of app: SleepModelApp) -> Instant? {
        guard let watch = app.tree.watch else { return nil }
        return watch.isComplete ? watch.pendingSince.map { $0 + setup.hearing } : watch.begun + setup.looking
    }

    private mutating func wakeUp() throws(Violation) {
        for index in apps.indices {
            guard let turn = nextTurn(of: apps[index]), turn <= now.real else { continue }
            try feed(goOnWatching(index))
        }
        guard isPunctual else { return }
        try feed(.machine(.tick))
        if let violation = tickAgain() { throw Violation(violation) }
    }

    /// A second tick at the same moment has nothing to do.
    private func tickAgain() -> String? {
        var copy = supervisor
        let effects = copy.handle(.machine(.tick), at: now)
        return effects.isEmpty ? nil : "a second tick has effects: \(effects.map(line))"
    }

    /// Looks at what is left, or hears what has come.
    private mutating func goOnWatching(_ index: Int) throws(Violation) -> [Input] {
        let id = apps[index].id
        let isBeginning = apps[index].tree.watch?.isComplete == false
        if isBeginning { apps[index].tree.completeWatch(of: apps[index].program) }
        let known = supervisor.app(id)
        let came = try apps[index].takeInput { known?.holdsBack($0) == true }
        if let news = came.news { return [.app(id, .inputCame(news))] }
        let waiting = came.waiting.map { Input.app(id, .connectionWaits($0)) }
        if !isBeginning { return waiting }
        return [.app(id, .inputWatched(obstacle: apps[index].hasObstacle ? "x" : nil))] + waiting
    }

    // MARK: What happens

    private mutating func launch(_ index: Int) throws(Violation) {
        try feed(.app(apps[index].id, .launch(apps[index].policy, LaunchOptions())))
        try feed(.app(apps[index].id, .started))
    }

    private mutating func request() -> RequestID {
        lastRequest += 1
        unanswered.insert(RequestID(lastRequest))
        return RequestID(lastRequest)
    }

    private mutating func perform(_ action: SleepTrace.Action) throws(Violation) {
        switch action {
        case .tick: try feed(.machine(.tick))
        case .launch(let id):
            guard let index = index(id), !apps[index].hasStarted else { return }
            for index in apps.indices { apps[index].isTouched() }
            try launch(index)
        case .send(let id, let descriptor):
            guard let index = index(id), apps[index].isHere else { return }
            apps[index].program.descriptors[descriptor].receive()
            noteInput(index)
        case .accept(let id, let descriptor): change(id) { $0.program.descriptors[descriptor].isTaken() }
        case .race(let id, let descriptor, let isLost):
            change(id) { $0.program.descriptors[descriptor].losesRaces = isLost }
        case .work(let id): change(id) { if $0.runs { $0.program.work() } }
        case .obstruct(let id, let isThere): change(id) { $0.hasObstacle = isThere }
        case .trace(let id, let isTraced): change(id) { $0.isTraced = isTraced }
        default:
            guard let input = input(for: action), let id = input.app, let index = index(id) else { return }
            apps[index].isTouched()
            // Another may be sent home by it.
            if case .app(_, .open) = input { for index in apps.indices { apps[index].isTouched() } }
            try feed(input)
        }
        try checkAll()
    }

    private func index(_ id: AppID) -> Int? { apps.firstIndex { $0.id == id } }

    private mutating func change(_ id: AppID, _ body: (inout SleepModelApp) -> Void) {
        if let index = index(id) { body(&apps[index]) }
    }

    /// Its watch will be heard of soon.
    private mutating func noteInput(_ index: Int) {
        guard let watch = apps[index].tree.watch, watch.isComplete, watch.pendingSince == nil else { return }
        let descriptors = apps[index].program.descriptors
        guard descriptors.indices.contains(where: { watch.isPending($0, descriptors[$0]) }) else { return }
        apps[index].tree.watch?.pendingSince = now.real
    }

    /// Nil when nobody could send it now.
    private mutating func input(for action: SleepTrace.Action) -> Input? {
        guard let id = action.app, let index = index(id), apps[index].isHere else { return nil }
        let app = apps[index]
        switch action {
        case .putToSleep(_, let stays): return .app(id, .sleep(stays: stays, request: request()))
        case .home: return .app(id, .home(stopped: false, request: request()))
        case .open: return .app(id, .open(request: request()))
        case .quit: return .app(id, .quit(request: request()))
        case .reclaim: return .app(id, .reclaim(request: request()))
        case .interrupt: return .app(id, .interrupt(request: request()))
        case .dismiss: return .app(id, .dismiss(request: request()))
        case .wake: return .app(id, .wake(PostedEvent("fetch"), request: request()))
        case .post: return .app(id, .post(PostedEvent("zone"), request: request()))
        case .exit: return app.isEnding ? nil : .app(id, .leaderExited(.exited(code: 0)))
        case .begin: return .app(id, .beginTask(name: "t", owner: OwnerID(1), connection: nil, request: request()))
        case .end: return app.tasks.first.map { .app(id, .endTask($0, request: request())) }
        case .hello(_, let connection):
            let connection = ConnectionID(connection)
            return app.isEnding || app.connections.contains(connection) ? nil : .app(id, .hello(connection))
        case .disconnect: return app.connections.first.map { .app(id, .disconnected($0)) }
        case .acknowledge: return acknowledgement(index)
        case .keepAlive(_, let periods):
            let interval =
                periods == 0 ? nil : app.policy.keepAliveMinimum.map { Span(nanoseconds: periods * $0.nanoseconds) }
            return .app(id, .keepAlive(interval, request: request()))
        case .hear(_, let descriptor):
            let isWatched = app.program.descriptors[descriptor].isListening && app.program.descriptors[descriptor].wakes
            guard isWatched, app.isStopped, app.tree.watch?.isComplete == true else { return nil }
            return .app(id, .connectionWaits(app.listeners[descriptor].socket))
        case .signal:
            guard supervisor.app(id).map({ $0.isAsleep && !$0.sleepsUntilOpened }) == true else { return nil }
            return .app(id, .inputCame(InputNews(kind: "terminal", text: "its terminal")))
        default: return nil
        }
    }

    /// Of what it was told first. Who says that it is done with its input has seen it.
    private mutating func acknowledgement(_ index: Int) -> Input? {
        guard apps[index].runs, let owed = apps[index].owed.first else { return nil }
        if owed.event == .wake("input") { apps[index].program.see() }
        return .app(apps[index].id, .acknowledge(sequence: owed.sequence))
    }

    // MARK: Rest

    /// Nobody has to do with the apps any more: each comes to rest, and isn't woken again for what it has left unread.
    private mutating func comeToRest() throws(Violation) {
        isHeld = false
        isPunctual = true
        for index in apps.indices {
            apps[index].hasObstacle = false
            apps[index].isTraced = false
            apps[index].isTouched()
        }
        try pass(Self.tracerTime)
        try rest()
        for index in apps.indices {
            while let task = apps[index].tasks.first, apps[index].isHere, !apps[index].isEnding {
                try feed(.app(apps[index].id, .endTask(task, request: request())))
            }
        }
        try rest()
        // What has to wait may have to do so for a minute.
        for _ in 0..<2 where apps.contains(where: { $0.lookDue != nil }) { try rest() }
        let wakings = apps.map(\.inputWakings)
        try rest()
        if wakings != apps.map(\.inputWakings) { throw Violation("woken by input, and there was none") }
        for app in apps { try checkRest(app) }
        if let request = unanswered.first { throw Violation("request \(request.rawValue) isn't answered") }
    }

    /// Programs that answer meanwhile.
    private mutating func rest() throws(Violation) {
        let end = now.real + scaled(Self.restTime)
        while now.real < end {
            try pass(min(end - now.real, scaled(.milliseconds(300))))
            for index in apps.indices {
                while let input = acknowledgement(index) { try feed(input) }
            }
        }
    }

    /// Who can sleep does, unless keep-alive has it do something again and again.
    private func checkRest(_ app: SleepModelApp) throws(Violation) {
        guard app.isHere, !app.isEnding, app.keepAlive == nil else { return }
        if app.lookDue != nil { throw Violation("a connection waits, and nobody looks for it") }
        if app.state == .active, app.policy.sleep?.whenIdle != nil { throw Violation("idle for long, and awake") }
        if app.state == .background { throw Violation("nothing to do in background, and not suspended") }
    }

    // MARK: One input

    private mutating func feed(_ input: Input?) throws(Violation) { try feed(input.map { [$0] } ?? []) }

    /// Those that come at one turn.
    private mutating func feed(_ inputs: [Input]) throws(Violation) {
        guard let input = inputs.first else { return }
        let before = input.app.flatMap(index).map { apps[$0] }
        for input in inputs { try step(input) }
        var count = 0
        while count < queue.count {
            let (effect, cause) = queue[count]
            try perform(effect, cause)
            count += 1
            if count > Self.mostEffects { throw Violation("effects without end") }
        }
        queue.removeAll(keepingCapacity: true)
        if case .app(let id, .inputCame) = input, let before, !before.isEnding, before.isHere, !before.runs {
            let isAwake = index(id).map { apps[$0].resumptions > before.resumptions || apps[$0].isOver } ?? true
            if !isAwake { throw Violation("\(letter(id)): input has come, and it sleeps on") }
        }
        try checkAll()
    }

    /// The one place where the core is told something.
    private mutating func step(_ input: Input) throws(Violation) {
        let now = now
        journal.append((now, input))
        if case .app(let id, let input) = input { change(id) { $0.take(input, at: now) } }
        let batch = supervisor.handle(input, at: now)
        effects += batch
        queue += batch.map { ($0, input) }
        guard case .app(let id, let input) = input, let request = input.request else { return }
        let isRefused = batch.contains {
            if case .reply(request, .rejected) = $0 { true } else { false }
        }
        if !isRefused { change(id) { $0.isGranted(input, at: now) } }
    }

    private mutating func perform(_ effect: Effect, _ cause: Input) throws(Violation) {
        if case .reply(let request, let reply) = effect { return try answer(request, reply) }
        guard let id = effect.app, let index = index(id) else { return }
        let taken = if case .resume = effect { apps[index].race() } else { [ListeningSocket]() }
        do throws(Violation) {
            try apps[index].take(effect, of: cause, at: now)
        } catch {
            throw Violation("\(letter(id)): \(error.text)")
        }
        for input in try answers(to: effect, index) { try step(input) }
        for socket in taken { try step(.app(id, .connectionTaken(socket))) }
    }

    private mutating func answer(_ request: RequestID, _ reply: Reply) throws(Violation) {
        if unanswered.remove(request) == nil { throw Violation("request \(request.rawValue) is answered twice") }
        guard let (id, input) = requester(of: request), let app = index(id).map({ apps[$0] }) else { return }
        guard case .state(let state) = reply else { return }
        if state != app.state { throw Violation("\(letter(id)): said to be \(state), and it is \(app.state)") }
        if case .sleep = input, state == .suspended, app.isToBeWoken, app.tree.watch?.isComplete != true {
            throw Violation("\(letter(id)): said to sleep before its input is waited for")
        }
    }

    private func requester(of request: RequestID) -> (AppID, AppInput)? {
        for case (_, .app(let id, let input)) in journal.reversed() where input.request == request {
            return (id, input)
        }
        return nil
    }

    // MARK: The engine and its kernel

    private mutating func answers(to effect: Effect, _ index: Int) throws(Violation) -> [Input] {
        let id = apps[index].id
        switch effect {
        case .suspend: return confirmStop(index, isLast: false)
        case .confirmSuspension(_, let isLast): return confirmStop(index, isLast: isLast)
        case .watchInput where supervisor.app(id)?.wasFoundIdle == true && apps[index].isMidway:
            return [.app(id, .ranOn)]
        case .watchInput:
            return try setup.looking == .zero ? goOnWatching(index) : []
        case .lookForConnection(_, let socket): return [try lookForConnection(index, at: socket)].compactMap { $0 }
        case .measureIdleness: return [.app(id, .idlenessMeasured(sample(of: apps[index])))]
        case .checkTracer: return [.app(id, .tracerChecked(isTraced: apps[index].isTraced))]
        case .measureCPUTime: return [.app(id, .cpuTimeMeasured(apps[index].program.cpuTime))]
        case .checkLocks: return [.app(id, .locksChecked(now.real.nanoseconds % 7 == 0 ? [.sample] : []))]
        case .kill, .killAgain, .sweep(_, kills: true): return [.app(id, .treeGone)]
        case .sweep(_, kills: false): return [.app(id, now.real.nanoseconds % 3 == 0 ? .treeGone : .leftBehind)]
        default: return []
        }
    }

    /// Nil where another look has had it continued.
    private mutating func lookForConnection(_ index: Int, at socket: ListeningSocket) throws(Violation) -> Input? {
        let id = apps[index].id
        guard supervisor.app(id)?.state == .suspended else { return nil }
        let news = try apps[index].takeConnection(at: socket)
        return .app(id, news.map { .inputCame($0) } ?? .connectionTaken(socket))
    }

    /// What takes longer than it is waited for counts as stopped all the same, and is looked at again.
    private mutating func confirmStop(_ index: Int, isLast: Bool) -> [Input] {
        let id = apps[index].id
        let pending = Input.app(id, .suspensionPending)
        guard let end = stopEnd(of: apps[index]) else { return [pending] }
        if now.real >= end {
            apps[index].isStopped(andTakes: now.real.nanoseconds % 2 == 0)
            return [.app(id, .suspensionConfirmed)]
        }
        guard isLast else { return [pending] }
        apps[index].tree.isStopped(late: end)
        return [.app(id, .suspensionIncomplete), pending]
    }

    /// When all of it has stopped; nil where no stop is under way.
    private func stopEnd(of app: SleepModelApp) -> Instant? {
        if case .stopping(let since) = app.tree.motion { return since + setup.stopping }
        return app.tree.stopsLate
    }

    private func sample(of app: SleepModelApp) -> IdleSample {
        IdleSample(
            cpuTime: app.program.cpuTime, written: 0, processes: 1,
            obstacle: app.program.isAtWork ? "it is at work" : nil)
    }

    // MARK: Checks

    private func checkAll() throws(Violation) {
        for app in apps where app.isHere {
            guard let known = supervisor.app(app.id) else { throw Violation("\(letter(app.id)) is missing") }
            do throws(Violation) {
                try app.check(against: known, at: now)
            } catch {
                throw Violation("\(letter(app.id)): \(error.text)")
            }
        }
        if let due = apps.compactMap(\.lookDue).min(), supervisor.nextDeadline.lifecycle ?? .distantFuture > due {
            throw Violation("a connection waits, and nobody will look for it in time")
        }
        let front = apps.filter { $0.isHere && $0.state.isForeground && !$0.isAsleep }
        if front.count > 1 { throw Violation("\(front.map { letter($0.id) }) are in front") }
    }
}

extension SleepTrace.Action {
    /// The app it is about.
    fileprivate var app: AppID? {
        switch self {
        case .tick: nil
        case .send(let id, _), .accept(let id, _), .race(let id, _, _), .hear(let id, _), .work(let id),
            .putToSleep(let id, _), .launch(let id), .home(let id), .open(let id),
            .quit(let id), .reclaim(let id), .exit(let id), .interrupt(let id), .dismiss(let id), .wake(let id),
            .post(let id), .begin(let id), .end(let id), .hello(let id, _), .disconnect(let id), .acknowledge(let id),
            .keepAlive(let id, _), .obstruct(let id, _), .trace(let id, _), .signal(let id):
            id
        }
    }
}
