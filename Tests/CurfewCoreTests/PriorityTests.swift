import CurfewCore
import Testing

@Suite("Yielding in background")
struct PriorityTests {
    private let policy = Policy.with { $0.yieldsInBackground = true }

    @Test("At home an app's priority is lowered, and restored when it is opened, before it is resumed")
    func homeAndOpen() {
        let scenario = Scenario(policy)
        #expect(scenario.home().prefix(2) == ["a active -> background", "lower priority of a"])
        #expect(scenario.open() == ["a suspended -> active", "restore priority of a", "resume a"])
    }

    @Test("Where it isn't asked for, priorities stay")
    func notAskedFor() {
        let scenario = Scenario()
        #expect(!scenario.home().contains("lower priority of a"))
        #expect(!scenario.open().contains("restore priority of a"))
    }

    @Test("Launched in front, nothing is changed")
    func launched() {
        #expect(Scenario.empty().start(.a, policy) == ["a notRunning -> active"])
    }

    @Test("Launched into background, it yields from the start")
    func launchedInBackground() {
        #expect(
            Scenario.empty().start(.a, policy, inBackground: true) == [
                "a notRunning -> background", "lower priority of a",
            ])
    }

    @Test("An interruption changes nothing, and home from there lowers it")
    func interruption() {
        let scenario = Scenario(policy)
        #expect(scenario.interrupt() == ["a active -> inactive"])
        #expect(scenario.dismiss() == ["a inactive -> active"])
        scenario.interrupt()
        #expect(scenario.home().contains("lower priority of a"))
    }

    @Test("Suspended, woken and suspended again it isn't told anew")
    func woken() {
        let scenario = Scenario(policy)
        scenario.home()
        #expect(!scenario.wake().contains { $0.contains("priority") })
        #expect(!scenario.run(.seconds(30)).contains { $0.contains("priority") })
        #expect(scenario.state() == .suspended)
    }

    @Test("Opened before its suspension is confirmed, it is restored")
    func overtaken() {
        let scenario = Scenario(policy)
        scenario.confirmsSuspensions = false
        scenario.home()
        #expect(scenario.open() == ["a background -> active", "restore priority of a", "resume a"])
    }

    @Test("Another app in front: the one lowered, the other restored")
    func others() {
        let scenario = Scenario(policy)
        scenario.start(.b, policy)
        let lines = scenario.open().filter { $0.contains("priority") }
        #expect(lines == ["lower priority of b", "restore priority of a"])
    }

    @Test("An app that is killed is left as it is")
    func killed() {
        let scenario = Scenario(policy)
        #expect(scenario.send(.app(.a, .started)).isEmpty)
        scenario.home()
        #expect(scenario.quit() == ["kill a user-quit in suspended", "a suspended -> notRunning"])
    }
}
