import CurfewCore

/// A random life of one to three apps: what happens, and how long after the step before.
struct Trace {
    /// Whether tracer checks and suspensions are answered at once, as an idle engine does; else steps answer them.
    var isPrompt = true
    var steps: [Step] = []

    struct Step: PausedStep {
        var pause: Pause
        var action: Action
    }

    enum Pause {
        case span(Span)
        /// Up to the next deadline, and this much further.
        case toDeadline(Span)
    }

    /// Something the world does; whatever makes no sense when its turn comes is skipped, so that any part of a trace
    /// is a trace.
    enum Action {
        case tick
        case launch(AppID, policy: Int, LaunchOptions)
        case started(AppID)
        case leaderExited(AppID, code: UInt8)
        case leaderDied(AppID, signal: Int32)
        /// Its leader ends by the signal that asks it to, once it is asked.
        case leaderObeys(AppID)
        case treeGone(AppID)
        case home(AppID, stopped: Bool)
        case open(AppID)
        case quit(AppID)
        case stoppedByTerminal(AppID)
        case interrupt(AppID)
        case dismiss(AppID)
        case post(AppID, name: String)
        case wake(AppID, name: String)
        case expire(AppID)
        case notified(AppID, ServiceNotification)
        case hello(AppID, connection: Int)
        case disconnect(AppID, connection: Int)
        case acknowledgeOldest(AppID)
        case acknowledge(AppID, sequence: Int)
        case begin(AppID, owner: Int, connection: Int?)
        case end(AppID, task: Int)
        case ownerExited(AppID, owner: Int)
        case keepAlive(AppID, Span?)
        case confirm(AppID, isComplete: Bool)
        case answerMeasurement(AppID, bytes: UInt64)
        case answerCPUTime(AppID)
        case memoryHit(AppID)
        /// A debugger comes or goes; the next tracer check finds it so.
        case trace(AppID, Bool)
        case answerTracer(AppID)
    }

    /// Short and odd numbers, so that things collide.
    static let policies: [Policy] = [
        Policy(profile: .ios4),
        .with {
            $0.backgroundBudget = .seconds(10)
            $0.expirationLead = .seconds(3)
            $0.enterBackgroundLimit = .seconds(2)
            $0.terminateLimit = .seconds(2)
            $0.launchLimit = .seconds(4)
            $0.grace = .seconds(2)
            $0.processingLimit = .seconds(8)
            $0.keepAliveMinimum = .seconds(3)
        },
        .with {
            $0.backgroundBudget = .seconds(2)
            $0.requiresHello = true
            $0.launchLimit = .seconds(6)
        },
        .with {
            $0.backgroundBudget = .infinite
            $0.timeLimit = .seconds(30)
            $0.processingLimit = .infinite
            $0.keepAliveMinimum = nil
            $0.memory = MemoryPolicy(fatalLimit: 100 << 20, isEnforcedByKernel: false)
        },
        .with {
            $0.backgroundBudget = .seconds(10)
            $0.expirationLead = .zero
            $0.terminateSuspended = .wake
            $0.waitsForTree = true
            $0.memory = MemoryPolicy(
                foreground: MemoryLimits(fatal: 110 << 20), background: MemoryLimits(fatal: 100 << 20, soft: 70 << 20),
                isEnforcedByKernel: true)
            $0.locks = .kill
            $0.resumeLimit = 0
            $0.backgroundCPU = CPUPolicy(limit: .seconds(1), window: .seconds(5), action: .throttle)
        },
        .with {
            $0.backgroundBudget = .seconds(6)
            $0.expirationLead = .seconds(2)
            $0.grace = .seconds(9)
            $0.wakeLimit = .seconds(3)
            $0.processingLimit = .seconds(12)
            $0.locks = .defer
            $0.lockWait = .seconds(1)
            $0.backgroundCPU = CPUPolicy(limit: .seconds(1), window: .seconds(4), processors: 2)
            $0.pageOut = PageOutPolicy(delay: .seconds(2))
            $0.yieldsInBackground = true
            $0.memory = MemoryPolicy(fatalLimit: 100 << 20, isEnforcedByKernel: false)
            $0.terminateSuspended = .wake
        },
        .with {
            $0.backgroundBudget = .zero
            $0.grace = .zero
            $0.requiresHello = true
            $0.waitsForTree = true
            $0.timeLimit = .seconds(100)
            $0.announcesEvents = true
        },
        .with {
            $0.backgroundBudget = .seconds(10)
            $0.exitsOnSuspend = true
            $0.watchdogInterval = .seconds(4)
            $0.terminateSignal = 1
        },
        .with {
            $0.backgroundBudget = .seconds(8)
            $0.exitsOnSuspend = true
            $0.grace = .seconds(3)
            $0.announcesEvents = true
            $0.terminateLimit = .seconds(2)
        },
        .with {
            $0.backgroundBudget = .seconds(20)
            $0.wakeLimit = .seconds(4)
            $0.processingLimit = .seconds(20)
            $0.keepAliveMinimum = .seconds(2)
            $0.announcesEvents = true
            $0.watchdogInterval = .seconds(3)
            $0.terminateSuspended = .wake
        },
        .with {
            $0.requiresHello = true
            $0.launchLimit = .seconds(5)
            $0.wakeLimit = .seconds(2)
            $0.watchdogInterval = .seconds(6)
        },
        .with {
            $0.backgroundBudget = .seconds(4)
            $0.expirationLead = .seconds(5)
            $0.grace = .seconds(2)
            $0.wakeLimit = .seconds(3)
            $0.keepAliveMinimum = .seconds(2)
            $0.backgroundModes = BackgroundModes([.continuous, .fetch])
            $0.backgroundCPU = CPUPolicy(limit: .seconds(1), window: .seconds(4), processors: 2)
            $0.exitsOnSuspend = true
            $0.announcesEvents = true
        },
        .with {
            $0.backgroundBudget = .seconds(10)
            $0.expirationLead = .seconds(3)
            $0.wakeLimit = .seconds(4)
            $0.keepAliveMinimum = .seconds(3)
            $0.backgroundModes = BackgroundModes([.voip])
        },
        .with {
            $0.backgroundBudget = .seconds(3)
            $0.backgroundModes = BackgroundModes([.continuous])
            $0.timeLimit = .seconds(60)
            $0.memory = MemoryPolicy(fatalLimit: 100 << 20, isEnforcedByKernel: false)
            $0.locks = .defer
        },
    ]

    private static let names = ["locale", "timezone", "network"]
    private static let wakes = ["fetch", "push", "refresh", "processing"]

    static func random(seed: UInt64, steps count: Int) -> Trace {
        var random = SplitMix64(seed: seed)
        var trace = Trace(isPrompt: random.chance(50))
        let apps = Array([AppID.a, .b, .c].prefix(1 + random.below(3)))
        for app in apps {
            let launch = Action.launch(app, policy: random.below(policies.count), randomOptions(&random))
            trace.steps.append(Step(pause: .span(.zero), action: launch))
            trace.steps.append(Step(pause: randomPause(&random), action: .started(app)))
        }
        while trace.steps.count < count {
            let action = randomAction(&random, app: random.pick(apps))
            trace.steps.append(Step(pause: randomPause(&random), action: action))
        }
        return trace
    }

    private static func randomPause(_ random: inout SplitMix64) -> Pause {
        switch random.below(100) {
        case 0..<40: .span(.zero)
        case 40..<48: .span(.milliseconds(1))
        case 48..<66: .span(.seconds(1))
        case 66..<72: .span(.seconds(Int64(random.below(8))))
        case 72..<75: .span(.seconds(30))
        case 75..<77: .span(.seconds(700))
        case 77..<80: .span(Span(nanoseconds: Int64(random.below(3_000_000_000))))
        case 80..<92: .toDeadline(.zero)
        case 92..<96: .toDeadline(Span(nanoseconds: -1))
        case 96..<98: .toDeadline(Span(nanoseconds: 1))
        default: .toDeadline(.seconds(Int64(random.below(12))))
        }
    }

    static func randomOptions(_ random: inout SplitMix64) -> LaunchOptions {
        let event = random.chance(15) ? PostedEvent(random.pick(wakes), randomInfo(&random)) : nil
        return LaunchOptions(inBackground: random.chance(25), wakingEvent: event, info: randomInfo(&random))
    }

    private static func randomInfo(_ random: inout SplitMix64) -> [Info] {
        random.chance(30) ? [Info("round", "\(random.below(1_000))")] : []
    }

    static func randomNotification(_ random: inout SplitMix64) -> ServiceNotification {
        switch random.below(20) {
        case 0..<6: .alive
        case 6..<11: .ready
        case 11, 12: .stopping
        case 13..<17: .extendTimeout(random.pick([.zero, .seconds(1), .seconds(7), .seconds(60), .infinite]))
        case 17, 18: .watchdogInterval(random.pick([nil, .seconds(2), .seconds(5)]))
        default: random.chance(40) ? .broken : .alive
        }
    }

    private static func randomAction(_ random: inout SplitMix64, app: AppID) -> Action {
        switch random.below(156) {
        case 0..<21: .tick
        case 21..<33: .home(app, stopped: random.chance(15))
        case 33..<42: .open(app)
        case 42..<50: .hello(app, connection: 1 + random.below(3))
        case 50..<53: .disconnect(app, connection: 1 + random.below(3))
        case 53..<66: .acknowledgeOldest(app)
        case 66..<68: .acknowledge(app, sequence: random.below(12))
        case 68..<77: .begin(app, owner: 1 + random.below(2), connection: random.pick([nil, 1, 7]))
        case 77..<82: .end(app, task: 1 + random.below(5))
        case 82..<84: .ownerExited(app, owner: 1 + random.below(2))
        case 84..<89: .confirm(app, isComplete: random.chance(50))
        case 89..<95: .answerTracer(app)
        case 95..<98: .trace(app, random.chance(40))
        case 98..<101: .answerMeasurement(app, bytes: UInt64(random.below(random.chance(10) ? 120 : 100)) << 20)
        case 101..<105: .answerCPUTime(app)
        case 105..<109: .interrupt(app)
        case 109..<112: .dismiss(app)
        case 112..<117: .post(app, name: random.pick(names))
        case 117..<123: .wake(app, name: random.pick(wakes))
        case 123..<129: .notified(app, randomNotification(&random))
        case 129: random.pick([.quit(app), .quit(app), .quit(app), .memoryHit(app)])
        case 130:
            random.pick([
                .leaderExited(app, code: UInt8(random.below(3))), .leaderDied(app, signal: random.pick([1, 9, 15])),
            ])
        case 131..<134: .leaderObeys(app)
        case 134, 135: .stoppedByTerminal(app)
        case 136..<140: .treeGone(app)
        case 148..<152: .keepAlive(app, random.pick([nil, .zero, .seconds(2), .seconds(5), .seconds(600)] as [Span?]))
        case 140..<144: .confirm(app, isComplete: random.chance(50))
        case 152..<156: .expire(app)
        default: .answerTracer(app)
        }
    }

    /// A shorter trace that still fails.
    func shrunk(while fails: (Trace) -> Bool) -> Trace {
        Trace(isPrompt: isPrompt, steps: steps.shrunk { fails(Trace(isPrompt: isPrompt, steps: $0)) })
    }
}
