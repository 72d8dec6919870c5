import Testing

@testable import CurfewCore
@testable import CurfewEngine

/// Seeded, so that a failure, which names its seed, can be repeated.
@Suite("Random lives on a failing machine")
struct EnginePropertyTests {
    @Test("Nothing traps, every app ends once, and nothing is left", arguments: 0..<16 as Range<UInt64>)
    func randomLives(seed: UInt64) {
        for trace in 0..<60 as Range<UInt64> {
            let life = RandomLife(seed: seed << 16 | trace)
            life.live()
            life.drain()
            life.replay()
            guard let problem = life.problem else { continue }
            Issue.record("seed \(seed) trace \(trace): \(problem)\n\(life.tail.joined(separator: "\n"))")
            return
        }
    }
}

/// Up to three apps, whose processes stop and die when they like, and a host that answers back.
private final class RandomLife {
    private var random: SplitMix64
    private let scenario = EngineScenario()
    private let recorder = JournalRecorder()
    private var launched: [AppID] = []
    private var lastRequest = 0
    private var answered: Set<RequestID> = []
    private var lastState: [AppID: LifecycleState] = [:]
    private var lastSequence: [AppID: Int] = [:]
    private var over: Set<AppID> = []
    private var leadersGone: Set<AppID> = []
    /// How often a callback may feed something yet.
    private var interjections = 30
    private(set) var problem: String?

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        scenario.engine.journal = recorder
        watchHost()
    }

    var tail: [String] { scenario.journal.lines.suffix(60) }

    private func complain(_ text: String) { if problem == nil { problem = text } }

    // MARK: Living

    func live() {
        for _ in 0..<(20 + random.below(60)) where problem == nil {
            letTimePass()
            letProcessesEnd()
            if let input = randomInput() { scenario.engine.feed(input) }
            checkAtRest()
        }
    }

    private func letTimePass() {
        switch random.below(6) {
        case 0: scenario.engine.wake()
        case 1: scenario.oversleep(.milliseconds(Int64(random.below(20_000))))
        case 2: scenario.kernel.clock = scenario.kernel.clock + .milliseconds(Int64(random.below(300)))
        case 3, 4: wakeAtDeadline()
        default: break
        }
    }

    private func wakeAtDeadline() {
        guard let deadline = scenario.engine.nextDeadline else { return }
        scenario.kernel.clock = max(deadline, scenario.kernel.clock)
        scenario.engine.wake()
    }

    /// SIGCHLD: the leaders that were killed, and the rest of each tree now and then by itself.
    private func letProcessesEnd() {
        for app in launched where !over.contains(app) {
            if random.chance(3), leadersGone.contains(app) { scenario.kernel[app].isAlive = false }
            if !scenario.kernel[app].isAlive, hasStarted(app), !leadersGone.contains(app) {
                leadersGone.insert(app)
                scenario.engine.feed(.app(app, .leaderExited(.signaled(signal: 9, dumpedCore: false))))
            }
        }
        if random.chance(50) { scenario.engine.childrenChanged() }
    }

    private func hasStarted(_ app: AppID) -> Bool { scenario.engine.core.app(app)?.startedAt != nil }

    private func randomRounds() -> Rounds {
        switch random.below(4) {
        case 0: .never
        case 1: .after(random.below(50))
        default: .atOnce
        }
    }

    private func randomPolicy() -> Policy {
        .with {
            if random.chance(30) { $0.timeLimit = .milliseconds(Int64(1 + random.below(60_000))) }
            if random.chance(30) {
                $0.memory = MemoryPolicy(fatalLimit: 100 << 40, isEnforcedByKernel: random.chance(50))
            }
            $0.backgroundBudget = .seconds(Int64(random.below(60)))
            $0.requiresHello = random.chance(20)
            $0.waitsForTree = random.chance(30)
            $0.terminateSuspended = random.chance(50) ? .wake : .kill
            $0.grace = random.chance(30) ? .seconds(Int64(random.below(5))) : nil
            $0.exitsOnSuspend = random.chance(15)
            $0.announcesEvents = random.chance(30)
            $0.watchdogInterval = random.chance(20) ? .seconds(Int64(1 + random.below(30))) : nil
        }
    }

    private func randomOptions() -> LaunchOptions {
        LaunchOptions(
            inBackground: random.chance(20), wakingEvent: random.chance(10) ? PostedEvent("fetch") : nil,
            info: random.chance(20) ? [Info("from", "a \"test\"")] : [])
    }

    private func randomInput() -> Input? {
        if launched.count < 3, random.chance(launched.isEmpty ? 100 : 5) { return launch() }
        let app = random.pick(launched)
        scenario.kernel[app].stops = randomRounds()
        scenario.kernel[app].isTraced = random.chance(10)
        if random.chance(25) { return lifecycleInput(app) }
        let kind = random.below(16)
        if kind < 6 { return drivingInput(kind, app) }
        return kind < 12 ? channelInput(kind, app) : machineInput(kind, app)
    }

    private func launch() -> Input {
        let app = AppID(launched.count + 1)
        launched.append(app)
        scenario.kernel[app].dies = randomRounds()
        scenario.kernel[app].leaves = randomRounds()
        scenario.kernel[app].footprints = (0..<4).map { _ in UInt64(random.below(120)) << 40 }
        scenario.engine.launch(app, randomPolicy(), randomOptions())
        return .app(app, .started)
    }

    private func lifecycleInput(_ app: AppID) -> Input {
        switch random.below(6) {
        case 0: .app(app, .interrupt(request: request()))
        case 1: .app(app, .dismiss(request: request()))
        case 2:
            .app(
                app, .post(PostedEvent(random.pick(["settingsDidChange", "b"]), [Info("k", "v")]), request: request()))
        case 3: .app(app, .wake(PostedEvent("fetch", [Info("url", "x y")]), request: request()))
        default: .app(app, .notified(randomNotification()))
        }
    }

    private func randomNotification() -> ServiceNotification {
        switch random.below(6) {
        case 0: .ready
        case 1: .stopping
        case 2: .extendTimeout(.milliseconds(Int64(random.below(20_000))))
        case 3: .watchdogInterval(random.chance(50) ? nil : .seconds(Int64(1 + random.below(20))))
        case 4: random.chance(10) ? .broken : .alive
        default: .alive
        }
    }

    private func drivingInput(_ kind: Int, _ app: AppID) -> Input {
        switch kind {
        case 0, 1: .app(app, .home(stopped: random.chance(30), request: request()))
        case 2, 3: .app(app, .open(request: request()))
        case 4: random.chance(20) ? .app(app, .quit(request: request())) : .app(app, .open(request: request()))
        default: .app(app, .hello(ConnectionID(random.below(3))))
        }
    }

    private func channelInput(_ kind: Int, _ app: AppID) -> Input {
        switch kind {
        case 6: .app(app, .disconnected(ConnectionID(random.below(3))))
        case 7, 8: .app(app, .acknowledge(sequence: random.chance(80) ? lastSequence[app] ?? 1 : random.below(9)))
        case 9:
            .app(
                app,
                .beginTask(
                    name: "t", owner: OwnerID(random.below(3)), connection: ConnectionID(random.below(3)),
                    request: newRequest()))
        case 10: .app(app, .endTask(TaskID(random.below(6)), request: newRequest()))
        default: .app(app, .ownerExited(OwnerID(random.below(3))))
        }
    }

    private func machineInput(_ kind: Int, _ app: AppID) -> Input? {
        switch kind {
        case 12: return random.chance(20) ? .app(app, .memoryLimitHit(bytes: 200 << 40)) : nil
        case 13:
            guard random.chance(25), hasStarted(app), !leadersGone.contains(app) else { return nil }
            leadersGone.insert(app)
            if random.chance(50) { scenario.kernel[app].isAlive = false }
            return .app(app, .leaderExited(.exited(code: 1)))
        case 14: return .app(app, .stoppedByTerminal)
        default: return .machine(.tick)
        }
    }

    private func newRequest() -> RequestID {
        lastRequest += 1
        return RequestID(lastRequest)
    }

    private func request() -> RequestID? { random.chance(60) ? newRequest() : nil }

    // MARK: Watching

    private func watchHost() {
        scenario.host.onRecord = { [unowned self] _, app in
            checkNotOver(app)
            interject()
        }
        scenario.host.onDeliver = { [unowned self] delivery, app in
            checkNotOver(app)
            if scenario.kernel[app].isStopped { complain("\(delivery.event.name) went to a stopped app") }
            if delivery.sequence <= lastSequence[app] ?? 0 { complain("#\(delivery.sequence) is out of order") }
            lastSequence[app] = delivery.sequence
            interject()
        }
        scenario.host.onReply = { [unowned self] _, request in
            if !answered.insert(request).inserted { complain("request \(request.rawValue) was answered twice") }
            interject()
        }
        scenario.host.onStateChange = { [unowned self] app, from, to in
            checkNotOver(app)
            if from != lastState[app] ?? .notRunning { complain("a change from \(from) is out of order") }
            lastState[app] = to
            interject()
        }
        scenario.host.onEnd = { [unowned self] app, _ in
            if !over.insert(app).inserted { complain("\(app.letter) ended twice") }
            interject()
        }
    }

    private func checkNotOver(_ app: AppID) {
        if over.contains(app) { complain("\(app.letter) is heard of after its end") }
    }

    /// What a host may do in a callback: drop a connection, answer, even launch.
    private func interject() {
        guard interjections > 0, random.chance(15) else { return }
        interjections -= 1
        switch random.below(4) {
        case 0: scenario.engine.childrenChanged()
        case 1: scenario.engine.wake()
        default: if let input = randomInput() { scenario.engine.feed(input) }
        }
    }

    /// Between inputs the machine is as the core believes.
    private func checkAtRest() {
        for app in scenario.engine.core.apps where app.end == nil && app.leader == nil {
            let tree = scenario.kernel[app.id]
            if app.isSuspending != tree.isStopped {
                complain("\(app.id.letter): \(app.state), stopped: \(tree.isStopped)")
            }
            if app.isAwaitingSuspension, tree.isConfirmed {
                complain("\(app.id.letter): confirmed, and the core wasn't told")
            }
        }
    }

    // MARK: Again

    /// The journal, read back, brings about the same.
    func replay() {
        guard problem == nil else { return }
        var replay = JournalReplay()
        do throws(JournalReplay.Unreadable) {
            for line in recorder.lines { _ = try replay.take(line) }
        } catch {
            return complain("journal line \(error.line): \(error.problem): \(recorder.lines[error.line - 1])")
        }
        if !replay.isAtEnd { complain("effects are missing at the end") }
        if let difference = replay.difference { complain("replayed differently: \(difference)") }
    }

    // MARK: Ending

    /// Everything is asked to end; then time passes until nothing more is wanted.
    func drain() {
        interjections = 0
        for app in launched {
            scenario.kernel[app].isTraced = false
            scenario.engine.feed(.app(app, .quit(request: nil)))
        }
        for _ in 0..<20_000 where problem == nil {
            guard let deadline = scenario.engine.nextDeadline else { break }
            scenario.kernel.clock = max(deadline, scenario.kernel.clock + .milliseconds(1))
            scenario.engine.wake()
        }
        checkNothingLeft()
    }

    private func checkNothingLeft() {
        if over != Set(launched) { complain("ended: \(over.map(\.letter)) of \(launched.map(\.letter))") }
        if !scenario.engine.core.apps.isEmpty { complain("the core still holds an app") }
        if let deadline = scenario.engine.nextDeadline { complain("\(deadline) is still a deadline") }
        let lines = scenario.journal.lines.count
        scenario.engine.childrenChanged()
        scenario.oversleep(.seconds(100))
        if scenario.journal.lines.count != lines { complain("something is done after all is over") }
    }
}
