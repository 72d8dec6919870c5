import CurfewCore
import Testing

/// What jetsam does to a suspended app, asked for by hand.
@Suite("Reclaiming")
struct ReclaimTests {
    @Test("A suspended app is killed, memory-pressure, and told nothing")
    func suspended() {
        #expect(
            Scenario.awareSuspended().reclaim(request: 1) == [
                "kill a memory-pressure in suspended", "a suspended -> notRunning", "reply 1: notRunning",
            ])
    }

    @Test("Its status is that of jetsam")
    func status() {
        let scenario = Scenario.suspended()
        scenario.reclaim()
        #expect(scenario.treeGone() == ["ended a exit 137 memory-pressure"])
    }

    @Test("Whatever --terminate-suspended says")
    func wakePolicy() {
        let scenario = Scenario.suspended(.with { $0.terminateSuspended = .wake })
        #expect(scenario.reclaim().first == "kill a memory-pressure in suspended")
    }

    @Test("An app in front is left alone")
    func foreground() {
        #expect(Scenario().reclaim(request: 1) == ["reply 1: error not-suspended"])
    }

    @Test("So is one that runs in background")
    func background() {
        #expect(Scenario.inBackground(tasks: "t").reclaim(request: 1) == ["reply 1: error not-suspended"])
    }

    @Test("One that is being ended is let end")
    func terminating() {
        let scenario = Scenario()
        scenario.quit()
        #expect(scenario.reclaim(request: 1) == ["reply 1: error not-suspended"])
    }

    @Test("Nobody need be answered")
    func unasked() {
        #expect(Scenario().reclaim().isEmpty)
    }
}
