import CurfewCore
import Testing

@Suite("Page-out of suspended apps")
struct PageOutTests {
    private let policy = Policy.with { $0.pageOut = PageOutPolicy(delay: .seconds(10), threshold: 8 << 20) }

    @Test("Suspended for a while, an app's memory is moved to swap, once")
    func once() {
        let scenario = Scenario.suspended(policy)
        #expect(scenario.untilDeadline == "10s")
        #expect(scenario.run(.milliseconds(9_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)) == ["page out a from 8M"])
        #expect(scenario.untilDeadline == nil)
    }

    @Test("Where none is asked for, a suspended app costs no deadline")
    func notAskedFor() {
        #expect(Scenario.suspended().untilDeadline == nil)
    }

    @Test("The time counts from the confirmation")
    func fromConfirmation() {
        let scenario = Scenario(policy)
        scenario.confirmsSuspensions = false
        scenario.home()
        #expect(scenario.run(.seconds(30)).isEmpty)
        scenario.send(.app(.a, .suspensionConfirmed))
        #expect(scenario.untilDeadline == "10s")
    }

    @Test("A suspension that is incomplete counts too")
    func incomplete() {
        let scenario = Scenario(policy)
        scenario.confirmsSuspensions = false
        scenario.home()
        scenario.send(.app(.a, .suspensionIncomplete))
        #expect(scenario.run(.seconds(10)) == ["page out a from 8M"])
    }

    @Test("With no delay it comes with the next tick")
    func atOnce() {
        let scenario = Scenario.suspended(.with { $0.pageOut = PageOutPolicy(delay: .zero) })
        #expect(scenario.untilDeadline == "0s")
        #expect(scenario.tick() == ["page out a from 8M"])
        #expect(scenario.tick().isEmpty)
    }

    @Test("Opened before: no page-out, and the whole delay after the next suspension")
    func opened() {
        let scenario = Scenario.suspended(policy)
        scenario.run(.seconds(9))
        scenario.open()
        #expect(scenario.run(.seconds(30)).isEmpty)
        scenario.home()
        #expect(scenario.untilDeadline == "10s")
    }

    @Test("Woken before: no page-out while it runs")
    func woken() {
        let scenario = Scenario.suspended(policy)
        scenario.run(.seconds(9))
        scenario.wake()
        #expect(scenario.run(.seconds(29)).isEmpty)
        #expect(scenario.run(.seconds(1)) == ["suspend a", "a background -> suspended"])
        #expect(scenario.run(.seconds(10)) == ["page out a from 8M"])
    }

    @Test("Ended before: nothing is armed")
    func ended() {
        let scenario = Scenario.suspended(policy)
        scenario.quit()
        #expect(scenario.untilDeadline == nil)
    }

    @Test("What it needs to end it gets without a page-out")
    func endedWoken() {
        let scenario = Scenario.suspended(
            .with {
                $0.pageOut = PageOutPolicy(delay: .seconds(1))
                $0.terminateSuspended = .wake
            })
        scenario.quit()
        #expect(scenario.run(.seconds(4)).isEmpty)
    }

    @Test("The delay is divided by the time scale")
    func scaled() {
        #expect(policy.scaled(by: 10).pageOut == PageOutPolicy(delay: .seconds(1), threshold: 8 << 20))
        #expect(Policy.with { _ in }.scaled(by: 10).pageOut == nil)
    }

    // MARK: Asleep

    private func sleeper(_ change: (inout SleepPolicy) -> Void = { _ in }) -> Scenario {
        var sleep = SleepPolicy()
        sleep.wakesForInput = true
        change(&sleep)
        let scenario = Scenario(
            .with {
                $0.sleep = sleep
                $0.pageOut = PageOutPolicy(delay: .seconds(10), threshold: 8 << 20)
            })
        scenario.send(.app(.a, .sleep(stays: false, request: nil)))
        return scenario
    }

    private static let news = InputNews(kind: "connection", text: "a connection to :6379", to: ":6379")

    @Test("Asleep in front, its memory goes too; the time counts from when its input is waited for")
    func asleep() {
        let scenario = sleeper()
        #expect(scenario.run(.seconds(30)).isEmpty)
        scenario.send(.app(.a, .inputWatched(obstacle: nil)))
        #expect(scenario.untilDeadline == "10s")
        #expect(scenario.run(.seconds(10)) == ["page out a from 8M"])
        scenario.send(.app(.a, .pageOutPending))
        #expect(scenario.run(.milliseconds(1)) == ["page out more of a"])
    }

    @Test("So it does at home, where input wakes it")
    func atHome() {
        let scenario = sleeper()
        scenario.send(.app(.a, .inputWatched(obstacle: nil)))
        scenario.home()
        #expect(scenario.run(.seconds(30)).isEmpty)
        scenario.send(.app(.a, .inputWatched(obstacle: nil)))
        #expect(scenario.run(.seconds(10)) == ["page out a from 8M"])
    }

    @Test("Input that comes before, or in the middle of it, ends it", arguments: [false, true])
    func wokenByInput(isBegun: Bool) {
        let scenario = sleeper()
        scenario.send(.app(.a, .inputWatched(obstacle: nil)))
        if isBegun {
            scenario.run(.seconds(10))
            scenario.send(.app(.a, .pageOutPending))
        }
        scenario.send(.app(.a, .inputCame(Self.news)))
        #expect(scenario.run(.seconds(60)).isEmpty)
        #expect(scenario.untilDeadline == nil)
    }

    @Test("What can't be waited for keeps it awake, and in memory")
    func obstacle() {
        let scenario = sleeper()
        scenario.send(.app(.a, .inputWatched(obstacle: "x")))
        #expect(scenario.untilDeadline == nil)
    }

    @Test("Told to stay while its input is looked at, it is asleep from then on")
    func stays() {
        let scenario = sleeper()
        scenario.run(.seconds(5))
        scenario.send(.app(.a, .sleep(stays: true, request: nil)))
        #expect(scenario.untilDeadline == "10s")
    }
}
