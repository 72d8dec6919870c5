import CurfewCore
import CurfewEngine
import Testing

@Suite("The engine performs in order")
struct EngineOrderTests {
    @Test("A launch is recorded, then told")
    func launch() {
        let scenario = EngineScenario()
        scenario.engine.launch(.a, Policy(profile: .ios4))
        #expect(scenario.journal.take() == [])
        #expect(scenario.engine.nextDeadline == nil)
        #expect(scenario.feed(.app(.a, .started)) == ["record a state active", "state a notRunning to active"])
    }

    @Test("Home of a plain app: told, checked for a debugger, stopped, confirmed, answered")
    func homeOfPlainApp() {
        let scenario = EngineScenario.running(.with { $0.locks = .ignore })
        #expect(
            scenario.home(request: 7) == [
                "record a state background", "state a active to background", "traced? a: no", "suspend a",
                "record a state suspended", "state a background to suspended", "reply 7 state suspended",
            ])
        #expect(scenario.engine.core.app(.a)?.state == .suspended)
        #expect(scenario.engine.nextDeadline == nil)
    }

    @Test("Home of an aware app: events first, the stop once it has acknowledged")
    func homeOfAwareApp() {
        let scenario = EngineScenario.running()
        #expect(
            scenario.feed(.app(.a, .hello(ConnectionID(1)))) == [
                "record a note becameAware",
                "record a delivered didFinishLaunching #1", "deliver a didFinishLaunching #1",
                "record a delivered didBecomeActive #2", "deliver a didBecomeActive #2",
            ])
        scenario.feed(.app(.a, .acknowledge(sequence: 1)))
        #expect(
            scenario.home() == [
                "record a state background", "state a active to background",
                "record a delivered willResignActive #3", "deliver a willResignActive #3",
                "record a delivered didEnterBackground #4", "deliver a didEnterBackground #4", "traced? a: no",
            ])
        #expect(scenario.untilKill == .seconds(5))
        #expect(
            scenario.feed(.app(.a, .acknowledge(sequence: 4))) == [
                "record a note acknowledged(CurfewCore.Event.lifecycle(CurfewCore.LifecycleEvent.didEnterBackground), sequence: 4)",
                "traced? a: no", "suspend a", "record a state suspended", "state a background to suspended",
            ])
    }

    @Test("A footprint measured over the limit kills; the measure comes back as an input")
    func footprint() {
        let scenario = EngineScenario()
        scenario.kernel[.a].footprints = [100, 2_000_001]
        let policy = Policy.with { $0.memory = MemoryPolicy(fatalLimit: 2_000_000, isEnforcedByKernel: false) }
        let lines = scenario.start(.a, policy)
        #expect(lines.last == "footprint a limit 1600000: 100")
        #expect(scenario.untilDeadline == .milliseconds(1))
        #expect(
            scenario.pass(.milliseconds(1)) == [
                "footprint a limit 1600000: 2000001", "will end a", "will signal a 9", "SIGKILL a",
                "record a killing memory-limit",
                "record a state notRunning", "state a active to notRunning",
            ])
    }

    @Test("The kernel's footprint below the limit keeps the app alive and is asked for again")
    func footprintBelowLimit() {
        let scenario = EngineScenario()
        scenario.kernel[.a].footprints = [1]
        scenario.start(.a, .with { $0.memory = MemoryPolicy(fatalLimit: 1 << 40, isEnforcedByKernel: false) })
        #expect(scenario.pass(.seconds(1)) == Array(repeating: "footprint a limit 1099406770176: 1", count: 4))
    }

    @Test("A debugger holds the stop off, is looked for each second, and the stop comes when it has gone")
    func debugger() {
        let scenario = EngineScenario.running()
        scenario.kernel[.a].isTraced = true
        #expect(
            scenario.home(request: 1).suffix(3) == [
                "traced? a: yes", "record a note traced(true)", "reply 1 state background",
            ])
        #expect(scenario.untilDeadline == .seconds(1))
        #expect(scenario.pass(.seconds(2)) == ["traced? a: yes", "traced? a: yes"])
        scenario.kernel[.a].isTraced = false
        #expect(
            scenario.pass(.seconds(1)) == [
                "traced? a: no", "record a note traced(false)", "suspend a", "record a state suspended",
                "state a background to suspended",
            ])
    }

    @Test("A task's budget: the warning, then the kill that names it, each on the dot")
    func budget() {
        let scenario = EngineScenario.running()
        scenario.feed(
            .app(.a, .beginTask(name: "upload", owner: OwnerID(1), connection: ConnectionID(9), request: RequestID(1))))
        scenario.home()
        #expect(scenario.pass(.seconds(594)) == [])
        #expect(
            scenario.pass(.seconds(1)) == [
                "traced? a: no", "record a note expirationWarning([CurfewCore.TaskID(rawValue: 1)])",
                "record a delivered backgroundTaskWillExpire #1", "deliver a backgroundTaskWillExpire #1",
            ])
        #expect(
            scenario.pass(.seconds(5)).only("SIGKILL", "record a killing") == [
                "SIGKILL a", "record a killing background-task-timeout",
            ])
    }

    @Test("A wake-up that comes far too late warns, and kills only after the grace owed")
    func lateWakeUp() {
        let scenario = EngineScenario.running()
        scenario.feed(.app(.a, .beginTask(name: "t", owner: OwnerID(1), connection: nil, request: RequestID(1))))
        scenario.home()
        #expect(scenario.oversleep(.seconds(10_000)).only("SIGKILL") == [])
        #expect(scenario.untilKill == .seconds(5))
        #expect(scenario.oversleep(.seconds(5)).only("SIGKILL") == ["SIGKILL a"])
    }

    @Test("A wake-up before anything is due does nothing")
    func earlyWakeUp() {
        let scenario = EngineScenario.running(.with { $0.timeLimit = .seconds(10) })
        #expect(scenario.oversleep(.milliseconds(9_999)) == [])
        #expect(scenario.oversleep(.milliseconds(1)).only("SIGKILL") == ["SIGKILL a"])
    }

    @Test("Quit of a plain app: SIGTERM, and SIGKILL when its limit is over")
    func quit() {
        let scenario = EngineScenario.running()
        #expect(
            scenario.feed(.app(.a, .quit(request: RequestID(1)))) == [
                "will signal a 15", "signal 15 a", "reply 1 state active",
            ])
        #expect(
            scenario.pass(.seconds(5)).only("SIGKILL", "record a killing") == [
                "SIGKILL a", "record a killing process-exit-watchdog",
            ])
    }

    @Test("An unknown app, an ended task, a stale acknowledgement: answered or ignored, never a trap")
    func nonsense() {
        let scenario = EngineScenario.running()
        #expect(scenario.feed(.app(.c, .home(stopped: true, request: nil))) == [])
        #expect(scenario.feed(.app(.c, .treeGone)) == [])
        #expect(scenario.feed(.app(.a, .suspensionConfirmed)) == [])
        #expect(
            scenario.feed(.app(.a, .acknowledge(sequence: 9))) == ["record a note unknownAcknowledgement(sequence: 9)"])
        #expect(
            scenario.feed(.app(.a, .endTask(TaskID(4), request: RequestID(2)))) == [
                "record a note unknownTaskEnded(CurfewCore.TaskID(rawValue: 4))", "reply 2 ended 4 unknown",
            ])
    }
}

@Suite("Two apps in one engine")
struct TwoAppsTests {
    @Test("Opening one sends the other home first, and stops it")
    func openSendsOtherHome() {
        let scenario = EngineScenario.running()
        #expect(
            scenario.start(.b) == [
                "record a state background", "state a active to background", "traced? a: no",
                "record b state active", "state b notRunning to active", "suspend a", "record a state suspended",
                "state a background to suspended",
            ])
        #expect(scenario.engine.core.foregroundApp == .b)
    }

    @Test("Both unconfirmed at once: each is looked at in its own time")
    func bothUnconfirmed() {
        let scenario = EngineScenario()
        scenario.kernel[.a].stops = .after(3)
        scenario.kernel[.b].stops = .never
        scenario.start(.a)
        scenario.start(.b)
        scenario.pass(.milliseconds(2))
        scenario.home(.b)
        let lines = scenario.pass(.milliseconds(300))
        #expect(lines.filter { $0 == "state a background to suspended" }.count == 1)
        #expect(lines.filter { $0 == "stopped? a: no" }.count == 2)
        #expect(lines.filter { $0 == "stopped? b: no" }.count == 40)
        #expect(lines.last == "record b note suspensionIncomplete")
        #expect(scenario.engine.core.apps.map(\.state) == [.suspended, .suspended])
        #expect(scenario.untilDeadline == .milliseconds(100))
    }

    @Test("The end of one leaves the other as it was")
    func oneEnds() {
        let scenario = EngineScenario.running()
        scenario.start(.b)
        scenario.kernel[.b].isAlive = false
        #expect(scenario.leaderExits(.b, code: 3).last == "ended b exit(3)")
        #expect(scenario.engine.core.app(.a)?.state == .suspended)
        #expect(scenario.open().contains("resume a"))
        #expect(scenario.host.endings.map(\.app) == [.b])
    }

    @Test("The next deadline is the soonest of the core's and every app's own")
    func nextDeadline() {
        let scenario = EngineScenario()
        scenario.start(.a, .with { $0.timeLimit = .milliseconds(1_003) })
        #expect(scenario.untilDeadline == .milliseconds(1_003))
        scenario.kernel[.a].stops = .never
        scenario.home()
        #expect(scenario.untilDeadline == .milliseconds(5))
        scenario.start(.b, .with { $0.timeLimit = .milliseconds(3) })
        #expect(scenario.untilDeadline == .milliseconds(3))
        scenario.kernel[.b].dies = .never
        scenario.pass(.milliseconds(3))
        #expect(scenario.untilDeadline == .milliseconds(1))
        scenario.kernel[.b].isAlive = false
        scenario.childrenChange()
        #expect(scenario.untilDeadline == .milliseconds(2))
        scenario.pass(.milliseconds(250))
        #expect(scenario.untilDeadline == .milliseconds(147))
        scenario.open(.a)
        #expect(scenario.untilDeadline == .milliseconds(750))
    }
}
