import CurfewCore
import Testing

/// Something is in front of the app for a while: a phone call, a sheet pulled down.
@Suite("Interruption")
struct InterruptionTests {
    /// An aware app that is interrupted; the next event is #4.
    private func interrupted(_ policy: Policy = Policy(profile: .ios4)) -> Scenario {
        let scenario = Scenario.aware(policy)
        scenario.interrupt()
        return scenario
    }

    // MARK: It begins

    @Test("An interruption begins: willResignActive, and no other event")
    func begins() {
        #expect(
            Scenario.aware().interrupt(request: 1) == [
                "a active -> inactive", "a <- willResignActive #3 to 1", "reply 1: inactive",
            ])
    }

    @Test("Interrupted, it runs on, and owes nothing for it")
    func runsOn() {
        let scenario = interrupted()
        #expect(scenario.owed().isEmpty)
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.run(.seconds(10_000)).isEmpty)
        #expect(scenario.state() == .inactive)
    }

    @Test("Interrupted, it is in the foreground still")
    func inForeground() {
        #expect(interrupted().supervisor.foregroundApp == .a)
    }

    @Test("Interrupted, its background time is infinite, and its budget isn't charged")
    func budget() {
        let scenario = interrupted(.with { $0.backgroundBudget = .seconds(20) })
        #expect(scenario.begin() == ["note a task 1 \"t\" begun", "reply 0: task 1, inf left"])
        #expect(scenario.run(.seconds(1_000)).isEmpty)
        scenario.home()
        #expect(scenario.remaining() == "20s")
    }

    @Test("A plain app is interrupted without a word")
    func plain() {
        #expect(Scenario().interrupt(request: 1) == ["a active -> inactive", "reply 1: inactive"])
    }

    @Test("An interruption leaves the launch's acknowledgement owed")
    func launchOwed() {
        let scenario = Scenario()
        scenario.hello()
        scenario.interrupt()
        #expect(scenario.owed() == ["didFinishLaunching"])
        #expect(scenario.run(.seconds(20)).first?.hasPrefix("kill a launch-watchdog in inactive") == true)
    }

    // MARK: Ignored

    @Test("The interruption is ignored: didBecomeActive, and no background events at all")
    func ignored() {
        #expect(
            interrupted().dismiss(request: 2) == [
                "a inactive -> active", "a <- didBecomeActive #4 to 1", "reply 2: active",
            ])
    }

    @Test("Opened while it is interrupted: as if the interruption were dismissed")
    func opened() {
        #expect(
            interrupted().open(request: 2) == [
                "a inactive -> active", "a <- didBecomeActive #4 to 1", "reply 2: active",
            ])
    }

    @Test("A plain app's interruption is dismissed without a word")
    func plainIgnored() {
        let scenario = Scenario()
        scenario.interrupt()
        #expect(scenario.dismiss() == ["a inactive -> active"])
    }

    @Test("After one interruption is ignored, another may begin")
    func again() {
        let scenario = interrupted()
        scenario.dismiss()
        #expect(scenario.interrupt() == ["a active -> inactive", "a <- willResignActive #5 to 1"])
    }

    // MARK: Accepted

    @Test("The interruption is accepted: didEnterBackground, and no second willResignActive")
    func accepted() {
        let scenario = interrupted()
        #expect(
            scenario.home(request: 2) == [
                "a inactive -> background", "a <- didEnterBackground #4 5s to 1", "reply 2: background",
            ])
        #expect(scenario.ack(4).last == "a background -> suspended")
    }

    @Test("Accepted, didEnterBackground must be acknowledged as after any home")
    func acceptedWatchdog() {
        let scenario = interrupted()
        scenario.home()
        #expect(scenario.run(.milliseconds(4_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)).first?.hasPrefix("kill a scene-update-watchdog") == true)
    }

    @Test("Another app is opened: the interruption is accepted")
    func overtaken() {
        let scenario = interrupted()
        scenario.start(.b, inBackground: true)
        #expect(
            scenario.open(.b) == [
                "a inactive -> background", "a <- didEnterBackground #4 5s to 1", "b background -> active",
            ])
    }

    @Test("Another app is launched: the interruption is accepted")
    func overtakenByLaunch() {
        #expect(
            interrupted().start(.b) == [
                "a inactive -> background", "a <- didEnterBackground #4 5s to 1", "b notRunning -> active",
            ])
    }

    @Test("A plain app is stopped at once when its interruption is accepted")
    func plainAccepted() {
        let scenario = Scenario()
        scenario.interrupt()
        #expect(scenario.home() == ["a inactive -> background", "suspend a", "a background -> suspended"])
    }

    @Test("The edge from inactive to background refills the budget")
    func refill() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.run(.seconds(100))
        scenario.open()
        scenario.interrupt()
        scenario.home()
        #expect(scenario.remaining() == "600s")
    }

    @Test("Opened after the interruption was accepted: willEnterForeground, then didBecomeActive")
    func afterwards() {
        let scenario = interrupted()
        scenario.home()
        #expect(
            scenario.open() == [
                "a background -> active", "a <- willEnterForeground #5 to 1", "a <- didBecomeActive #6 to 1",
            ])
    }

    // MARK: Where there is nothing to interrupt

    @Test("An interrupted app isn't interrupted again")
    func twice() {
        #expect(interrupted().interrupt(request: 2) == ["reply 2: inactive"])
    }

    @Test("An app in background isn't interrupted, and has nothing to dismiss")
    func inBackground() {
        let scenario = Scenario.awareInBackground()
        #expect(scenario.interrupt(request: 1) == ["reply 1: background"])
        #expect(scenario.dismiss(request: 2) == ["reply 2: background"])
    }

    @Test("A suspended app isn't interrupted, and has nothing to dismiss")
    func suspended() {
        let scenario = Scenario.awareSuspended()
        #expect(scenario.interrupt(request: 1) == ["reply 1: suspended"])
        #expect(scenario.dismiss(request: 2) == ["reply 2: suspended"])
    }

    @Test("An app whose program doesn't run yet isn't interrupted")
    func notRunning() {
        let scenario = Scenario.empty()
        scenario.send(.app(.a, .launch(Policy(profile: .ios4), LaunchOptions())))
        #expect(scenario.interrupt(request: 1) == ["reply 1: notRunning"])
        #expect(scenario.dismiss(request: 2) == ["reply 2: notRunning"])
        #expect(scenario.send(.app(.a, .started)) == ["a notRunning -> active"])
    }

    @Test("An active app has no interruption to dismiss")
    func dismissActive() {
        #expect(Scenario.aware().dismiss(request: 1) == ["reply 1: active"])
    }

    @Test("An app that is being ended is neither interrupted nor made active")
    func beingEnded() {
        let active = Scenario.aware()
        active.quit()
        #expect(active.interrupt(request: 1) == ["reply 1: active"])
        let inactive = interrupted()
        inactive.quit()
        #expect(inactive.dismiss(request: 1) == ["reply 1: inactive"])
        #expect(inactive.open(request: 2) == ["reply 2: inactive"])
    }

    // MARK: With the rest

    @Test("A hello while interrupted: didFinishLaunching only")
    func hello() {
        let scenario = Scenario()
        scenario.interrupt()
        #expect(scenario.hello() == ["note a aware", "a <- didFinishLaunching #1 20s foreground quietly to 1"])
        #expect(scenario.dismiss() == ["a inactive -> active", "a <- didBecomeActive #2 to 1"])
    }

    @Test("Told to quit while interrupted: willTerminate, and the report says where it was")
    func quit() {
        let scenario = interrupted()
        #expect(scenario.quit() == ["a <- willTerminate #4 5s to 1"])
        #expect(scenario.run(.seconds(5)).last == "a inactive -> notRunning")
    }

    @Test("An interruption is told to every connection")
    func connections() {
        let scenario = Scenario.aware()
        scenario.hello(connection: 2)
        #expect(scenario.interrupt().last == "a <- willResignActive #3 to 1,2")
        #expect(scenario.dismiss().last == "a <- didBecomeActive #4 to 1,2")
    }

    @Test("What falls asleep isn't interrupted, though it isn't known to be stopped yet")
    func fallingAsleep() {
        let scenario = Scenario.aware()
        scenario.confirmsSuspensions = false
        scenario.send(.app(.a, .sleep(stays: false, request: nil)))
        #expect(scenario.interrupt(request: 1) == ["reply 1: active"])
    }
}
