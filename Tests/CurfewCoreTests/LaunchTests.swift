import CurfewCore
import Testing

@Suite("Launch")
struct LaunchTests {
    @Test("A new app isn't running before its program is")
    func newApp() {
        let scenario = Scenario.empty()
        #expect(scenario.send(.app(.a, .launch(Policy(profile: .ios4), LaunchOptions()))).isEmpty)
        #expect(scenario.state() == .notRunning)
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.send(.app(.a, .started)) == ["a notRunning -> active"])
        #expect(scenario.supervisor.foregroundApp == .a)
    }

    @Test("A plain app gets no events and owes no acknowledgement")
    func plain() {
        let scenario = Scenario()
        #expect(scenario.owed().isEmpty)
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.run(.seconds(100_000)).isEmpty)
    }

    @Test("Launch: didFinishLaunching, then didBecomeActive, delivered at hello")
    func hello() {
        #expect(
            Scenario().hello() == [
                "note a aware", "a <- didFinishLaunching #1 20s foreground quietly to 1",
                "a <- didBecomeActive #2 quietly to 1",
            ])
    }

    @Test("A hello before the program runs is delivered when it does")
    func earlyHello() {
        let scenario = Scenario.empty()
        scenario.send(.app(.a, .launch(Policy(profile: .ios4), LaunchOptions())))
        #expect(scenario.hello() == ["note a aware"])
        #expect(
            scenario.send(.app(.a, .started)) == [
                "a notRunning -> active", "a <- didFinishLaunching #1 20s foreground quietly to 1",
                "a <- didBecomeActive #2 quietly to 1",
            ])
    }

    @Test("didFinishLaunching must be acknowledged, didBecomeActive needn't")
    func launchAcknowledgement() {
        let scenario = Scenario()
        scenario.hello()
        #expect(scenario.owed() == ["didFinishLaunching"])
        #expect(scenario.untilDeadline == "20s")
        #expect(scenario.ack(1) == ["note a didFinishLaunching #1 acknowledged"])
        #expect(scenario.owed().isEmpty)
        #expect(scenario.untilDeadline == nil)
    }

    @Test("Without the launch's acknowledgement within the launch limit: killed")
    func launchWatchdog() {
        let scenario = Scenario()
        scenario.hello()
        #expect(scenario.after(.milliseconds(19_999)).tick().isEmpty)
        #expect(
            scenario.after(.milliseconds(1)).tick() == [
                "kill a launch-watchdog in active, event didFinishLaunching, limit 20s, elapsed 20s, CPU 0s",
                "a active -> notRunning",
            ])
    }

    @Test("--aware demands a hello within the launch limit, else killed")
    func helloDemanded() {
        let scenario = Scenario(.with { $0.requiresHello = true })
        #expect(scenario.untilDeadline == "20s")
        #expect(scenario.after(.milliseconds(19_999)).tick().isEmpty)
        #expect(
            scenario.after(.milliseconds(1)).tick() == [
                "kill a launch-watchdog in active, limit 20s, elapsed 20s, CPU 0s", "a active -> notRunning",
            ])
    }

    @Test("--aware: hello and acknowledgement share one launch limit")
    func sharedLaunchLimit() {
        let scenario = Scenario(.with { $0.requiresHello = true })
        scenario.after(.seconds(15))
        #expect(scenario.hello().contains("a <- didFinishLaunching #1 5s foreground to 1"))
        #expect(scenario.untilDeadline == "5s")
    }

    @Test("--aware: the limit runs on after home")
    func helloDemandedAfterHome() {
        let scenario = Scenario(.with { $0.requiresHello = true })
        #expect(scenario.home() == ["a active -> background"])
        #expect(
            scenario.run(.seconds(20)) == [
                "kill a launch-watchdog in background, limit 20s, elapsed 20s, CPU 0s", "a background -> notRunning",
            ])
    }

    @Test("Without --aware, no hello is owed")
    func helloNotDemanded() {
        #expect(Scenario().run(.seconds(30)).isEmpty)
    }

    @Test("Launch in background: didFinishLaunching, then didEnterBackground, and no didBecomeActive")
    func inBackground() {
        let scenario = Scenario(inBackground: true)
        #expect(scenario.state() == .background)
        #expect(
            scenario.hello() == [
                "note a aware", "a <- didFinishLaunching #1 20s background quietly to 1",
                "a <- didEnterBackground #2 5s quietly to 1",
            ])
        #expect(scenario.owed() == ["didFinishLaunching", "didEnterBackground"])
    }

    @Test("Launched in background and both acknowledged: suspended")
    func inBackgroundSuspended() {
        let scenario = Scenario(inBackground: true)
        scenario.hello()
        #expect(scenario.ack(1) == ["note a didFinishLaunching #1 acknowledged"])
        #expect(
            scenario.ack(2) == [
                "note a didEnterBackground #2 acknowledged", "suspend a", "a background -> suspended",
            ])
    }

    @Test("Launched in background, didEnterBackground not acknowledged in time: killed")
    func inBackgroundWatchdog() {
        let scenario = Scenario(inBackground: true)
        scenario.hello()
        scenario.ack(1)
        #expect(
            scenario.run(.seconds(5)).first
                == "kill a scene-update-watchdog in background, event didEnterBackground, limit 5s, elapsed 5s, CPU 0s")
    }

    @Test("A launch into background starts with a full budget")
    func fullBudget() {
        let scenario = Scenario(inBackground: true)
        #expect(scenario.begin() == ["note a task 1 \"t\" begun", "reply 0: task 1, 600s left"])
        #expect(scenario.after(.seconds(100)).remaining() == "500s")
    }

    @Test("A plain app launched into background runs for the wake limit by default")
    func plainWakeLimit() {
        let scenario = Scenario(inBackground: true)
        #expect(scenario.after(.milliseconds(29_999)).tick().isEmpty)
        #expect(scenario.after(.milliseconds(1)).tick() == ["suspend a", "a background -> suspended"])
    }

    @Test("A plain app launched into background runs for --grace if given")
    func plainGrace() {
        let scenario = Scenario(.with { $0.grace = .seconds(3) }, inBackground: true)
        #expect(scenario.after(.milliseconds(2_999)).tick().isEmpty)
        #expect(scenario.after(.milliseconds(1)).tick() == ["suspend a", "a background -> suspended"])
    }

    @Test("A plain app launched into background is opened with no events")
    func openPlain() {
        let scenario = Scenario(inBackground: true)
        #expect(scenario.open() == ["a background -> active"])
        #expect(scenario.run(.seconds(100)).isEmpty)
    }

    @Test("An aware app launched into background and opened: willEnterForeground, then didBecomeActive")
    func openAware() {
        let scenario = Scenario(inBackground: true)
        scenario.hello()
        #expect(
            scenario.open() == [
                "a background -> active", "a <- willEnterForeground #3 to 1", "a <- didBecomeActive #4 to 1",
            ])
        #expect(scenario.owed() == ["didFinishLaunching"])
    }

    @Test("Home, open and quit before the program runs: home and open change nothing, quit kills")
    func beforeStart() {
        let scenario = Scenario.empty()
        scenario.send(.app(.a, .launch(Policy(profile: .ios4), LaunchOptions())))
        #expect(scenario.home(request: 1) == ["reply 1: notRunning"])
        #expect(scenario.open(request: 2) == ["reply 2: notRunning"])
        #expect(scenario.quit(request: 3) == ["kill a user-quit in notRunning", "reply 3: notRunning"])
        #expect(scenario.send(.app(.a, .started)).isEmpty)
        #expect(scenario.treeGone() == ["ended a exit 137 user-quit"])
    }

    @Test("A program that never started ends as curfew's own failure")
    func neverStarted() {
        let scenario = Scenario.empty()
        scenario.send(.app(.a, .launch(Policy(profile: .ios4), LaunchOptions())))
        #expect(scenario.treeGone() == ["ended a exit 125"])
        #expect(scenario.supervisor.apps.isEmpty)
    }

    @Test("An input about an app that isn't there changes nothing")
    func unknownApp() {
        let scenario = Scenario()
        let before = scenario.supervisor
        for input: Input in [
            .app(.b, .started), .app(.b, .home(stopped: false, request: nil)), .app(.b, .open(request: nil)),
            .app(.b, .treeGone),
            .app(.b, .hello(ConnectionID(1))), .app(.b, .leaderExited(.exited(code: 0))),
            .app(.b, .tracerChecked(isTraced: true)),
        ] { #expect(scenario.send(input).isEmpty) }
        #expect(scenario.supervisor == before)
    }
}
