import CurfewCore
import CurfewEngine
import Testing

@Suite("A host that feeds the engine from within its callbacks")
struct EngineReentrancyTests {
    /// Aware app a on connections 1 and 2, in front.
    private func aware(_ policy: Policy = Policy(profile: .ios4)) -> EngineScenario {
        let scenario = EngineScenario.running(policy)
        scenario.feed(.app(.a, .hello(ConnectionID(1))))
        scenario.feed(.app(.a, .acknowledge(sequence: 1)))
        return scenario
    }

    @Test("A connection dropped while an event is delivered: the rest is delivered, then the app is plain and stopped")
    func dropDuringDelivery() {
        let scenario = aware()
        scenario.host.onDeliver = { delivery, app in
            guard delivery.event == .lifecycle(.willResignActive) else { return }
            scenario.engine.feed(.app(app, .disconnected(ConnectionID(1))))
        }
        #expect(
            scenario.home(request: 1) == [
                "record a state background", "state a active to background",
                "record a delivered willResignActive #3", "deliver a willResignActive #3",
                "record a delivered didEnterBackground #4", "deliver a didEnterBackground #4",
                "reply 1 state background", "traced? a: no", "record a note becamePlain", "suspend a",
                "record a state suspended", "state a background to suspended",
            ])
    }

    @Test("An answer within a callback comes after what was already to be done")
    func openDuringHome() {
        let scenario = EngineScenario.running()
        scenario.host.onStateChange = { app, _, to in
            if to == .background { scenario.engine.feed(.app(app, .open(request: RequestID(2)))) }
        }
        #expect(
            scenario.home(request: 1) == [
                "record a state background", "state a active to background", "traced? a: no",
                "record a state active", "state a background to active", "reply 1 state active",
                "reply 2 state active",
            ])
        #expect(scenario.engine.core.app(.a)?.state == .active)
        #expect(!scenario.kernel[.a].isStopped)
    }

    @Test("A kill within the callback of a stop ends the app once")
    func killDuringSuspension() {
        let scenario = EngineScenario.running(
            .with { $0.memory = MemoryPolicy(fatalLimit: 1, isEnforcedByKernel: true) })
        scenario.host.onStateChange = { app, _, to in
            if to == .suspended { scenario.engine.feed(.app(app, .memoryLimitHit(bytes: 2))) }
        }
        scenario.home()
        scenario.pass(.seconds(1))
        #expect(scenario.host.endings.count == 1)
        #expect(scenario.engine.nextDeadline == nil)
    }

    @Test("What is told of a hanging stop may open the app and send it home again: the new stop is awaited anew")
    func reopenedWhileHangingIsTold() {
        let scenario = EngineScenario.running()
        scenario.kernel[.a].stops = .never
        var isFirst = true
        scenario.host.onRecord = { record, app in
            guard case .stillRunning = record, isFirst else { return }
            isFirst = false
            scenario.engine.feed(.app(app, .open(request: nil)))
            scenario.engine.feed(.app(app, .home(stopped: false, request: nil)))
        }
        scenario.home()
        scenario.pass(.milliseconds(200))
        #expect(scenario.engine.core.app(.a)?.state == .background)
        #expect(scenario.pass(.milliseconds(195)).only("record") == [])
        #expect(scenario.pass(.milliseconds(5)).last == "record a note suspensionIncomplete")
        #expect(scenario.engine.core.app(.a)?.state == .suspended)
    }

    @Test("The end of one app may bring about the end of others", arguments: [false, true])
    func endsWithinEnd(byChildren: Bool) {
        let scenario = EngineScenario()
        for app in [AppID.a, .b, .c] { scenario.start(app, .with { $0.timeLimit = .seconds(1) }) }
        scenario.pass(.seconds(1))
        scenario.host.onEnd = { ended, _ in
            for app in [AppID.a, .b, .c] where app != ended { scenario.engine.feed(.app(app, .treeGone)) }
        }
        let lines = byChildren ? scenario.childrenChange() : scenario.pass(.milliseconds(1))
        // One tick has each looked at, before anything follows from the first.
        let asked = ["gone? a: yes", "gone? b: yes", "gone? c: yes"]
        #expect(lines.only("gone?", "SIGKILL") == (byChildren ? [asked[0]] : asked))
        #expect(Set(scenario.host.endings.map(\.app)) == [.a, .b, .c])
        #expect(scenario.host.endings.count == 3)
        #expect(scenario.engine.nextDeadline == nil)
    }

    @Test("A host that looks for ended children in every callback loses and doubles nothing")
    func childrenWithinCallbacks() {
        let scenario = EngineScenario.running(.with { $0.timeLimit = .seconds(1) })
        scenario.host.onRecord = { _, _ in scenario.engine.childrenChanged() }
        scenario.host.onStateChange = { _, _, _ in scenario.engine.wake() }
        scenario.pass(.seconds(2))
        #expect(scenario.host.endings.count == 1)
        #expect(scenario.engine.core.apps == [])
        #expect(scenario.engine.nextDeadline == nil)
    }

    @Test("An app launched from within the end of another runs")
    func launchWithinEnd() {
        let scenario = EngineScenario.running()
        scenario.kernel[.a].isAlive = false
        scenario.host.onEnd = { app, _ in
            guard app == .a else { return }
            scenario.engine.launch(.b, Policy(profile: .ios4))
            scenario.engine.feed(.app(.b, .started))
        }
        #expect(scenario.leaderExits().last == "state b notRunning to active")
        #expect(scenario.engine.core.foregroundApp == .b)
    }
}
