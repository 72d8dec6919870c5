import CurfewCore
import Testing

/// Aspects of an app's world that change: told at once, or kept while it is suspended, the latest of each.
@Suite("Changes")
struct ChangeTests {
    // MARK: While it runs

    @Test("An active app is told at once, and owes nothing")
    func active() {
        let scenario = Scenario.aware()
        #expect(scenario.post("locale", request: 1) == ["a <- change locale #3 to 1", "reply 1: active"])
        #expect(scenario.owed().isEmpty)
        #expect(scenario.untilDeadline == nil)
    }

    @Test("An interrupted app is told at once")
    func inactive() {
        let scenario = Scenario.aware()
        scenario.interrupt()
        #expect(scenario.post("locale") == ["a <- change locale #4 to 1"])
    }

    @Test("An app that runs in background is told at once")
    func inBackground() {
        #expect(Scenario.awareInBackground().post("locale") == ["a <- change locale #5 to 1"])
    }

    @Test("What travels with it is delivered with it, to every connection")
    func info() {
        let scenario = Scenario.aware()
        scenario.hello(connection: 2)
        #expect(
            scenario.post("locale", [Info("language", "de"), Info("region", "CH")])
                == ["a <- change locale #3 language=de region=CH to 1,2"])
    }

    @Test("While it runs each is told, the same name too")
    func each() {
        let scenario = Scenario.aware()
        #expect(scenario.post("locale") == ["a <- change locale #3 to 1"])
        #expect(scenario.post("locale") == ["a <- change locale #4 to 1"])
    }

    @Test("A change doesn't let it run on in background")
    func noTime() {
        let scenario = Scenario.aware()
        scenario.home()
        scenario.post("locale")
        #expect(scenario.ack(4).last == "a background -> suspended")
    }

    @Test("A plain app that nobody listens for isn't told, and the request is answered")
    func plain() {
        #expect(Scenario().post("locale", request: 1) == ["reply 1: active"])
    }

    // MARK: While it is suspended

    @Test("Suspended, nothing is delivered: the change is kept")
    func kept() {
        let scenario = Scenario.awareSuspended()
        #expect(scenario.post("locale", request: 1) == ["note a locale kept", "reply 1: suspended"])
        #expect(scenario.supervisor.app(.a)?.keptChangeNames == ["locale"])
        #expect(scenario.untilDeadline == nil)
    }

    @Test("While the suspension isn't confirmed it is kept too")
    func unconfirmed() {
        let scenario = Scenario.aware()
        scenario.confirmsSuspensions = false
        scenario.home()
        scenario.ack(4)
        #expect(scenario.post("locale", request: 1) == ["note a locale kept", "reply 1: background"])
    }

    @Test("Opened: after willEnterForeground, and before didBecomeActive")
    func opened() {
        let scenario = Scenario.awareSuspended()
        scenario.post("locale", [Info("language", "de")])
        #expect(
            scenario.open() == [
                "a suspended -> active", "resume a", "a <- willEnterForeground #5 to 1",
                "a <- change locale #6 language=de to 1", "a <- didBecomeActive #7 to 1",
            ])
    }

    @Test("Of each name the latest is told, in the order in which the names were first posted")
    func latest() {
        let scenario = Scenario.awareSuspended()
        scenario.post("locale", [Info("language", "de")])
        scenario.post("timezone")
        scenario.post("locale", [Info("language", "fr")])
        #expect(
            scenario.open().dropFirst(3) == [
                "a <- change locale #6 language=fr to 1", "a <- change timezone #7 to 1",
                "a <- didBecomeActive #8 to 1",
            ])
    }

    @Test("A change is told once")
    func once() {
        let scenario = Scenario.awareSuspended()
        scenario.post("locale")
        scenario.open()
        scenario.home()
        scenario.ack(9)
        #expect(scenario.open().last == "a <- didBecomeActive #11 to 1")
        #expect(scenario.supervisor.app(.a)?.keptChangeNames == [])
    }

    @Test("64 names are kept; one more is refused, a known one isn't")
    func bounded() {
        let scenario = Scenario.awareSuspended()
        for number in 0..<63 { scenario.post("c\(number)") }
        #expect(scenario.post("last", request: 64) == ["note a last kept", "reply 64: suspended"])
        #expect(scenario.post("more", request: 65) == ["reply 65: error too-many-changes"])
        #expect(scenario.post("c7", request: 66) == ["note a c7 kept", "reply 66: suspended"])
        #expect(scenario.supervisor.app(.a)?.keptChangeNames.count == App.maximumKeptChanges)
    }

    @Test("A refused change without a request is dropped without a word")
    func refusedSilently() {
        let scenario = Scenario.awareSuspended()
        for number in 0..<64 { scenario.post("c\(number)") }
        #expect(scenario.post("more").isEmpty)
    }

    @Test("A plain suspended app's changes are gone when it is opened")
    func plainSuspended() {
        let scenario = Scenario.suspended()
        #expect(scenario.post("locale", request: 1) == ["note a locale kept", "reply 1: suspended"])
        #expect(scenario.open() == ["a suspended -> active", "resume a"])
        #expect(scenario.hello().count == 3)
    }

    @Test("A hello sent before the stop: the launch, then the changes, then didBecomeActive")
    func helloWhileSuspended() {
        let scenario = Scenario.suspended()
        scenario.hello()
        scenario.post("locale")
        #expect(
            scenario.open().suffix(3) == [
                "a <- didFinishLaunching #1 20s foreground quietly to 1", "a <- change locale #2 to 1",
                "a <- didBecomeActive #3 quietly to 1",
            ])
    }

    @Test("A begin takes the suspension back: what was kept is told at once, so that nothing newer overtakes it")
    func begin() {
        let scenario = Scenario.awareSuspended()
        scenario.post("locale")
        #expect(
            scenario.begin().suffix(3) == [
                "a suspended -> background", "resume a", "a <- change locale #5 to 1",
            ])
        #expect(scenario.post("locale") == ["a <- change locale #6 to 1"])
        #expect(
            scenario.open() == [
                "a background -> active", "a <- willEnterForeground #7 to 1", "a <- didBecomeActive #8 to 1",
            ])
    }

    // MARK: While a terminal has stopped it

    /// Aware and in background on a task, where reading the terminal has stopped it; the next event is #5.
    private var stopped: Scenario {
        let scenario = Scenario.awareInBackground()
        scenario.send(.app(.a, .stoppedByTerminal))
        return scenario
    }

    @Test("Stopped by a terminal, nothing is delivered: the change is kept")
    func stoppedByTerminal() {
        #expect(stopped.post("locale", request: 1) == ["note a locale kept", "reply 1: background"])
    }

    @Test("Opened, it hears before didBecomeActive")
    func stoppedOpened() {
        let scenario = stopped
        scenario.post("locale")
        #expect(
            scenario.open() == [
                "a background -> active", "resume a", "a <- willEnterForeground #5 to 1",
                "a <- change locale #6 to 1", "a <- didBecomeActive #7 to 1",
            ])
    }

    @Test("Woken, it hears before the event")
    func stoppedWoken() {
        let scenario = stopped
        scenario.post("locale")
        #expect(
            scenario.wake() == ["resume a", "a <- change locale #5 to 1", "a <- wake fetch #6 30s to 1"])
    }

    @Test("Continued for a task, it hears at once")
    func stoppedBegin() {
        let scenario = stopped
        scenario.post("locale")
        #expect(scenario.begin().suffix(2) == ["resume a", "a <- change locale #5 to 1"])
        #expect(scenario.post("locale") == ["a <- change locale #6 to 1"])
    }

    @Test("Continued for the expiration's warning, it hears before that")
    func stoppedWarned() {
        let scenario = stopped
        scenario.post("locale")
        #expect(
            scenario.run(.seconds(595)) == [
                "resume a", "a <- change locale #5 to 1", "note a warned tasks 1",
                "a <- backgroundTaskWillExpire #6 task 1 5s to 1",
            ])
    }

    @Test("A hello from its tree continues it, so that it can answer: the launch, the change")
    func stoppedHello() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.send(.app(.a, .stoppedByTerminal))
        scenario.post("locale")
        #expect(
            scenario.hello() == [
                "note a aware", "resume a", "a <- didFinishLaunching #1 20s foreground quietly to 1",
                "a <- didEnterBackground #2 5s quietly to 1", "a <- change locale #3 to 1",
            ])
    }

    @Test("A hello of one that was aware before: where it is, the change")
    func stoppedHelloAgain() {
        let scenario = stopped
        scenario.disconnect()
        scenario.post("locale")
        #expect(
            scenario.hello() == [
                "note a aware", "resume a", "a <- didEnterBackground #5 5s to 1", "a <- change locale #6 to 1",
            ])
    }

    // MARK: The end

    @Test("Killed while suspended, it hears nothing")
    func quitSuspended() {
        let scenario = Scenario.awareSuspended()
        scenario.post("locale")
        #expect(scenario.quit() == ["kill a user-quit in suspended", "a suspended -> notRunning"])
    }

    @Test("Woken for its end, it hears of nothing else")
    func quitWake() {
        let scenario = Scenario.awareSuspended(.with { $0.terminateSuspended = .wake })
        scenario.post("locale")
        #expect(scenario.quit() == ["a suspended -> background", "resume a", "a <- willTerminate #5 5s to 1"])
    }

    @Test("While it is being ended: terminating")
    func terminating() {
        let scenario = Scenario.aware()
        scenario.quit()
        #expect(scenario.post("locale", request: 1) == ["reply 1: error terminating"])
        #expect(scenario.post("locale").isEmpty)
    }

    @Test("Before its program runs: not-running; what its leader has left behind is being ended")
    func notRunning() {
        let scenario = Scenario.empty()
        scenario.send(.app(.a, .launch(Policy(profile: .ios4), LaunchOptions())))
        #expect(scenario.post("locale", request: 1) == ["reply 1: error not-running"])
        scenario.send(.app(.a, .started))
        scenario.leaderExits(0)
        #expect(scenario.post("locale", request: 2) == ["reply 2: error terminating"])
    }
}
