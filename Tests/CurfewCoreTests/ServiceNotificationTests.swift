import CurfewCore
import Testing

/// What a program made for systemd says: ready, stopping, more time.
@Suite("sd_notify")
struct ServiceNotificationTests {
    private let demanding = Policy.with { $0.requiresHello = true }

    // MARK: READY=1

    @Test("READY meets --aware without a hello")
    func ready() {
        let scenario = Scenario(demanding)
        scenario.after(.milliseconds(19_999))
        #expect(scenario.notify(.ready) == ["note a ready"])
        #expect(scenario.supervisor.app(.a)?.isReady == true)
        #expect(scenario.run(.seconds(1_000)).isEmpty)
    }

    @Test("READY acknowledges didFinishLaunching, and nothing else")
    func readyAcknowledges() {
        let scenario = Scenario(inBackground: true)
        scenario.hello()
        #expect(scenario.notify(.ready) == ["note a ready", "note a didFinishLaunching #1 acknowledged"])
        #expect(scenario.owed() == ["didEnterBackground"])
        #expect(scenario.ack(1) == ["note a unknown ack #1"])
    }

    @Test("READY doesn't acknowledge a waking event")
    func readyLeavesWake() {
        let scenario = Scenario.awareSuspended()
        scenario.wake()
        #expect(scenario.notify(.ready) == ["note a ready"])
        #expect(scenario.owed() == ["didEnterBackground", "fetch"])
    }

    @Test("READY before the hello: didFinishLaunching comes without a limit, and isn't owed")
    func readyBeforeHello() {
        let scenario = Scenario(demanding)
        scenario.notify(.ready)
        #expect(
            scenario.hello() == [
                "note a aware", "a <- didFinishLaunching #1 foreground quietly to 1",
                "a <- didBecomeActive #2 quietly to 1",
            ])
        #expect(scenario.owed().isEmpty)
    }

    @Test("READY before the program is known to run: no launch limit")
    func readyBeforeStart() {
        let scenario = Scenario.empty()
        scenario.send(.app(.a, .launch(demanding, LaunchOptions())))
        #expect(scenario.notify(.ready) == ["note a ready"])
        #expect(scenario.send(.app(.a, .started)) == ["a notRunning -> active"])
        #expect(scenario.untilDeadline == nil)
    }

    @Test("A second READY says nothing new")
    func readyTwice() {
        let scenario = Scenario()
        scenario.notify(.ready)
        #expect(scenario.notify(.ready).isEmpty)
    }

    @Test("Ready, its connections may close without a new launch limit")
    func readyAndPlain() {
        let scenario = Scenario(demanding)
        scenario.hello()
        scenario.notify(.ready)
        #expect(scenario.disconnect() == ["note a plain"])
        #expect(scenario.untilDeadline == nil)
    }

    @Test("Sent home before it was ready, it is suspended when it is")
    func readyInBackground() {
        let scenario = Scenario(demanding)
        #expect(scenario.home() == ["a active -> background"])
        #expect(scenario.notify(.ready) == ["note a ready", "suspend a", "a background -> suspended"])
    }

    // MARK: STOPPING=1

    @Test("STOPPING is noted once, and changes nothing else")
    func stopping() {
        let scenario = Scenario()
        #expect(scenario.notify(.stopping) == ["note a stopping"])
        #expect(scenario.notify(.stopping).isEmpty)
        #expect(scenario.supervisor.app(.a)?.isStopping == true)
        #expect(scenario.state() == .active)
        #expect(scenario.untilDeadline == nil)
    }

    @Test("STOPPING acknowledges willTerminate, and it still has to end in time")
    func stoppingAcknowledges() {
        let scenario = Scenario.aware()
        scenario.quit()
        #expect(scenario.notify(.stopping) == ["note a stopping", "note a willTerminate #3 acknowledged"])
        #expect(scenario.ack(3) == ["note a unknown ack #3"])
        #expect(scenario.untilDeadline == "5s")
        #expect(scenario.run(.seconds(5)).first?.hasPrefix("kill a process-exit-watchdog") == true)
    }

    @Test("Having said so before, STOPPING still acknowledges willTerminate")
    func stoppingBefore() {
        let scenario = Scenario.aware()
        scenario.notify(.stopping)
        scenario.quit()
        #expect(scenario.notify(.stopping) == ["note a willTerminate #3 acknowledged"])
    }

    @Test("STOPPING acknowledges no other event")
    func stoppingLeavesOthers() {
        let scenario = Scenario.aware()
        scenario.home()
        scenario.notify(.stopping)
        #expect(scenario.owed() == ["didEnterBackground"])
    }

    // MARK: EXTEND_TIMEOUT_USEC

    @Test("didEnterBackground ends at the earliest that long from now")
    func extend() {
        let scenario = Scenario.aware()
        scenario.home()
        scenario.after(.seconds(4))
        #expect(scenario.notify(.extendTimeout(.seconds(3))) == ["note a timeouts extended to 3s"])
        #expect(scenario.run(.milliseconds(2_999)).isEmpty)
        #expect(
            scenario.run(.milliseconds(1)).first
                == "kill a scene-update-watchdog in background, event didEnterBackground, limit 7s, elapsed 7s, CPU 0s")
    }

    @Test("It never ends earlier than before")
    func neverEarlier() {
        let scenario = Scenario.aware()
        scenario.home()
        #expect(scenario.notify(.extendTimeout(.seconds(1))) == ["note a timeouts extended to 1s"])
        #expect(scenario.untilDeadline == "5s")
        scenario.notify(.extendTimeout(.seconds(5)))
        #expect(scenario.untilDeadline == "5s")
        scenario.notify(.extendTimeout(.milliseconds(5_001)))
        #expect(scenario.untilDeadline == "5.001s")
    }

    @Test("Said again in time, it goes on")
    func again() {
        let scenario = Scenario.aware()
        scenario.home()
        for _ in 0..<20 {
            #expect(scenario.run(.seconds(4)).isEmpty)
            scenario.notify(.extendTimeout(.seconds(5)))
        }
        #expect(scenario.untilDeadline == "5s")
        #expect(scenario.run(.seconds(5)).first?.contains("limit 85s, elapsed 85s") == true)
    }

    @Test("The launch that --aware demands")
    func extendLaunch() {
        let scenario = Scenario(demanding)
        scenario.after(.seconds(19)).notify(.extendTimeout(.seconds(10)))
        #expect(scenario.untilDeadline == "10s")
        #expect(scenario.hello().contains("a <- didFinishLaunching #1 10s foreground to 1"))
        #expect(scenario.run(.seconds(10)).first?.contains("limit 29s, elapsed 29s") == true)
    }

    @Test("A waking event")
    func extendWake() {
        let scenario = Scenario.awareSuspended()
        scenario.wake()
        scenario.ack(5)
        scenario.after(.seconds(29)).notify(.extendTimeout(.seconds(60)))
        #expect(scenario.run(.milliseconds(59_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)).first?.contains("limit 89s, elapsed 89s") == true)
    }

    @Test("willTerminate, acknowledged or not")
    func extendTermination() {
        let scenario = Scenario.aware()
        scenario.quit()
        scenario.ack(3)
        scenario.after(.seconds(4)).notify(.extendTimeout(.seconds(6)))
        #expect(scenario.untilDeadline == "6s")
        #expect(scenario.run(.seconds(6)).first?.contains("limit 10s, elapsed 10s") == true)
    }

    @Test("A plain app's time after SIGTERM")
    func extendSigterm() {
        let scenario = Scenario()
        scenario.quit()
        #expect(scenario.notify(.extendTimeout(.seconds(9))) == ["note a timeouts extended to 9s"])
        #expect(scenario.untilDeadline == "9s")
    }

    @Test("All that run at once")
    func extendAll() {
        let scenario = Scenario(inBackground: true)
        scenario.hello()
        scenario.after(.seconds(4)).notify(.extendTimeout(.seconds(30)))
        #expect(scenario.untilDeadline == "30s")
        scenario.ack(2)
        #expect(scenario.untilDeadline == "30s")
        #expect(scenario.run(.milliseconds(29_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)).first?.contains("event didFinishLaunching, limit 34s") == true)
    }

    @Test("What has longer left keeps it")
    func extendShorter() {
        let scenario = Scenario(inBackground: true)
        scenario.hello()
        scenario.notify(.extendTimeout(.seconds(10)))
        #expect(scenario.untilDeadline == "10s")
        scenario.ack(2)
        #expect(scenario.untilDeadline == "20s")
    }

    @Test("With no transition running it is noted, and buys nothing")
    func nothingToExtend() {
        let scenario = Scenario.aware()
        #expect(scenario.notify(.extendTimeout(.seconds(60))) == ["note a nothing to extend"])
        scenario.home()
        #expect(scenario.untilDeadline == "5s")
    }

    @Test("It extends neither budget nor grace nor wake limit of a plain app")
    func notTheBudget() {
        let budget = Scenario.inBackground(tasks: "one")
        #expect(budget.notify(.extendTimeout(.seconds(9_999))) == ["note a nothing to extend"])
        #expect(budget.remaining() == "600s")
        #expect(budget.run(.seconds(596)) == ["note a warned tasks 1"])
        #expect(budget.notify(.extendTimeout(.seconds(9_999))) == ["note a nothing to extend"])
        #expect(budget.run(.seconds(4)).first?.hasPrefix("kill a background-task-timeout ") == true)
        let woken = Scenario.suspended()
        woken.wake()
        #expect(woken.notify(.extendTimeout(.seconds(9_999))) == ["note a nothing to extend"])
        #expect(woken.untilDeadline == "30s")
    }

    @Test("It doesn't extend the time limit")
    func notTheTimeLimit() {
        let scenario = Scenario(.with { $0.timeLimit = .seconds(10) })
        scenario.hello()
        scenario.notify(.extendTimeout(.seconds(60)))
        #expect(scenario.run(.seconds(10)).first?.hasPrefix("kill a time-limit") == true)
    }

    @Test("An endless extension: no deadline is left")
    func endless() {
        let scenario = Scenario.aware()
        scenario.home()
        scenario.notify(.extendTimeout(.infinite))
        #expect(scenario.untilDeadline == nil)
    }

    @Test("Overdue, but nobody has looked yet: it is saved")
    func overdue() {
        let scenario = Scenario.aware()
        scenario.home()
        scenario.after(.seconds(8)).notify(.extendTimeout(.seconds(2)))
        #expect(scenario.run(.milliseconds(1_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)).first?.hasPrefix("kill a scene-update-watchdog") == true)
    }

    @Test("While a debugger holds the app, what was granted stands")
    func traced() {
        let scenario = Scenario.aware()
        scenario.home()
        scenario.tracer = true
        #expect(scenario.run(.seconds(5)) == ["note a traced"])
        scenario.notify(.extendTimeout(.seconds(7)))
        scenario.run(.seconds(100))
        scenario.tracer = false
        #expect(scenario.run(.seconds(1)) == ["note a no longer traced"])
        #expect(scenario.untilDeadline == "7s")
    }

    @Test("A killed app's words change nothing")
    func killed() {
        let scenario = Scenario.aware()
        scenario.home()
        scenario.run(.seconds(5))
        for notification: ServiceNotification in [.ready, .stopping, .extendTimeout(.seconds(1)), .alive, .broken] {
            #expect(scenario.notify(notification).isEmpty)
        }
    }
}
