import CurfewCore

/// A random life of one or two apps that sleep: what clients, people and the programs do.
struct SleepTrace {
    let setup: SleepSetup
    var steps: [Step] = []

    struct Step: PausedStep {
        var pause: Trace.Pause
        var action: Action
    }

    /// Whatever makes no sense when its turn comes is skipped, so that any part of a trace is a trace.
    enum Action {
        case tick
        /// Something comes by that descriptor; by one that listens a connection.
        case send(AppID, descriptor: Int)
        /// A program outside accepts the connection that has waited longest there.
        case accept(AppID, descriptor: Int)
        /// From now on such a program is quicker in the moment in which this one is continued, or no more.
        case race(AppID, descriptor: Int, isLost: Bool)
        /// The watch tells that one has to wait there, whatever it was told before.
        case hear(AppID, descriptor: Int)
        /// The program does something that nobody has asked for.
        case work(AppID)
        case putToSleep(AppID, stays: Bool)
        case launch(AppID)
        case home(AppID)
        case open(AppID)
        case quit(AppID)
        case reclaim(AppID)
        case exit(AppID)
        case interrupt(AppID)
        case dismiss(AppID)
        case wake(AppID)
        case post(AppID)
        case begin(AppID)
        case end(AppID)
        case hello(AppID, connection: Int)
        case disconnect(AppID)
        case acknowledge(AppID)
        case keepAlive(AppID, periods: Int64)
        /// Something that can't be waited for comes, or goes.
        case obstruct(AppID, Bool)
        /// A debugger comes or goes.
        case trace(AppID, Bool)
        /// Its terminal has something for it, and that isn't input.
        case signal(AppID)
    }

    static func random(seed: UInt64, steps count: Int) -> SleepTrace {
        var random = SplitMix64(seed: seed)
        var trace = SleepTrace(setup: SleepSetup(&random))
        // Of a hundred choices, for an app that listens.
        let visits = random.pick([5, 30, 70])
        while trace.steps.count < count {
            let app = random.pick(trace.setup.apps)
            if app.isListening, random.chance(visits) {
                trace.steps += randomVisit(&random, app)
            } else {
                trace.steps.append(Step(pause: randomPause(&random), action: randomAction(&random, app.id)))
            }
        }
        return trace
    }

    /// As long as what the apps are given; most are short, so that things collide.
    private static func randomPause(_ random: inout SplitMix64) -> Trace.Pause {
        switch random.below(100) {
        case 0..<35: .span(.zero)
        case 35..<50: .span(.milliseconds(1))
        case 50..<62: .span(.milliseconds(Int64(random.below(20))))
        case 62..<72: .span(.milliseconds(Int64(random.below(400))))
        case 72..<80: .span(.seconds(1))
        case 80..<84: .span(.seconds(Int64(random.below(5))))
        case 84..<86: .span(.seconds(15))
        case 86..<94: .toDeadline(.zero)
        case 94..<97: .toDeadline(Span(nanoseconds: -1))
        default: .toDeadline(.milliseconds(Int64(random.below(30))))
        }
    }

    private static func randomAction(_ random: inout SplitMix64, _ app: AppID) -> Action {
        switch random.below(100) {
        case 0..<24: .send(app, descriptor: random.below(SleepSetup.descriptors))
        case 24..<43: .putToSleep(app, stays: random.chance(15))
        case 43..<48: .home(app)
        case 48..<55: .open(app)
        case 55..<58: .wake(app)
        case 58..<60: .post(app)
        case 60..<63: .begin(app)
        case 63..<67: .end(app)
        case 67..<69: .hello(app, connection: 1 + random.below(2))
        case 69..<74: .acknowledge(app)
        case 74: .disconnect(app)
        case 75, 76: .keepAlive(app, periods: Int64(random.below(4)))
        case 77, 78: .work(app)
        case 79: .interrupt(app)
        case 80: .dismiss(app)
        case 81, 82: .obstruct(app, random.chance(50))
        case 83: .trace(app, random.chance(40))
        case 84, 85: .signal(app)
        case 86..<90: .launch(app)
        case 90: random.pick([.quit(app), .exit(app), .reclaim(app), .tick])
        default: .tick
        }
    }

    /// A client comes while the app sleeps, by one of its listening sockets, and perhaps a program outside is there, too.
    private static func randomVisit(_ random: inout SplitMix64, _ app: SleepModelApp) -> [Step] {
        let listening = app.program.descriptors.indices.filter { app.program.descriptors[$0].isListening }
        let descriptor = random.chance(60) ? listening[0] : random.pick(listening)
        var steps = [Step(pause: randomPause(&random), action: .putToSleep(app.id, stays: random.chance(3)))]
        if random.chance(40) {
            let race = Action.race(app.id, descriptor: descriptor, isLost: random.chance(65))
            steps.append(Step(pause: .span(.zero), action: race))
        }
        let asleep = Trace.Pause.span(random.pick([.milliseconds(1), .seconds(1)]))
        steps.append(Step(pause: asleep, action: .send(app.id, descriptor: descriptor)))
        let further: [Action] = [
            .send(app.id, descriptor: descriptor), .accept(app.id, descriptor: descriptor),
            .hear(app.id, descriptor: descriptor), .open(app.id), .tick,
        ]
        if random.chance(50) { steps.append(Step(pause: randomPause(&random), action: random.pick(further))) }
        if random.chance(60) { steps.append(Step(pause: .toDeadline(.zero), action: .tick)) }
        return steps
    }

    /// A shorter trace that still fails.
    func shrunk(while fails: (SleepTrace) -> Bool) -> SleepTrace {
        SleepTrace(setup: setup, steps: steps.shrunk { fails(SleepTrace(setup: setup, steps: $0)) })
    }
}

/// What one world is like: its apps and their programs, and how long its kernel takes.
struct SleepSetup: CustomStringConvertible {
    var apps: [SleepModelApp] = []
    /// What every duration is divided by.
    let scale: Double
    /// How long a stop takes, looking at all descriptors, and hearing what came.
    let stopping: Span
    let looking: Span
    let hearing: Span
    /// Whether the program runs on until its stop is seen, or is the first to stop.
    let runsWhileStopping: Bool
    /// Whether lifecycle time moves only by hand.
    let isHeld: Bool
    /// Whether ticks come when they are due, or when a step says so.
    let isPunctual: Bool

    static let descriptors = 3

    init(_ random: inout SplitMix64) {
        scale = random.pick([1, 1, 1, 60])
        isHeld = random.chance(15)
        isPunctual = random.chance(80)
        stopping = random.pick([.zero, .zero, .milliseconds(1), .milliseconds(60), .seconds(1)])
        looking = random.pick([.zero, .zero, .milliseconds(2)])
        hearing = random.pick([.zero, .zero, .milliseconds(1), .milliseconds(30)])
        runsWhileStopping = random.chance(50)
        for id in [AppID.a, .b].prefix(1 + random.below(2)) {
            let policy = Self.randomPolicy(&random).scaled(by: scale)
            let program = Self.randomProgram(&random, policy, isHeld: isHeld)
            apps.append(SleepModelApp(id: id, policy: policy, program: program))
        }
    }

    private static func randomPolicy(_ random: inout SplitMix64) -> Policy {
        var sleep = SleepPolicy()
        sleep.whenIdle = random.pick([nil, .milliseconds(200), .seconds(1), .seconds(4)])
        sleep.isForced = random.chance(20)
        sleep.wakesForInput = random.chance(90)
        sleep.quiet = random.pick([.milliseconds(100), .seconds(1), .seconds(2)])
        sleep.longestDelay = random.pick([.seconds(60), .seconds(3), .milliseconds(500)])
        sleep.countsResumptions = random.chance(25)
        return .with {
            $0.sleep = sleep
            $0.backgroundBudget = random.pick([.seconds(5), .seconds(600), .infinite])
            $0.expirationLead = .seconds(1)
            $0.wakeLimit = random.pick([.milliseconds(500), .seconds(2), .seconds(8)])
            $0.enterBackgroundLimit = .seconds(2)
            $0.terminateLimit = .seconds(1)
            $0.grace = random.pick([nil, nil, .zero, .seconds(2)])
            $0.keepAliveMinimum = .seconds(1)
            $0.timeLimit = random.chance(10) ? .seconds(60) : .infinite
            $0.resumeLimit = random.pick([nil, 0, 3])
            $0.resumeWindow = .seconds(20)
            $0.locks = random.pick([.report, .kill, .ignore])
            $0.terminateSuspended = random.pick([.kill, .wake])
            $0.waitsForTree = random.chance(10)
            $0.yieldsInBackground = random.chance(20)
        }
    }

    /// Whoever doesn't show that it is at work has had its time when it counts as idle: it is quicker than that.
    private static func randomProgram(
        _ random: inout SplitMix64, _ policy: Policy, isHeld: Bool
    ) -> SleepModelProgram {
        let descriptors = (0..<descriptors).map { _ in
            SleepModelDescriptor(
                random.pick(SleepModelDescriptor.Manner.allCases), wakes: random.chance(80),
                isListening: random.chance(40))
        }
        let times = [policy.sleep?.quiet, policy.sleep?.whenIdle, policy.wakeLimit].compactMap { $0 }
        let shortest = times.min() ?? .zero
        let showsWork = isHeld || random.chance(40)
        let latency = showsWork ? random.pick([0.3, 1, 3]) : random.pick([0, 0.01, 0.9])
        let time = Span(nanoseconds: Int64(Double(shortest.nanoseconds) * latency))
        return SleepModelProgram(descriptors, latency: min(time, .seconds(4)), showsWork: showsWork)
    }

    var description: String {
        let apps = apps.map { app in
            let sleep = app.policy.sleep ?? SleepPolicy()
            let program = app.program
            let descriptors = program.descriptors.map {
                "\($0.manner)\($0.isListening ? ", listens" : "")\($0.wakes ? "" : ", no waking")"
            }
            return "  \(letter(app.id)): idle \(sleep.whenIdle.map(text) ?? "never"), quiet \(text(sleep.quiet)), "
                + "longest delay \(text(sleep.longestDelay)), wake limit \(text(app.policy.wakeLimit)), forced \(sleep.isForced), "
                + "latency \(text(program.latency)), shows work \(program.showsWork), \(descriptors)"
        }
        let kernel = "  stops in \(text(stopping)), looks in \(text(looking)), hears in \(text(hearing)), "
        let time = "scale \(scale), held \(isHeld), punctual \(isPunctual), runs while stopping \(runsWhileStopping)"
        return ([kernel + time] + apps).joined(separator: "\n")
    }
}
