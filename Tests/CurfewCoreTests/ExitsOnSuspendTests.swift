import CurfewCore
import Testing

/// One that exits on suspend ends where any other is suspended.
@Suite("Exits on suspend")
struct ExitsOnSuspendTests {
    private let policy = Policy.with { $0.exitsOnSuspend = true }

    /// Aware, sent home; owes the acknowledgement of #3.
    private var atHome: Scenario {
        let scenario = Scenario.aware(policy)
        scenario.home()
        return scenario
    }

    // MARK: Aware

    @Test("Home delivers didEnterBackground, and no willResignActive")
    func home() {
        #expect(
            Scenario.aware(policy).home(request: 1) == [
                "a active -> background", "a <- didEnterBackground #3 5s to 1", "reply 1: background",
            ])
    }

    @Test("That acknowledged, willTerminate instead of a suspension")
    func terminated() {
        #expect(
            atHome.ack(3) == ["note a didEnterBackground #3 acknowledged", "a <- willTerminate #4 5s to 1"])
    }

    @Test("Ended within its limit, its own status counts")
    func ended() {
        let scenario = atHome
        scenario.ack(3)
        #expect(scenario.after(.seconds(1)).leaderExits(0) == ["sweep a waits"])
        #expect(scenario.treeGone().last == "ended a exit 0")
    }

    @Test("Not ended within its limit: SIGKILL, process-exit-watchdog")
    func late() {
        let scenario = atHome
        scenario.ack(3)
        #expect(scenario.run(.milliseconds(4_999)).isEmpty)
        #expect(
            scenario.run(.milliseconds(1)) == [
                "kill a process-exit-watchdog in background, event willTerminate, limit 5s, elapsed 5s, CPU 0s",
                "a background -> notRunning",
            ])
    }

    @Test("didEnterBackground not acknowledged in time: killed as any other")
    func unacknowledged() {
        #expect(atHome.run(.seconds(5)).first?.hasPrefix("kill a scene-update-watchdog") == true)
    }

    @Test("Interrupted and then sent home: didEnterBackground only")
    func interrupted() {
        let scenario = Scenario.aware(policy)
        scenario.interrupt()
        #expect(scenario.home() == ["a inactive -> background", "a <- didEnterBackground #4 5s to 1"])
        #expect(scenario.ack(4).last == "a <- willTerminate #5 5s to 1")
    }

    @Test("Opened before the acknowledgement, it lives on")
    func opened() {
        let scenario = atHome
        #expect(scenario.open().last == "a <- didBecomeActive #5 to 1")
        #expect(scenario.run(.seconds(1_000)).isEmpty)
        #expect(scenario.state() == .active)
    }

    @Test("Opened after willTerminate, it isn't taken back")
    func openedTooLate() {
        let scenario = atHome
        scenario.ack(3)
        #expect(scenario.open(request: 1) == ["reply 1: background"])
        #expect(scenario.supervisor.app(.a)?.isTerminating == true)
    }

    // MARK: Plain

    @Test("A plain app gets SIGTERM where it would be stopped")
    func plain() {
        #expect(
            Scenario(policy).home(request: 1) == ["a active -> background", "SIGTERM a", "reply 1: background"])
    }

    @Test("A plain app that SIGTERM ends has status 143")
    func plainEnded() {
        let scenario = Scenario(policy)
        scenario.home()
        scenario.leaderDies(of: 15)
        #expect(scenario.treeGone().last == "ended a exit 143")
    }

    @Test("A plain app that ignores SIGTERM is killed when its limit is over")
    func plainLate() {
        let scenario = Scenario(policy)
        scenario.home()
        #expect(scenario.run(.milliseconds(4_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)).first?.hasPrefix("kill a process-exit-watchdog in background") == true)
    }

    @Test("Grace holds the end off, and no longer")
    func grace() {
        let scenario = Scenario(
            .with {
                $0.exitsOnSuspend = true
                $0.grace = .seconds(3)
            })
        #expect(scenario.home() == ["a active -> background"])
        #expect(scenario.run(.milliseconds(2_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)) == ["SIGTERM a"])
    }

    @Test("Stopped by a terminal, it is continued for its SIGTERM")
    func stopped() {
        #expect(Scenario(policy).home(stopped: true) == ["a active -> background", "resume a", "SIGTERM a"])
    }

    @Test("Once its connection closes in background, it is plain, and gets SIGTERM")
    func disconnected() {
        #expect(atHome.disconnect() == ["note a plain", "SIGTERM a"])
    }

    // MARK: What holds it off, and what doesn't

    @Test("An open task doesn't hold the end off")
    func task() {
        let scenario = Scenario.aware(policy)
        scenario.begin()
        scenario.home()
        #expect(scenario.ack(3).last == "a <- willTerminate #4 5s to 1")
    }

    @Test("A plain app's open task doesn't hold the end off")
    func plainTask() {
        let scenario = Scenario(policy)
        scenario.begin()
        #expect(scenario.home() == ["a active -> background", "SIGTERM a"])
    }

    @Test("A task begun in background doesn't either")
    func laterTask() {
        let scenario = atHome
        scenario.begin()
        #expect(scenario.ack(3).last == "a <- willTerminate #4 5s to 1")
    }

    @Test("Grace ends although a task is open")
    func graceWithTask() {
        let scenario = Scenario(
            .with {
                $0.exitsOnSuspend = true
                $0.grace = .seconds(3)
            })
        scenario.begin()
        scenario.home()
        #expect(scenario.untilDeadline == "3s")
        #expect(scenario.run(.seconds(3)) == ["SIGTERM a"])
    }

    @Test("A waking event in background holds it off until it is handled")
    func wakingEvent() {
        let scenario = atHome
        #expect(scenario.wake() == ["a <- wake fetch #4 30s to 1"])
        #expect(scenario.ack(3) == ["note a didEnterBackground #3 acknowledged"])
        #expect(scenario.ack(4) == ["note a fetch #4 acknowledged", "a <- willTerminate #5 5s to 1"])
    }

    @Test("Launched for a waking event, it ends when that is handled")
    func launchedForWakingEvent() {
        let scenario = Scenario.empty()
        scenario.start(.a, policy, LaunchOptions(wakingEvent: PostedEvent("fetch")))
        scenario.hello()
        scenario.ack(1)
        scenario.ack(2)
        #expect(scenario.ack(3) == ["note a fetch #3 acknowledged", "a <- willTerminate #4 5s to 1"])
    }

    @Test("Launched into background, a plain app ends when its time there is over")
    func plainLaunchedInBackground() {
        let scenario = Scenario(policy, inBackground: true)
        #expect(scenario.run(.milliseconds(29_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)) == ["SIGTERM a"])
    }

    @Test("A debugger holds it off")
    func traced() {
        let scenario = Scenario(policy)
        scenario.tracer = true
        #expect(scenario.home() == ["a active -> background", "note a traced"])
        #expect(scenario.run(.seconds(100)).isEmpty)
        scenario.tracer = false
        #expect(scenario.run(.seconds(1)) == ["note a no longer traced", "SIGTERM a"])
    }

    @Test("Another app takes the front: it ends too")
    func overtaken() {
        #expect(
            Scenario(policy).start(.b) == ["a active -> background", "b notRunning -> active", "SIGTERM a"])
    }

    @Test("It is never suspended")
    func neverSuspended() {
        let scenario = atHome
        scenario.ack(3)
        scenario.run(.seconds(1_000))
        #expect(!scenario.history.contains(.suspend(.a, includingStopped: false)))
    }
}
