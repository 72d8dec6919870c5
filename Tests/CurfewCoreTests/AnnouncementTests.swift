import CurfewCore
import Testing

/// Signals and hooks hear of what an app without a hello lives through.
@Suite("Announcements")
struct AnnouncementTests {
    private let policy = Policy.with { $0.announcesEvents = true }
    private let demanding = Policy.with {
        $0.announcesEvents = true
        $0.requiresHello = true
    }

    // MARK: The launch

    @Test("A plain app's launch is told to hooks only: the program can't have set up its signals yet")
    func launch() {
        #expect(
            Scenario.empty().start(.a, policy) == [
                "a notRunning -> active", "a <- didFinishLaunching #1 foreground hooks",
                "a <- didBecomeActive #2 hooks",
            ])
    }

    @Test("A launch into background too, with the waking event")
    func launchInBackground() {
        let options = LaunchOptions(wakingEvent: PostedEvent("fetch", [Info("id", "7")]), info: [Info("url", "x")])
        #expect(
            Scenario.empty().start(.a, policy, options) == [
                "a notRunning -> background", "a <- didFinishLaunching #1 background for fetch url=x hooks",
                "a <- didEnterBackground #2 hooks", "a <- wake fetch #3 id=7 hooks",
            ])
    }

    @Test("The hello that may come is told to its connection only")
    func hello() {
        #expect(
            Scenario(policy).hello() == [
                "note a aware", "a <- didFinishLaunching #3 20s foreground quietly to 1",
                "a <- didBecomeActive #4 quietly to 1",
            ])
    }

    @Test("A hello before the program is known to run: hooks hear, then the connection")
    func earlyHello() {
        let scenario = Scenario.empty()
        scenario.send(.app(.a, .launch(policy, LaunchOptions())))
        scenario.hello()
        #expect(
            scenario.send(.app(.a, .started)) == [
                "a notRunning -> active", "a <- didFinishLaunching #1 foreground hooks",
                "a <- didBecomeActive #2 hooks",
                "a <- didFinishLaunching #3 20s foreground quietly to 1", "a <- didBecomeActive #4 quietly to 1",
            ])
    }

    @Test("With --aware the launch is told when the hello has come, to all")
    func demandedHello() {
        let scenario = Scenario.empty()
        #expect(scenario.start(.a, demanding) == ["a notRunning -> active"])
        #expect(
            scenario.hello() == [
                "note a aware", "a <- didFinishLaunching #1 20s foreground to 1", "a <- didBecomeActive #2 to 1",
            ])
    }

    @Test("With --aware the waking event it was launched for is told with the hello, to all")
    func demandedWake() {
        let scenario = Scenario.empty()
        scenario.start(.a, demanding, LaunchOptions(wakingEvent: PostedEvent("fetch")))
        #expect(scenario.hello().last == "a <- wake fetch #3 30s to 1")
    }

    @Test("One that came before the hello was told then: now it is told to the connection only")
    func wakeBeforeHello() {
        let scenario = Scenario(demanding)
        #expect(scenario.wake("push") == ["a <- wake push #1"])
        #expect(scenario.hello().last == "a <- wake push #4 quietly to 1")
    }

    // MARK: READY instead of a hello

    @Test("With --aware, READY tells hooks of the launch; a later hello is told to its connection only")
    func ready() {
        let scenario = Scenario(demanding)
        #expect(
            scenario.notify(.ready) == [
                "note a ready", "a <- didFinishLaunching #1 foreground hooks", "a <- didBecomeActive #2 hooks",
            ])
        #expect(
            scenario.hello().dropFirst() == [
                "a <- didFinishLaunching #3 foreground quietly to 1", "a <- didBecomeActive #4 quietly to 1",
            ])
    }

    @Test("With --aware, READY tells hooks of the waking event too, and a later hello doesn't tell them again")
    func readyForWake() {
        let scenario = Scenario.empty()
        scenario.start(.a, demanding, LaunchOptions(wakingEvent: PostedEvent("fetch")))
        #expect(scenario.notify(.ready).suffix(2) == ["a <- didEnterBackground #2 hooks", "a <- wake fetch #3 hooks"])
        #expect(scenario.hello().last == "a <- wake fetch #6 30s quietly to 1")
    }

    @Test("READY tells hooks of the launch as the app is by then")
    func readyLate() {
        let interrupted = Scenario(demanding)
        interrupted.interrupt()
        #expect(
            interrupted.notify(.ready) == ["note a ready", "a <- didFinishLaunching #2 foreground hooks"])
        let atHome = Scenario(demanding)
        atHome.home()
        #expect(
            atHome.notify(.ready).prefix(3) == [
                "note a ready", "a <- didFinishLaunching #3 foreground hooks", "a <- didEnterBackground #4 hooks",
            ])
    }

    @Test("READY before the program is known to run: hooks hear when it does")
    func earlyReady() {
        let scenario = Scenario.empty()
        scenario.send(.app(.a, .launch(demanding, LaunchOptions())))
        #expect(scenario.notify(.ready) == ["note a ready"])
        #expect(
            scenario.send(.app(.a, .started)) == [
                "a notRunning -> active", "a <- didFinishLaunching #1 foreground hooks",
                "a <- didBecomeActive #2 hooks",
            ])
    }

    @Test("READY after the hello, or while it is being ended, tells nothing more")
    func lateReady() {
        let aware = Scenario(demanding)
        aware.hello()
        #expect(aware.notify(.ready) == ["note a ready", "note a didFinishLaunching #1 acknowledged"])
        let ending = Scenario(demanding)
        ending.quit()
        #expect(ending.notify(.ready) == ["note a ready"])
    }

    // MARK: A plain app's life

    @Test("Home is told, and the app is stopped at once, for it owes nothing")
    func home() {
        let scenario = Scenario(policy)
        #expect(
            scenario.home() == [
                "a active -> background", "a <- willResignActive #3", "a <- didEnterBackground #4 5s", "suspend a",
                "a background -> suspended",
            ])
        #expect(scenario.owed().isEmpty)
    }

    @Test("With --grace it has time to hear of it")
    func grace() {
        let scenario = Scenario(
            .with {
                $0.announcesEvents = true
                $0.grace = .seconds(1)
            })
        #expect(scenario.home().last == "a <- didEnterBackground #4 5s")
        #expect(scenario.run(.seconds(1)) == ["suspend a", "a background -> suspended"])
    }

    @Test("Stopped by a terminal, home is told to hooks only: a stopped program isn't sent signals")
    func stopped() {
        #expect(
            Scenario(policy).home(stopped: true) == [
                "a active -> background", "a <- willResignActive #3 hooks", "a <- didEnterBackground #4 5s hooks",
                "suspend a", "a background -> suspended",
            ])
    }

    @Test("Stopped by a terminal, and owed time, it is continued and told")
    func stoppedWithGrace() {
        let scenario = Scenario(
            .with {
                $0.announcesEvents = true
                $0.grace = .seconds(1)
            })
        #expect(
            scenario.home(stopped: true) == [
                "a active -> background", "resume a", "a <- willResignActive #3", "a <- didEnterBackground #4 5s",
            ])
    }

    @Test("Open is told")
    func open() {
        let scenario = Scenario(policy)
        scenario.home()
        #expect(
            scenario.open() == [
                "a suspended -> active", "resume a", "a <- willEnterForeground #5", "a <- didBecomeActive #6",
            ])
    }

    @Test("An interruption is told, and its end")
    func interruption() {
        let scenario = Scenario(policy)
        #expect(scenario.interrupt() == ["a active -> inactive", "a <- willResignActive #3"])
        #expect(scenario.dismiss() == ["a inactive -> active", "a <- didBecomeActive #4"])
    }

    @Test("A change is told, at once or when it runs again")
    func change() {
        let scenario = Scenario(policy)
        #expect(scenario.post("locale") == ["a <- change locale #3"])
        scenario.home()
        #expect(scenario.post("locale") == ["note a locale kept"])
        #expect(
            scenario.open().suffix(3) == [
                "a <- willEnterForeground #6", "a <- change locale #7", "a <- didBecomeActive #8",
            ])
    }

    @Test("A waking event is told: didEnterBackground again, changes, the event")
    func wake() {
        let scenario = Scenario(policy)
        scenario.home()
        scenario.post("locale")
        #expect(
            scenario.wake() == [
                "a suspended -> background", "resume a", "a <- didEnterBackground #5 5s", "a <- change locale #6",
                "a <- wake fetch #7 30s",
            ])
        #expect(scenario.owed().isEmpty)
        #expect(scenario.run(.seconds(30)) == ["suspend a", "a background -> suspended"])
    }

    @Test("The end is told to hooks; the program has SIGTERM")
    func quit() {
        #expect(Scenario(policy).quit() == ["a <- willTerminate #3 5s hooks", "SIGTERM a"])
    }

    @Test("The end is another signal, if one is chosen, and that is the status")
    func otherSignal() {
        let scenario = Scenario(.with { $0.terminateSignal = 1 })
        #expect(scenario.quit() == ["signal 1 a"])
        scenario.leaderDies(of: 1)
        #expect(scenario.treeGone().last == "ended a exit 129")
    }

    @Test("Any other signal's death is the program's own")
    func ownSignal() {
        let scenario = Scenario(.with { $0.terminateSignal = 1 })
        scenario.quit()
        scenario.leaderDies(of: 15)
        #expect(scenario.treeGone().last == "ended a raise 15")
    }

    @Test("Exiting where it would be suspended is told")
    func exitsOnSuspend() {
        let scenario = Scenario(
            .with {
                $0.announcesEvents = true
                $0.exitsOnSuspend = true
            })
        #expect(
            scenario.home() == [
                "a active -> background", "a <- didEnterBackground #3 5s", "a <- willTerminate #4 5s hooks",
                "SIGTERM a",
            ])
    }

    @Test("The end of a suspended app is told to nobody")
    func quitSuspended() {
        let scenario = Scenario(policy)
        scenario.home()
        #expect(scenario.quit() == ["kill a user-quit in suspended", "a suspended -> notRunning"])
    }

    @Test("An expiration is told, for each task")
    func expiration() {
        let scenario = Scenario(policy)
        scenario.begin()
        scenario.home()
        #expect(
            scenario.run(.seconds(595)) == ["note a warned tasks 1", "a <- backgroundTaskWillExpire #5 task 1 5s"])
    }

    @Test("Once its last connection has closed, it is told as a plain app")
    func becomesPlain() {
        let scenario = Scenario.aware(policy)
        scenario.disconnect()
        #expect(scenario.interrupt().last == "a <- willResignActive #5")
    }

    // MARK: Who hears

    @Test("An aware app's events are told to all, and are owed as ever")
    func aware() {
        let scenario = Scenario(policy)
        scenario.hello()
        scenario.ack(3)
        #expect(
            scenario.home() == [
                "a active -> background", "a <- willResignActive #5 to 1", "a <- didEnterBackground #6 5s to 1",
            ])
        #expect(scenario.owed() == ["didEnterBackground"])
    }

    @Test("Without signals and hooks nothing is delivered to a plain app")
    func nobody() {
        let scenario = Scenario.empty()
        scenario.start(.a, Policy(profile: .ios4), LaunchOptions(wakingEvent: PostedEvent("fetch")))
        scenario.wake()
        scenario.post("locale")
        scenario.open()
        scenario.interrupt()
        scenario.home()
        scenario.wake()
        scenario.quit()
        #expect(!scenario.history.contains { if case .deliver = $0 { true } else { false } })
    }
}
