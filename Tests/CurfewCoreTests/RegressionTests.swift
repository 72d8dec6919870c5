import CurfewCore
import Testing

/// Traces that once went wrong.
@Suite("Regressions")
struct RegressionTests {
    @Test("a deadline goes away when nothing is due at it")
    func staleGrace() {
        let scenario = Scenario(.with { $0.grace = .seconds(2) })
        scenario.begin()
        scenario.home()
        #expect(scenario.run(.seconds(3)).isEmpty)
        #expect(scenario.untilDeadline == "592s")
    }

    @Test("one foreground app, also while the other is being ended")
    func twoInFront() {
        let scenario = Scenario()
        scenario.start(.b, inBackground: true)
        scenario.quit(.a)
        scenario.open(.b)
        #expect(scenario.supervisor.apps.filter(\.state.isForeground).map(\.id) == [.b])
    }

    @Test("ended within the limit, its own status counts though its tree lingers")
    func exitedInTime() {
        let scenario = Scenario()
        scenario.quit()
        scenario.after(.seconds(1)).leaderExits(0)
        scenario.remains()
        #expect(scenario.run(.seconds(60)) == ["sweep a kills", "a active -> notRunning"])
        #expect(scenario.treeGone() == ["ended a exit 0, the rest killed after 5s"])
    }

    @Test("a leader that has ended owes no hello")
    func exitedBeforeHello() {
        let scenario = Scenario(.with { $0.requiresHello = true })
        scenario.after(.seconds(1)).leaderExits(0)
        scenario.remains()
        #expect(scenario.run(.seconds(60)) == ["sweep a kills", "a active -> notRunning"])
        #expect(scenario.treeGone() == ["ended a exit 0, the rest killed after 5s"])
    }

    @Test("nothing is armed once the tree is being killed")
    func nothingArmed() {
        let memory = MemoryPolicy(fatalLimit: 100, isEnforcedByKernel: false)
        let scenario = Scenario(.with { $0.memory = memory })
        scenario.measured(1)
        scenario.leaderExits(0)
        scenario.run(.seconds(5))
        #expect(scenario.untilDeadline == nil)
        let traced = Scenario()
        traced.tracer = true
        traced.home()
        traced.leaderExits(0)
        traced.tracer = false
        traced.run(.seconds(7))
        #expect(traced.untilDeadline == nil)
    }

    @Test("the launch is delivered when a begin takes the suspension back")
    func unheardLaunch() {
        let scenario = Scenario.suspended()
        scenario.hello()
        #expect(scenario.begin().contains { $0.hasPrefix("a <- didFinishLaunching") })
    }

    @Test("home's request is answered when the tracer check finds it running on")
    func requestOvertaken() {
        let scenario = Scenario()
        scenario.tracer = nil
        scenario.home(request: 7)
        scenario.begin()
        #expect(scenario.send(.app(.a, .tracerChecked(isTraced: false))) == ["reply 7: background"])
    }

    @Test("traced, an app that a terminal stopped is continued")
    func tracedStopped() {
        let scenario = Scenario()
        scenario.tracer = true
        #expect(scenario.home(stopped: true).contains("resume a"))
    }

    @Test("a begin before the tracer check's answer continues what a terminal stopped")
    func beginStopped() {
        let scenario = Scenario()
        scenario.tracer = nil
        scenario.home(stopped: true)
        #expect((scenario.begin() + scenario.send(.app(.a, .tracerChecked(isTraced: false)))).contains("resume a"))
    }

    @Test("quit before the tracer check's answer: never SIGTERM to a stopped process")
    func quitStopped() {
        let scenario = Scenario()
        scenario.tracer = nil
        scenario.home(stopped: true)
        let lines = scenario.quit()
        #expect(!lines.contains("SIGTERM a") || lines.contains("resume a"))
    }

    @Test("willTerminate acknowledged, not ended in time: 124, process-exit-watchdog")
    func acknowledgedNotEnded() {
        let scenario = Scenario.aware()
        scenario.quit()
        scenario.ack(3)
        scenario.run(.seconds(5))
        #expect(scenario.treeGone() == ["ended a exit 124 process-exit-watchdog"])
    }

    @Test("an app killed before its program ran sends nobody home")
    func deadStart() {
        let scenario = Scenario()
        scenario.send(.app(.b, .launch(Policy(profile: .ios4), LaunchOptions())))
        scenario.quit(.b)
        #expect(scenario.send(.app(.b, .started)).isEmpty)
    }

    @Test("--aware: a hello without its acknowledgement doesn't satisfy the launch limit")
    func helloAndGone() {
        let scenario = Scenario(.with { $0.requiresHello = true })
        scenario.hello()
        scenario.disconnect()
        #expect(scenario.run(.seconds(20)).first?.hasPrefix("kill a launch-watchdog") == true)
    }

    @Test("a tree that is being swept is continued once, whatever tracer check was under way")
    func sweptAndChecked() {
        let scenario = Scenario()
        scenario.tracer = nil
        scenario.home(stopped: true)
        scenario.leaderExits(0)
        #expect(scenario.remains() == ["resume a", "SIGTERM a"])
        #expect(scenario.send(.app(.a, .tracerChecked(isTraced: false))).isEmpty)
        scenario.tracer = false
        scenario.run(.seconds(5))
        #expect(scenario.send(.app(.a, .tracerChecked(isTraced: false))).isEmpty)
    }

    @Test("a broken app's datagram that is read after its stop arms nothing, and asks for no debugger")
    func brokenWhileSuspended() {
        let scenario = Scenario.suspended()
        scenario.tracer = nil
        #expect(scenario.notify(.broken) == ["kill a watchdog in suspended", "a suspended -> notRunning"])
    }

    @Test("stopped by a terminal and then suspended, it isn't continued by a stray answer")
    func suspendedAndChecked() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.send(.app(.a, .stoppedByTerminal))
        scenario.end(1)
        #expect(scenario.state() == .suspended)
        #expect(scenario.send(.app(.a, .tracerChecked(isTraced: false))).isEmpty)
    }

    @Test("the ending tells the state it ended in")
    func endingState() {
        let scenario = Scenario()
        scenario.leaderExits(0)
        var supervisor = scenario.supervisor
        let effects = supervisor.handle(.app(.a, .treeGone), at: Moment(scenario.now))
        guard case .ended(_, let ending) = effects.last else {
            Issue.record("the app hasn't ended: \(effects)")
            return
        }
        #expect(ending.state == .active)
    }
}
