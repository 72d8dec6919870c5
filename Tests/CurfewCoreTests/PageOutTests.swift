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
}
