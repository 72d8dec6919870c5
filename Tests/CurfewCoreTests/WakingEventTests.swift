import CurfewCore
import Testing

/// An event that a suspended app is resumed for, in background.
@Suite("Waking events")
struct WakingEventTests {
    private let short = Policy.with {
        $0.backgroundBudget = .seconds(100)
        $0.wakeLimit = .seconds(30)
    }

    /// Suspended, then woken: owes didEnterBackground (#5) and the event (#6).
    private func woken(_ policy: Policy = Policy(profile: .ios4)) -> Scenario {
        let scenario = Scenario.awareSuspended(policy)
        scenario.wake()
        return scenario
    }

    // MARK: While suspended

    @Test("Continued, didEnterBackground again, then the event with its limit")
    func suspended() {
        #expect(
            Scenario.awareSuspended().wake(request: 1) == [
                "a suspended -> background", "resume a", "a <- didEnterBackground #5 5s to 1",
                "a <- wake fetch #6 30s to 1", "reply 1: background",
            ])
    }

    @Test("Both must be acknowledged")
    func owed() {
        #expect(woken().owed() == ["didEnterBackground", "fetch"])
    }

    @Test("Suspended again when the last of them is acknowledged")
    func handled() {
        let scenario = woken()
        #expect(scenario.ack(5) == ["note a didEnterBackground #5 acknowledged"])
        #expect(scenario.ack(6) == ["note a fetch #6 acknowledged", "suspend a", "a background -> suspended"])
        #expect(scenario.untilDeadline == nil)
    }

    @Test("The order of the acknowledgements doesn't matter")
    func handledFirst() {
        let scenario = woken()
        #expect(scenario.ack(6) == ["note a fetch #6 acknowledged"])
        #expect(scenario.ack(5).last == "a background -> suspended")
    }

    @Test("Not handled within its limit: background-fetch-timeout")
    func late() {
        let scenario = woken()
        scenario.ack(5)
        #expect(scenario.run(.milliseconds(29_999)).isEmpty)
        #expect(
            scenario.run(.milliseconds(1)) == [
                "kill a background-fetch-timeout in background, event fetch, limit 30s, elapsed 30s, CPU 0s",
                "a background -> notRunning",
            ])
        #expect(scenario.treeGone() == ["ended a exit 124 background-fetch-timeout"])
    }

    @Test("The second didEnterBackground has its own watchdog")
    func enterBackgroundLate() {
        let scenario = woken()
        scenario.ack(6)
        #expect(scenario.run(.milliseconds(4_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)).first?.hasPrefix("kill a scene-update-watchdog") == true)
    }

    @Test("What travels with the event is delivered with it")
    func info() {
        #expect(
            Scenario.awareSuspended().wake("push", [Info("id", "7"), Info("from", "ann")]).last
                == "a <- wake push #6 30s id=7 from=ann to 1")
    }

    @Test("Changes kept meanwhile come between didEnterBackground and the event")
    func changes() {
        let scenario = Scenario.awareSuspended()
        scenario.post("locale")
        #expect(
            scenario.wake() == [
                "a suspended -> background", "resume a", "a <- didEnterBackground #5 5s to 1",
                "a <- change locale #6 to 1", "a <- wake fetch #7 30s to 1",
            ])
    }

    @Test("A task begun while it handles the event lets it run on afterwards")
    func task() {
        let scenario = woken()
        scenario.begin()
        scenario.ack(5)
        #expect(scenario.ack(6) == ["note a fetch #6 acknowledged"])
        #expect(scenario.end(1).last == "a background -> suspended")
    }

    @Test("A second event while the first is handled: no third didEnterBackground, and both are owed")
    func second() {
        let scenario = woken()
        scenario.ack(5)
        #expect(scenario.wake("push") == ["a <- wake push #7 30s to 1"])
        #expect(scenario.ack(6) == ["note a fetch #6 acknowledged"])
        #expect(scenario.ack(7).last == "a background -> suspended")
    }

    @Test("Each event has its own time")
    func ownTime() {
        let scenario = woken()
        scenario.ack(5)
        scenario.run(.seconds(20))
        scenario.wake("push")
        scenario.ack(6)
        #expect(scenario.untilDeadline == "30s")
    }

    @Test("A wake takes back a suspension that isn't confirmed yet")
    func unconfirmed() {
        let scenario = Scenario.aware()
        scenario.confirmsSuspensions = false
        scenario.home()
        scenario.ack(4)
        #expect(
            scenario.wake(request: 1) == [
                "resume a", "a <- didEnterBackground #5 5s to 1", "a <- wake fetch #6 30s to 1",
                "reply 1: background",
            ])
        #expect(scenario.send(.app(.a, .suspensionConfirmed)).isEmpty)
        #expect(scenario.state() == .background)
    }

    @Test("A request of home that waits for the suspension is answered when a wake takes it back")
    func unconfirmedPlain() {
        let scenario = Scenario()
        scenario.confirmsSuspensions = false
        scenario.home(request: 1)
        #expect(scenario.wake(request: 2) == ["resume a", "reply 1: background", "reply 2: background"])
    }

    @Test("Its memory is measured again while it runs")
    func memory() {
        let scenario = Scenario.awareSuspended(
            .with { $0.memory = MemoryPolicy(fatalLimit: 1 << 30, isEnforcedByKernel: false) })
        #expect(scenario.wake().last == "measure a")
    }

    @Test("Closing the last connection forgives the event, and it is suspended again")
    func disconnected() {
        #expect(woken().disconnect() == ["note a plain", "suspend a", "a background -> suspended"])
    }

    @Test("A debugger holds its watchdog off")
    func traced() {
        let scenario = woken()
        scenario.ack(5)
        scenario.tracer = true
        #expect(scenario.run(.seconds(30)) == ["note a traced"])
        #expect(scenario.run(.seconds(100)).isEmpty)
        #expect(scenario.owed() == ["fetch"])
    }

    // MARK: The budget

    @Test("A wake doesn't refill the budget, which runs while the app does")
    func budget() {
        let scenario = Scenario.awareInBackground(short)
        scenario.run(.seconds(60))
        scenario.end(1)
        scenario.after(.seconds(1_000)).wake()
        #expect(scenario.remaining() == "40s")
        #expect(scenario.after(.seconds(1)).remaining() == "39s")
    }

    @Test("A wake after the warning gives no second warning's grace: begin is refused")
    func afterWarning() {
        let scenario = Scenario.awareInBackground(short)
        scenario.run(.seconds(95))
        scenario.end(1)
        scenario.wake()
        #expect(scenario.begin() == ["reply 0: error expired"])
    }

    @Test("With nothing left it is woken all the same, without a task")
    func nothingLeft() {
        let scenario = Scenario.awareInBackground(short)
        scenario.run(.seconds(99))
        scenario.end(1)
        scenario.wake()
        #expect(scenario.run(.seconds(4)).isEmpty)
        #expect(scenario.remaining() == "0s")
        scenario.ack(6)
        #expect(scenario.ack(7).last == "a background -> suspended")
    }

    // MARK: While it runs

    @Test("In background: the event with its limit, and no didEnterBackground")
    func inBackground() {
        let scenario = Scenario.awareInBackground()
        #expect(scenario.wake(request: 1) == ["a <- wake fetch #5 30s to 1", "reply 1: background"])
        #expect(scenario.owed() == ["fetch"])
    }

    @Test("In background the event holds the suspension off after the last task")
    func holdsOff() {
        let scenario = Scenario.awareInBackground()
        scenario.wake()
        #expect(scenario.end(1) == ["note a task 1 \"t\" ended", "reply 0: task 1 ended"])
        #expect(scenario.ack(5).last == "a background -> suspended")
    }

    @Test("In the foreground: without a limit, and no acknowledgement is owed")
    func inForeground() {
        let scenario = Scenario.aware()
        #expect(scenario.wake(request: 1) == ["a <- wake fetch #3 to 1", "reply 1: active"])
        #expect(scenario.owed().isEmpty)
        #expect(scenario.untilDeadline == nil)
    }

    @Test("While it is interrupted: as in any foreground")
    func inactive() {
        let scenario = Scenario.aware()
        scenario.interrupt()
        #expect(scenario.wake(request: 1) == ["a <- wake fetch #4 to 1", "reply 1: inactive"])
        #expect(scenario.owed().isEmpty)
    }

    @Test("Opening the app forgives the events it hasn't handled")
    func opened() {
        let scenario = woken()
        scenario.wake("push")
        #expect(scenario.open().last == "a <- didBecomeActive #9 to 1")
        #expect(scenario.owed().isEmpty)
        #expect(scenario.run(.seconds(1_000)).isEmpty)
        #expect(scenario.ack(6) == ["note a unknown ack #6"])
    }

    @Test("An event that came in the foreground isn't owed after home either")
    func homeAfterwards() {
        let scenario = Scenario.aware()
        scenario.wake()
        scenario.home()
        #expect(scenario.owed() == ["didEnterBackground"])
    }

    @Test("An app in background that a terminal has stopped is continued for it")
    func stoppedByTerminal() {
        let scenario = Scenario.awareInBackground()
        scenario.send(.app(.a, .stoppedByTerminal))
        #expect(scenario.wake() == ["resume a", "a <- wake fetch #5 30s to 1"])
    }

    // MARK: Plain apps

    @Test("A plain app runs for the wake limit, and is suspended again")
    func plain() {
        let scenario = Scenario.suspended()
        #expect(scenario.wake(request: 1) == ["a suspended -> background", "resume a", "reply 1: background"])
        #expect(scenario.owed().isEmpty)
        #expect(scenario.run(.milliseconds(29_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)) == ["suspend a", "a background -> suspended"])
    }

    @Test("A plain app with --grace runs for that")
    func plainGrace() {
        let scenario = Scenario(.with { $0.grace = .seconds(3) })
        scenario.home()
        scenario.run(.seconds(3))
        scenario.wake()
        #expect(scenario.run(.milliseconds(2_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)) == ["suspend a", "a background -> suspended"])
    }

    @Test("A second event while a plain app runs in background: the time counts anew")
    func plainAgain() {
        let scenario = Scenario.suspended()
        scenario.wake()
        scenario.run(.seconds(20))
        #expect(scenario.wake().isEmpty)
        #expect(scenario.run(.milliseconds(29_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)) == ["suspend a", "a background -> suspended"])
    }

    @Test("A plain app that runs on a task has the event's time when the task is ended")
    func plainWithTask() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.wake()
        scenario.after(.seconds(10)).end(1)
        #expect(scenario.run(.milliseconds(19_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)) == ["suspend a", "a background -> suspended"])
    }

    @Test("In the foreground a plain app needs no time")
    func plainInForeground() {
        let scenario = Scenario()
        #expect(scenario.wake(request: 1) == ["reply 1: active"])
        #expect(scenario.home().last == "a background -> suspended")
    }

    @Test("While a debugger holds it, a woken plain app's time stands")
    func plainTraced() {
        let scenario = Scenario.suspended()
        scenario.tracer = true
        scenario.wake()
        #expect(scenario.run(.seconds(30)) == ["note a traced"])
        scenario.wake()
        scenario.run(.seconds(100))
        scenario.tracer = false
        #expect(scenario.run(.seconds(1)) == ["note a no longer traced"])
        #expect(scenario.run(.seconds(30)) == ["suspend a", "a background -> suspended"])
    }

    // MARK: Before the hello

    @Test("An event that came before the hello is heard with it, after the launch")
    func beforeHello() {
        let scenario = Scenario.suspended()
        scenario.wake("push", [Info("id", "7")])
        #expect(
            scenario.hello() == [
                "note a aware", "a <- didFinishLaunching #1 20s foreground quietly to 1",
                "a <- didEnterBackground #2 5s quietly to 1", "a <- wake push #3 30s id=7 quietly to 1",
            ])
    }

    @Test("Two events before the hello: both are heard, in order")
    func twoBeforeHello() {
        let scenario = Scenario.suspended()
        scenario.wake("fetch")
        scenario.wake("push")
        #expect(
            scenario.hello().suffix(2) == ["a <- wake fetch #3 30s quietly to 1", "a <- wake push #4 30s quietly to 1"])
        #expect(scenario.owed() == ["didFinishLaunching", "didEnterBackground", "fetch", "push"])
    }

    @Test("Of more than 64 before the hello, the latest 64 are heard")
    func manyBeforeHello() {
        let scenario = Scenario.suspended()
        for number in 0..<65 { #expect(scenario.wake("e\(number)", request: 1).last == "reply 1: background") }
        let lines = scenario.hello()
        #expect(lines.count == 3 + App.maximumWakingEvents)
        #expect(lines[3] == "a <- wake e1 #3 30s quietly to 1")
    }

    @Test("An event is heard at one hello only")
    func heardOnce() {
        let scenario = Scenario.suspended()
        scenario.wake()
        scenario.hello()
        #expect(scenario.hello(connection: 2).isEmpty)
    }

    @Test("An app that has become plain hears the event at its next hello, and is given the time for it")
    func nextHello() {
        let scenario = Scenario.aware()
        scenario.disconnect()
        scenario.home()
        scenario.wake()
        #expect(
            scenario.hello(connection: 2) == [
                "note a aware", "a <- didEnterBackground #3 5s to 2", "a <- wake fetch #4 30s quietly to 2",
            ])
        #expect(scenario.state() == .background)
        scenario.ack(3)
        #expect(scenario.ack(4).last == "a background -> suspended")
    }

    @Test("An event of a plain app that was suspended without a hello is over")
    func unheard() {
        let scenario = Scenario.suspended()
        scenario.wake()
        scenario.run(.seconds(30))
        scenario.open()
        #expect(
            scenario.hello() == [
                "note a aware", "a <- didFinishLaunching #1 20s foreground quietly to 1",
                "a <- didBecomeActive #2 quietly to 1",
            ])
    }

    @Test("A hello sent before the stop, a wake after it: the launch, then the event")
    func helloWhileSuspended() {
        let scenario = Scenario.suspended()
        scenario.hello()
        #expect(
            scenario.wake() == [
                "a suspended -> background", "resume a", "a <- didFinishLaunching #1 20s foreground quietly to 1",
                "a <- didEnterBackground #2 5s quietly to 1", "a <- wake fetch #3 30s quietly to 1",
            ])
    }

    // MARK: What is refused

    @Test("With 64 unhandled, one more is refused")
    func tooMany() {
        let scenario = Scenario.awareInBackground()
        for _ in 0..<63 { scenario.wake() }
        #expect(scenario.wake(request: 64).last == "reply 64: background")
        #expect(scenario.wake(request: 65) == ["reply 65: error too-many-events"])
        scenario.ack(5)
        #expect(scenario.wake(request: 66) == ["a <- wake fetch #69 30s to 1", "reply 66: background"])
    }

    @Test("Other unacknowledged events don't count among the 64")
    func othersDontCount() {
        let scenario = woken()
        for _ in 0..<62 { scenario.wake() }
        #expect(scenario.owed().count == 64)
        #expect(scenario.wake(request: 1).last == "reply 1: background")
        #expect(scenario.wake(request: 2) == ["reply 2: error too-many-events"])
    }

    @Test("Before its program runs: not-running")
    func notRunning() {
        let scenario = Scenario.empty()
        scenario.send(.app(.a, .launch(Policy(profile: .ios4), LaunchOptions())))
        #expect(scenario.wake(request: 1) == ["reply 1: error not-running"])
        #expect(scenario.wake().isEmpty)
    }

    @Test("While it is being ended: terminating")
    func terminating() {
        let scenario = Scenario.aware()
        scenario.quit()
        #expect(scenario.wake(request: 1) == ["reply 1: error terminating"])
    }

    @Test("After its leader has ended: what is left of it is being ended too")
    func leaderGone() {
        let scenario = Scenario.aware()
        scenario.leaderExits(0)
        #expect(scenario.wake(request: 1) == ["reply 1: error terminating"])
    }
}
