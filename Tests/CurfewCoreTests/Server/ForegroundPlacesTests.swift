import CurfewCore
import Testing

@Suite("Several places in front")
struct ForegroundPlacesTests {
    /// Apps a and b in front, where two may be, and c behind, suspended.
    private func three() -> Scenario {
        let scenario = Scenario.empty(foregroundPlaces: 2)
        for app: AppID in [.c, .a, .b] { scenario.start(app) }
        return scenario
    }

    @Test("As many are in front, and whoever was opened longest ago goes home for the next")
    func launches() {
        let scenario = Scenario.empty(foregroundPlaces: 2)
        scenario.start(.a)
        #expect(scenario.start(.b) == ["b notRunning -> active"])
        #expect(scenario.supervisor.foregroundApps == [.b, .a])
        #expect(
            scenario.start(.c) == [
                "a active -> background", "c notRunning -> active", "suspend a", "a background -> suspended",
            ])
        #expect(scenario.supervisor.foregroundApps == [.c, .b])
        #expect(scenario.supervisor.foregroundApp == .c)
    }

    @Test("Opened in front, it isn't the next to go, and hears nothing")
    func reopened() {
        let scenario = three()
        #expect(scenario.open(.a).isEmpty)
        scenario.open(.c)
        #expect(scenario.supervisor.foregroundApps == [.c, .a])
    }

    @Test("One that is being ended isn't opened")
    func reopenedEnding() {
        let scenario = three()
        scenario.quit(.a)
        scenario.open(.a)
        #expect(scenario.supervisor.foregroundApps == [.b, .a])
    }

    @Test("Whoever goes home, or ends, leaves a place free, which nobody takes by itself")
    func free() {
        let scenario = three()
        #expect(scenario.supervisor.isFrontFull)
        scenario.home(.b)
        #expect(!scenario.supervisor.isFrontFull)
        #expect(scenario.supervisor.foregroundApps == [.a])
        scenario.leaderExits(0, .a)
        scenario.treeGone(.a)
        #expect(scenario.supervisor.foregroundApps == [])
        #expect(scenario.open(.c).first == "c suspended -> active")
    }

    @Test("Before those in front was who left last, and can be opened")
    func previous() {
        let scenario = three()
        #expect(scenario.supervisor.previousForegroundApp == .c)
        scenario.home(.a)
        #expect(scenario.supervisor.previousForegroundApp == .a)
        scenario.quit(.a)
        #expect(scenario.supervisor.previousForegroundApp == .c)
        scenario.quit(.c)
        #expect(scenario.supervisor.previousForegroundApp == nil)
    }

    @Test("With one place, to and fro")
    func toAndFro() {
        let scenario = Scenario()
        #expect(scenario.supervisor.previousForegroundApp == nil)
        scenario.start(.b)
        for app: AppID in [.a, .b, .a] {
            #expect(scenario.supervisor.previousForegroundApp == app)
            scenario.open(app)
        }
    }

    @Test("Launched in background it was never in front")
    func background() {
        let scenario = Scenario()
        scenario.start(.b, inBackground: true)
        #expect(scenario.supervisor.previousForegroundApp == nil)
    }

    @Test("Who fell asleep wakes in front as long as a place is free")
    func asleep() {
        let scenario = Scenario.empty(foregroundPlaces: 2)
        scenario.start(.a, .sleeping())
        scenario.start(.b)
        scenario.sleep()
        #expect(scenario.input().contains("a suspended -> active"))
        scenario.sleep()
        scenario.start(.c)
        #expect(scenario.input().contains("a suspended -> background"))
        #expect(scenario.supervisor.foregroundApps == [.c, .b])
    }

    @Test("Those in front are warned of memory first, the most recently opened before the others")
    func warnings() {
        let scenario = three()
        scenario.start(.d, inBackground: true)
        scenario.send(.machine(.watchMemory(low: 1_000, sustained: .seconds(600), isToldOfStalls: false)))
        let warned = scenario.send(.machine(.pressureSimulated(.warning))) + scenario.run(.seconds(2))
        #expect(
            warned.filter { $0.contains("warned") || $0.contains("memory warning") }.map { $0.prefix(6) } == [
                "note b", "note a", "note d",
            ])
    }
}
