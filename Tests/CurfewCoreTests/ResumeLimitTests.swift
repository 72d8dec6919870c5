import CurfewCore
import Testing

@Suite("Resumed too often")
struct ResumeLimitTests {
    /// Wakes a suspended plain app and lets its waking time pass.
    private func wakeAndSuspend(_ scenario: Scenario, times: Int) {
        for _ in 0..<times {
            scenario.wake()
            scenario.run(.seconds(1))
        }
    }

    private func suspended(limit: Int? = 3) -> Scenario {
        Scenario.suspended(
            .with {
                $0.wakeLimit = .seconds(1)
                $0.resumeLimit = limit
            })
    }

    @Test("Fifteen times in 300 s by default")
    func standard() {
        let policy = Policy.with { _ in }
        #expect(policy.resumeLimit == 15)
        #expect(policy.resumeWindow == .seconds(300))
    }

    @Test("The sixteenth resumption in 300 s kills, and the request is answered")
    func sixteenth() {
        let scenario = suspended(limit: Policy.defaultResumeLimit)
        wakeAndSuspend(scenario, times: 15)
        #expect(scenario.state() == .suspended)
        #expect(
            scenario.wake(request: 1) == [
                "kill a resumed-too-often in suspended, limit 300s, 16 times", "a suspended -> notRunning",
                "reply 1: notRunning",
            ])
        #expect(scenario.treeGone() == ["ended a exit 137 resumed-too-often"])
    }

    @Test("It isn't resumed for that, and hears nothing")
    func notResumed() {
        let scenario = suspended()
        wakeAndSuspend(scenario, times: 3)
        #expect(!scenario.wake().contains("resume a"))
    }

    @Test("A resumption counts for the window, and no longer")
    func window() {
        let early = suspended()
        wakeAndSuspend(early, times: 3)
        early.after(.seconds(297) - .milliseconds(1))
        #expect(early.wake().first?.hasPrefix("kill a resumed-too-often") == true)
        let late = suspended()
        wakeAndSuspend(late, times: 3)
        late.after(.seconds(297))
        #expect(late.wake().first == "a suspended -> background")
        #expect(late.run(.seconds(1)).last == "a background -> suspended")
    }

    @Test("The window moves on with each resumption")
    func slidingWindow() {
        let scenario = suspended()
        for _ in 0..<20 {
            #expect(scenario.wake().first == "a suspended -> background")
            scenario.run(.seconds(100))
        }
    }

    @Test("An event for an app that runs doesn't count")
    func running() {
        let scenario = suspended()
        scenario.open()
        for _ in 0..<20 { scenario.wake() }
        scenario.home()
        wakeAndSuspend(scenario, times: 3)
        #expect(scenario.state() == .suspended)
    }

    @Test("Several events in one stay count once")
    func oneStay() {
        let scenario = suspended()
        for _ in 0..<3 {
            for _ in 0..<5 { scenario.wake() }
            scenario.run(.seconds(1))
        }
        #expect(scenario.state() == .suspended)
    }

    @Test("Being opened, and a begin that takes a suspension back, don't count")
    func otherResumptions() {
        let scenario = suspended(limit: 0)
        scenario.open()
        scenario.home()
        scenario.begin()
        #expect(scenario.end(1).last == "a background -> suspended")
    }

    @Test("A limit of none: the first resumption kills")
    func none() {
        #expect(suspended(limit: 0).wake().first?.hasSuffix("limit 300s, 1 times") == true)
    }

    @Test("Without a limit it is resumed any number of times")
    func unlimited() {
        let scenario = suspended(limit: nil)
        wakeAndSuspend(scenario, times: 100)
        #expect(scenario.state() == .suspended)
    }

    @Test("The window is divided by the time scale")
    func scaled() {
        #expect(Policy.with { _ in }.scaled(by: 100).resumeWindow == .seconds(3))
    }
}
