import CurfewCore
import Testing

/// Rule 9: a traced app is neither suspended nor killed by a watchdog, and its clocks stand.
@Suite("A debugger outside the tree")
struct TracerTests {
    /// An app in whose way a debugger stands from now on, until `scenario.tracer` is set to false.
    private func traced(_ scenario: Scenario) -> Scenario {
        scenario.tracer = true
        return scenario
    }

    @Test("In front nobody looks; a tracer is looked for before a suspension")
    func lookedFor() {
        let scenario = Scenario()
        scenario.tracer = nil
        #expect(scenario.run(.seconds(100)).isEmpty)
        #expect(scenario.home(request: 1) == ["a active -> background", "check tracer a"])
        #expect(scenario.tick().isEmpty)
        #expect(
            scenario.send(.app(.a, .tracerChecked(isTraced: false))) == [
                "suspend a", "a background -> suspended", "reply 1: suspended",
            ])
        #expect(scenario.untilDeadline == nil)
    }

    @Test("One that was there before home is seen at the edge: nothing of the budget is spent")
    func seenAtTheEdge() {
        let scenario = traced(Scenario())
        scenario.begin()
        #expect(scenario.home() == ["a active -> background", "note a traced"])
        #expect(scenario.run(.seconds(30)).isEmpty)
        #expect(scenario.remaining() == "600s")
    }

    @Test("One that comes while the budget runs is seen within a second")
    func seenWithinASecond() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.run(.milliseconds(2_500))
        scenario.tracer = true
        #expect(scenario.run(.seconds(1)) == ["note a traced"])
        #expect(scenario.remaining() == "597s")
        scenario.tracer = false
        #expect(scenario.run(.seconds(1)) == ["note a no longer traced"])
        #expect(scenario.remaining() == "596.5s")
    }

    @Test("In front one is looked for each second while a launch, an answer or an end is waited for")
    func seenWhileOwed() {
        let launching = Scenario(.with { $0.requiresHello = true })
        let answering = Scenario()
        answering.hello()
        let ending = Scenario()
        ending.quit()
        for scenario in [launching, answering, ending] {
            #expect(scenario.untilWakeUp == "1s")
            scenario.run(.seconds(2))
            scenario.tracer = true
            #expect(scenario.run(.seconds(1)) == ["note a traced"])
            #expect(scenario.run(.seconds(100)).isEmpty)
        }
    }

    @Test("Where nothing runs down nobody looks")
    func idle() {
        #expect(Scenario().untilWakeUp == nil)
        #expect(Scenario.aware().untilWakeUp == nil)
        #expect(Scenario.suspended().untilWakeUp == nil)
        let policy = Policy.with {
            $0.backgroundBudget = .infinite
            $0.backgroundCPU = nil
        }
        #expect(Scenario.inBackground(policy, tasks: "one").untilWakeUp == nil)
    }

    @Test("A tracer is looked for before the warning, and again before the kill")
    func lookedForBeforeWarning() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.run(.milliseconds(594_500))
        scenario.tracer = nil
        #expect(scenario.run(.milliseconds(500)) == ["check tracer a"])
        #expect(scenario.send(.app(.a, .tracerChecked(isTraced: false))) == ["note a warned tasks 1"])
        scenario.tracer = false
        scenario.run(.milliseconds(4_500))
        scenario.tracer = nil
        #expect(scenario.run(.milliseconds(500)) == ["check tracer a"])
        #expect(scenario.send(.app(.a, .tracerChecked(isTraced: false))).last == "a background -> notRunning")
    }

    @Test("While the answer is awaited nothing is armed")
    func awaited() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.tracer = nil
        scenario.run(.seconds(595))
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.after(.seconds(100)).tick().isEmpty)
    }

    @Test("A traced app isn't suspended; home is answered with background")
    func notSuspended() {
        let scenario = traced(Scenario())
        #expect(scenario.home(request: 1) == ["a active -> background", "note a traced", "reply 1: background"])
        #expect(scenario.supervisor.app(.a)?.isTraced == true)
        #expect(scenario.run(.seconds(100)).isEmpty)
        #expect(scenario.state() == .background)
    }

    @Test("Once it is detached the app is suspended")
    func detached() {
        let scenario = traced(Scenario())
        scenario.home()
        scenario.run(.seconds(100))
        scenario.tracer = false
        #expect(
            scenario.run(.seconds(1)) == ["note a no longer traced", "suspend a", "a background -> suspended"])
    }

    @Test("While a debugger is there, it is looked for each second")
    func interval() {
        let scenario = traced(Scenario())
        scenario.home()
        #expect(scenario.untilWakeUp == "1s")
        scenario.tracer = nil
        #expect(scenario.run(.seconds(10)) == ["check tracer a"])
    }

    @Test("A traced app's budget stands: no warning, and what was left is left")
    func budgetStands() {
        let scenario = traced(Scenario.inBackground(tasks: "one"))
        #expect(scenario.run(.seconds(595)) == ["note a traced"])
        #expect(scenario.remaining() == "599s")
        #expect(scenario.run(.seconds(1_000)).isEmpty)
        #expect(scenario.remaining() == "599s")
        scenario.tracer = false
        #expect(scenario.run(.seconds(1)) == ["note a no longer traced"])
        #expect(scenario.run(.seconds(594)) == ["note a warned tasks 1"])
        #expect(scenario.run(.milliseconds(4_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)).last == "a background -> notRunning")
    }

    @Test("Traced after the warning: the grace stands too")
    func graceStands() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.run(.seconds(595))
        scenario.tracer = true
        #expect(scenario.run(.seconds(5)) == ["note a traced"])
        scenario.run(.seconds(50))
        scenario.tracer = false
        #expect(scenario.run(.seconds(1)) == ["note a no longer traced"])
        #expect(scenario.run(.milliseconds(3_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)).last == "a background -> notRunning")
    }

    @Test("A traced app that doesn't acknowledge didEnterBackground isn't killed, until detached")
    func acknowledgementHeldOff() {
        let scenario = traced(Scenario.aware())
        #expect(scenario.home().last == "note a traced")
        #expect(scenario.run(.seconds(100)).isEmpty)
        scenario.tracer = false
        #expect(scenario.run(.seconds(1)) == ["note a no longer traced"])
        #expect(
            scenario.run(.seconds(5)) == [
                "kill a scene-update-watchdog in background, event didEnterBackground, limit 5s, elapsed 5s, CPU 0s",
                "a background -> notRunning",
            ])
    }

    @Test("A traced app's launch watchdog is held off")
    func launchHeldOff() {
        let scenario = traced(Scenario(.with { $0.requiresHello = true }))
        #expect(scenario.run(.seconds(60)) == ["note a traced"])
        #expect(scenario.state() == .active)
    }

    @Test("A traced app that was asked to end isn't killed by the exit watchdog")
    func exitHeldOff() {
        let scenario = traced(Scenario())
        scenario.quit()
        #expect(scenario.run(.seconds(60)) == ["note a traced"])
        scenario.tracer = false
        #expect(scenario.run(.seconds(1)) == ["note a no longer traced"])
        #expect(scenario.run(.seconds(4)).contains("a active -> notRunning"))
    }

    @Test("What begins while traced runs from the detachment")
    func startsTraced() {
        let scenario = traced(Scenario.aware())
        scenario.home()
        scenario.run(.seconds(5))
        scenario.open()
        scenario.home()
        scenario.tracer = false
        #expect(scenario.run(.seconds(1)) == ["note a no longer traced"])
        #expect(scenario.run(.milliseconds(4_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)).last == "a background -> notRunning")
    }

    @Test("A traced plain app's grace stands")
    func plainGraceStands() {
        let scenario = traced(Scenario(.with { $0.grace = .seconds(3) }))
        #expect(scenario.home() == ["a active -> background", "note a traced"])
        #expect(scenario.run(.seconds(60)).isEmpty)
        scenario.open()
        scenario.home()
        scenario.tracer = false
        #expect(scenario.run(.seconds(1)) == ["note a no longer traced"])
        #expect(scenario.run(.seconds(3)).first == "suspend a")
    }

    @Test("The last end of a traced app doesn't suspend it")
    func lastEnd() {
        let scenario = traced(Scenario.inBackground(tasks: "one"))
        #expect(scenario.end(1) == ["note a task 1 \"one\" ended", "reply 0: task 1 ended", "note a traced"])
        #expect(scenario.state() == .background)
    }

    @Test("Time limits still kill")
    func timeLimit() {
        let scenario = traced(Scenario(.with { $0.timeLimit = .seconds(60) }))
        scenario.home()
        #expect(scenario.run(.seconds(60)).first == "kill a time-limit in background, limit 60s, elapsed 60s")
    }

    @Test("Time limits still kill while the answer is awaited")
    func timeLimitAwaited() {
        let scenario = Scenario(.with { $0.timeLimit = .seconds(60) })
        scenario.tracer = nil
        scenario.home()
        #expect(scenario.untilDeadline == "60s")
        #expect(scenario.run(.seconds(60)).count == 2)
    }

    @Test("Memory limits still kill")
    func memoryLimit() {
        let memory = MemoryPolicy(fatalLimit: 100, isEnforcedByKernel: false)
        let scenario = traced(Scenario(.with { $0.memory = memory }))
        scenario.home()
        #expect(scenario.measured(101).last == "a background -> notRunning")
    }

    @Test("Memory is measured while the answer is awaited, and while traced")
    func measuredAwaited() {
        let memory = MemoryPolicy(fatalLimit: 100, isEnforcedByKernel: false)
        let scenario = Scenario(.with { $0.memory = memory })
        scenario.tracer = nil
        scenario.home()
        scenario.measured(90)
        #expect(scenario.run(.milliseconds(1)) == ["measure a"])
        scenario.send(.app(.a, .tracerChecked(isTraced: true)))
        scenario.measured(90)
        #expect(scenario.run(.milliseconds(1)) == ["measure a"])
    }

    @Test("Keep-alive is told while the answer is awaited, however long the warning is held off")
    func keepAliveAwaited() {
        let scenario = Scenario.awareInBackground()
        scenario.send(.app(.a, .keepAlive(.seconds(600), request: RequestID(9))))
        scenario.run(.seconds(594))
        scenario.tracer = nil
        #expect(scenario.run(.seconds(5)) == ["check tracer a"])
        #expect(scenario.run(.seconds(1)) == ["a <- wake keepAlive #5 30s to 1"])
    }

    @Test("An answer that comes after the open changes nothing but what is known")
    func answerAfterOpen() {
        let scenario = Scenario()
        scenario.tracer = nil
        scenario.home(request: 1)
        #expect(scenario.open() == ["a background -> active", "reply 1: active"])
        #expect(scenario.send(.app(.a, .tracerChecked(isTraced: false))).isEmpty)
        #expect(scenario.state() == .active)
    }

    @Test("An answer that comes after the kill changes nothing")
    func answerAfterKill() {
        let scenario = Scenario(.with { $0.timeLimit = .seconds(1) })
        scenario.tracer = nil
        scenario.home()
        scenario.run(.seconds(1))
        #expect(scenario.send(.app(.a, .tracerChecked(isTraced: true))).isEmpty)
    }
}
