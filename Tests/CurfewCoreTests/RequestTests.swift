import CurfewCore
import Testing

@Suite("What an app was woken for since it asked for it")
struct RequestTests {
    private let policy = Policy.with {
        $0.wakeLimit = .seconds(30)
        $0.processingLimit = .seconds(600)
    }

    /// Suspended, then woken for it: owes didEnterBackground (#5), acknowledged, and the event (#6).
    private func woken(_ name: String = "processing") -> Scenario {
        let scenario = Scenario.awareSuspended(policy)
        scenario.wake(name, [Info("request", "index")])
        scenario.ack(5)
        return scenario
    }

    private func isOnRequest(_ scenario: Scenario) -> Bool { scenario.supervisor.app(.a)?.isOnRequest == true }

    @Test("Processing has its own limit, a refresh that of any waking event")
    func limits() {
        let scenario = Scenario.awareSuspended(policy)
        #expect(scenario.wake("processing").last == "a <- wake processing #6 600s to 1")
        let refreshed = Scenario.awareSuspended(policy)
        #expect(refreshed.wake("refresh").last == "a <- wake refresh #6 30s to 1")
    }

    @Test("Warned before its time is over, it is killed unless it answers")
    func warned() {
        let scenario = woken()
        #expect(scenario.run(.milliseconds(594_999)).isEmpty)
        #expect(
            scenario.run(.milliseconds(1)) == ["a <- change taskWillExpire #7 5s event=processing seq=6 to 1"])
        #expect(scenario.run(.milliseconds(4_999)).isEmpty)
        #expect(
            scenario.run(.milliseconds(1)).first
                == "kill a background-fetch-timeout in background, event processing, limit 600s, elapsed 600s, CPU 0s")
    }

    @Test("A fetch isn't warned")
    func fetch() {
        let scenario = woken("fetch")
        #expect(scenario.run(.milliseconds(29_999)).isEmpty)
        #expect(!isOnRequest(scenario))
    }

    @Test("Answered in time it is suspended, whatever it was warned of")
    func answered() {
        let scenario = woken("refresh")
        #expect(isOnRequest(scenario))
        scenario.run(.seconds(26))
        #expect(scenario.ack(6).last == "a background -> suspended")
        #expect(!isOnRequest(scenario))
        #expect(scenario.untilDeadline == nil)
    }

    @Test("Expired early it has the warning's lead, and no more, however often that is said")
    func expired() {
        let scenario = woken()
        scenario.run(.seconds(10))
        let told = "a <- change taskWillExpire #7 5s event=processing seq=6 to 1"
        #expect(scenario.send(.app(.a, .expire)) == [told])
        scenario.run(.seconds(1))
        #expect(scenario.send(.app(.a, .expire)).isEmpty)
        #expect(scenario.run(.milliseconds(3_999)).isEmpty)
        #expect(
            scenario.run(.milliseconds(1)).first
                == "kill a background-fetch-timeout in background, event processing, limit 15s, elapsed 15s, CPU 0s")
    }

    @Test("More time can be had for it until it is warned, and none any more then", arguments: [false, true])
    func extended(isEarly: Bool) {
        let scenario = woken()
        scenario.run(.seconds(590))
        #expect(scenario.notify(.extendTimeout(.seconds(60))) == ["note a timeouts extended to 60s"])
        let told = "a <- change taskWillExpire #7 5s event=processing seq=6 to 1"
        let warned = isEarly ? scenario.send(.app(.a, .expire)) : scenario.run(.seconds(55))
        #expect(warned == [told])
        scenario.run(.seconds(1))
        #expect(scenario.notify(.extendTimeout(.seconds(60))) == ["note a nothing to extend"])
        #expect(scenario.notify(.extendTimeout(.infinite)) == ["note a nothing to extend"])
        #expect(scenario.run(.milliseconds(3_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)).first?.hasPrefix("kill a background-fetch-timeout") == true)
    }

    @Test("What else it owes when one has expired can have more time")
    func extendedBeside() {
        let scenario = woken()
        scenario.wake("fetch")
        scenario.send(.app(.a, .expire))
        #expect(scenario.notify(.extendTimeout(.seconds(60))) == ["note a timeouts extended to 60s"])
        #expect(scenario.untilDeadline == "5s")
        scenario.ack(6)
        #expect(scenario.untilDeadline == "60s")
    }

    @Test("With no limit it has the lead all the same")
    func unlimited() {
        let scenario = Scenario.awareSuspended(.with { $0.processingLimit = .infinite })
        scenario.wake("processing")
        scenario.ack(5)
        #expect(scenario.untilDeadline == nil)
        scenario.send(.app(.a, .expire))
        #expect(scenario.run(.seconds(5)).first?.hasPrefix("kill a background-fetch-timeout") == true)
    }

    @Test("Nobody who doesn't work on one is concerned", arguments: [false, true])
    func unconcerned(isInFront: Bool) {
        let scenario = isInFront ? Scenario.aware(policy) : woken("fetch")
        if isInFront { scenario.wake("processing") }
        #expect(!isOnRequest(scenario))
        #expect(scenario.send(.app(.a, .expire)).isEmpty)
    }

    @Test("Opened meanwhile it owes nothing, and isn't warned")
    func opened() {
        let scenario = woken()
        scenario.open()
        #expect(!isOnRequest(scenario))
        #expect(scenario.untilDeadline == nil)
    }

    @Test("What a terminal has stopped is continued to hear of it, whether that is said or time tells")
    func stoppedByTerminal() {
        let told = ["resume a", "a <- change taskWillExpire #7 5s event=processing seq=6 to 1"]
        let scenario = woken()
        scenario.stoppedByTerminal()
        #expect(scenario.send(.app(.a, .expire)) == told)
        let left = woken()
        left.stoppedByTerminal()
        #expect(left.run(.seconds(595)) == told)
    }

    @Test("A debugger holds off both")
    func traced() {
        let scenario = woken()
        scenario.tracer = true
        let lines = scenario.run(.seconds(700))
        #expect(!lines.contains { $0.contains("taskWillExpire") || $0.hasPrefix("kill") })
    }

    @Test("A plain app runs for its limit, whatever its grace, and is stopped at the lead once it is expired")
    func plain() {
        let scenario = Scenario.suspended(
            .with {
                $0.grace = .seconds(3)
                $0.processingLimit = .seconds(600)
            })
        scenario.wake("processing")
        #expect(isOnRequest(scenario))
        #expect(scenario.run(.seconds(100)).isEmpty)
        #expect(scenario.send(.app(.a, .expire)).isEmpty)
        #expect(scenario.run(.milliseconds(4_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)) == ["suspend a", "a background -> suspended"])
        #expect(!isOnRequest(scenario))
        #expect(scenario.wake("fetch").isEmpty == false)
        #expect(scenario.run(.seconds(3)).last == "a background -> suspended")
    }

    @Test("Launched for it, it works on it from the start")
    func launched() {
        let scenario = Scenario.empty()
        let options = LaunchOptions(wakingEvent: PostedEvent("processing"))
        scenario.send(.app(.a, .launch(policy, options)))
        #expect(isOnRequest(scenario))
        scenario.send(.app(.a, .started))
        #expect(isOnRequest(scenario))
        scenario.hello()
        #expect(scenario.supervisor.app(.a)?.unacknowledgedEvents.map(\.name).last == "processing")
        #expect(isOnRequest(scenario))
        scenario.quit()
        #expect(!isOnRequest(scenario))
    }
}
