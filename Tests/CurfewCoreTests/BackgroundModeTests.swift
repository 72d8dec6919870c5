import CurfewCore
import Testing

private func modes(_ modes: BackgroundMode..., and change: (inout Policy) -> Void = { _ in }) -> Policy {
    .with {
        $0.backgroundModes = BackgroundModes(modes)
        change(&$0)
    }
}

@Suite("Background modes")
struct BackgroundModeTests {
    @Test("A set of them has each once, in their order")
    func set() {
        #expect(BackgroundModes([.fetch, .voip, .fetch]).list == [.voip, .fetch])
        #expect(BackgroundModes([]).list == [])
        #expect(BackgroundModes(BackgroundMode.allCases).list == BackgroundMode.allCases)
        for mode in BackgroundMode.allCases { #expect(BackgroundModes([mode]).list == [mode]) }
    }

    // MARK: What a mode is needed for

    @Test(
        "An event that is for apps of a mode wakes those alone",
        arguments: [
            ("fetch", .fetch), ("remote-notification", .remoteNotification), ("processing", .processing),
            ("refresh", .fetch), ("keepAlive", .voip),
        ] as [(String, BackgroundMode)])
    func wakes(event: String, mode: BackgroundMode) {
        let others = BackgroundMode.allCases.filter { $0 != mode }
        #expect(Policy.with { $0.backgroundModes = BackgroundModes(others) }.missingMode(forWakingEvent: event) == mode)
        #expect(modes(mode).missingMode(forWakingEvent: event) == nil)
        #expect(Policy(profile: .ios4).missingMode(forWakingEvent: event) == nil)
    }

    @Test("Any other event wakes each")
    func others() {
        for event in ["input", "push", "continuous", "voip"] {
            #expect(modes().missingMode(forWakingEvent: event) == nil)
        }
    }

    @Test("Without its mode a waking event is refused, wherever the app is, and counts nothing")
    func refused() {
        let suspended = Scenario.suspended(modes(.voip) { $0.resumeLimit = 0 })
        #expect(suspended.wake(request: 1) == ["reply 1: error no-background-mode"])
        #expect(Scenario(modes()).wake(request: 1) == ["reply 1: error no-background-mode"])
        #expect(Scenario.suspended(modes(.fetch)).wake(request: 1).last == "reply 1: background")
    }

    @Test("Keep-alive is for voip, where modes are named")
    func keepAlive() {
        func asked(_ policy: Policy) -> String? {
            Scenario.aware(policy).send(.app(.a, .keepAlive(.seconds(600), request: RequestID(1)))).last
        }
        #expect(asked(modes(.fetch, .continuous)) == "reply 1: error no-background-mode")
        #expect(asked(modes()) == "reply 1: error no-background-mode")
        #expect(asked(modes(.voip)) == "reply 1: done")
        #expect(asked(Policy(profile: .ios4)) == "reply 1: done")
    }

    @Test("Without the mode nothing can be ended wrongly: no keep-alive is always granted")
    func noKeepAlive() {
        let scenario = Scenario.aware(modes())
        #expect(scenario.send(.app(.a, .keepAlive(nil, request: RequestID(1)))) == ["reply 1: done"])
    }
}

@Suite("Continuous: never suspended, and limited all the same")
struct ContinuousTests {
    private let policy = modes(.continuous)

    @Test("A plain app at home runs on, and nothing is due")
    func plain() {
        let scenario = Scenario(policy)
        #expect(scenario.home(request: 1) == ["a active -> background", "reply 1: background"])
        #expect(scenario.untilWakeUp == nil)
        #expect(scenario.run(.seconds(100_000)).isEmpty)
    }

    @Test("Launched into background it has no grace, for it needs none")
    func launchedInBackground() {
        let scenario = Scenario(modes(.continuous) { $0.grace = .seconds(2) }, inBackground: true)
        #expect(scenario.supervisor.app(.a)?.graceRemaining(at: Moment(scenario.now)) == nil)
        #expect(scenario.untilWakeUp == nil)
        #expect(scenario.supervisor.app(.a)?.state == .background)
    }

    @Test("An aware app runs on once it has acknowledged, and has to do that in time")
    func aware() {
        let scenario = Scenario.aware(policy)
        scenario.home()
        #expect(scenario.ack(4) == ["note a didEnterBackground #4 acknowledged"])
        #expect(scenario.run(.seconds(1_000)).isEmpty)
        let late = Scenario.aware(policy)
        late.home()
        #expect(late.run(.seconds(5)).first?.hasPrefix("kill a scene-update-watchdog") == true)
    }

    @Test("Its budget stands still: no task of it expires")
    func budget() {
        let scenario = Scenario.inBackground(policy, tasks: "play")
        #expect(scenario.run(.seconds(10_000)).isEmpty)
        #expect(scenario.supervisor.app(.a)?.remaining(at: Moment(scenario.now)) == .seconds(600))
        #expect(scenario.begin("more").last == "reply 0: task 2, 600s left")
        scenario.end(1)
        #expect(scenario.end(2) == ["note a task 2 \"more\" ended", "reply 0: task 2 ended"])
    }

    @Test("A waking event is told, and leaves it as it is")
    func woken() {
        let scenario = Scenario(modes(.continuous, .fetch))
        scenario.home()
        #expect(scenario.wake(request: 1) == ["reply 1: background"])
        #expect(scenario.untilWakeUp == nil)
    }

    @Test("It can't be put to sleep, and doesn't fall asleep")
    func sleep() {
        let scenario = Scenario(modes(.continuous) { $0.sleep = .init() })
        #expect(
            scenario.send(.app(.a, .sleep(stays: false, request: RequestID(1)))) == ["reply 1: error never-suspended"])
        scenario.home()
        #expect(
            scenario.send(.app(.a, .sleep(stays: true, request: RequestID(1)))) == ["reply 1: error never-suspended"])
        var idle = SleepPolicy()
        idle.whenIdle = .seconds(10)
        #expect(Scenario(modes(.continuous) { $0.sleep = idle }).untilWakeUp == nil)
    }

    @Test("It doesn't end where others are suspended")
    func exits() {
        let scenario = Scenario.aware(modes(.continuous) { $0.exitsOnSuspend = true })
        #expect(
            scenario.home().suffix(2) == ["a <- willResignActive #3 to 1", "a <- didEnterBackground #4 5s to 1"])
        #expect(scenario.ack(4) == ["note a didEnterBackground #4 acknowledged"])
        #expect(scenario.run(.seconds(1_000)).isEmpty)
    }

    @Test("A time limit, memory and CPU time end it as any other")
    func limited() {
        let timed = Scenario(modes(.continuous) { $0.timeLimit = .seconds(60) })
        timed.home()
        #expect(timed.run(.seconds(60)).first?.hasPrefix("kill a time-limit") == true)
        let large = Scenario(
            modes(.continuous) { $0.memory = MemoryPolicy(fatalLimit: 100, isEnforcedByKernel: false) })
        large.home()
        #expect(large.measured(101).first?.hasPrefix("kill a memory-limit") == true)
        let busy = Scenario(
            modes(.continuous) { $0.backgroundCPU = CPUPolicy(limit: .seconds(48), window: .seconds(60)) })
        busy.cpuTime = nil
        busy.home()
        busy.used(.zero)
        busy.after(.seconds(60))
        #expect(busy.used(.seconds(49)).contains { $0.hasPrefix("kill a cpu-limit") })
    }

    @Test("Memory that runs short ends it as one in background, not as one that is suspended")
    func band() {
        let scenario = Scenario(policy)
        scenario.home()
        scenario.after(.seconds(100))
        #expect(scenario.supervisor.app(.a)?.band(at: Moment(scenario.now)) == .background)
    }

    @Test("Opened and quit it is as any other")
    func openedAndQuit() {
        let scenario = Scenario(policy)
        scenario.home()
        #expect(scenario.open(request: 1) == ["a background -> active", "reply 1: active"])
        scenario.home()
        #expect(scenario.quit().contains("SIGTERM a"))
    }
}
