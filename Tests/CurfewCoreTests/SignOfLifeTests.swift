import CurfewCore
import Testing

/// A program with --watchdog owes a sign of life each interval, while it runs.
@Suite("Signs of life")
struct SignOfLifeTests {
    private let policy = Policy.with { $0.watchdogInterval = .seconds(3) }
    private let demanding = Policy.with {
        $0.watchdogInterval = .seconds(3)
        $0.requiresHello = true
    }

    @Test("Without one within the interval: killed, watchdog")
    func missing() {
        let scenario = Scenario(policy)
        #expect(scenario.untilDeadline == "3s")
        #expect(scenario.run(.milliseconds(2_999)).isEmpty)
        #expect(
            scenario.run(.milliseconds(1)) == [
                "kill a watchdog in active, limit 3s, elapsed 3s", "a active -> notRunning",
            ])
        #expect(scenario.treeGone() == ["ended a exit 124 watchdog"])
    }

    @Test("Each one gives the interval anew")
    func alive() {
        let scenario = Scenario(policy)
        for _ in 0..<100 {
            #expect(scenario.run(.milliseconds(2_999)).isEmpty)
            #expect(scenario.notify(.alive).isEmpty)
        }
        #expect(scenario.run(.seconds(3)).first?.hasPrefix("kill a watchdog") == true)
    }

    @Test("One that comes before anybody has looked saves it")
    func lateTick() {
        let scenario = Scenario(policy)
        scenario.after(.seconds(8)).notify(.alive)
        #expect(scenario.tick().isEmpty)
        #expect(scenario.untilDeadline == "3s")
    }

    @Test("A late look tells the time that passed")
    func lateKill() {
        #expect(
            Scenario(policy).after(.seconds(8)).tick().first == "kill a watchdog in active, limit 3s, elapsed 8s")
    }

    @Test("Without an interval none is owed, and one that comes does nothing")
    func unasked() {
        let scenario = Scenario()
        #expect(scenario.notify(.alive).isEmpty)
        #expect(scenario.untilDeadline == nil)
    }

    // MARK: The launch

    @Test("With --aware, none is owed before READY")
    func beforeReady() {
        let scenario = Scenario(demanding)
        #expect(scenario.run(.seconds(19)).isEmpty)
        scenario.notify(.ready)
        #expect(scenario.untilDeadline == "3s")
    }

    @Test("With --aware, none is owed before didFinishLaunching is acknowledged")
    func beforeAcknowledgement() {
        let scenario = Scenario(demanding)
        scenario.hello()
        #expect(scenario.run(.seconds(19)).isEmpty)
        scenario.ack(1)
        #expect(scenario.untilDeadline == "3s")
    }

    @Test("With --aware, none is owed when the connection closes before that")
    func demandedAgain() {
        let scenario = Scenario(demanding)
        scenario.hello()
        scenario.run(.seconds(10))
        scenario.disconnect()
        #expect(scenario.untilDeadline == "10s")
        #expect(scenario.run(.seconds(10)).first?.hasPrefix("kill a launch-watchdog") == true)
    }

    @Test("Without --aware it is owed from the start")
    func fromTheStart() {
        let scenario = Scenario(policy)
        scenario.after(.seconds(1)).hello()
        scenario.after(.seconds(1)).ack(1)
        #expect(scenario.untilDeadline == "1s")
    }

    @Test("Another READY, and other acknowledgements, buy no time")
    func nothingElse() {
        let scenario = Scenario.aware(policy)
        scenario.after(.seconds(1)).notify(.ready)
        scenario.home()
        scenario.after(.seconds(1)).ack(4)
        scenario.open()
        scenario.after(.seconds(1)).notify(.ready)
        scenario.hello(connection: 2)
        scenario.disconnect(connection: 2)
        #expect(scenario.untilDeadline == "2s")
    }

    // MARK: States

    @Test("It is owed in background too")
    func inBackground() {
        let scenario = Scenario(policy)
        scenario.begin()
        scenario.after(.seconds(1)).home()
        #expect(scenario.run(.milliseconds(1_999)).isEmpty)
        #expect(
            scenario.run(.milliseconds(1)).first
                == "kill a watchdog in background, limit 3s, elapsed 3s, task 1 \"t\" 3s")
    }

    @Test("An interruption and its end don't renew it")
    func interruption() {
        let scenario = Scenario(policy)
        scenario.after(.seconds(1)).interrupt()
        #expect(scenario.untilDeadline == "2s")
        scenario.after(.seconds(1)).dismiss()
        #expect(scenario.untilDeadline == "1s")
    }

    @Test("None is owed while suspended")
    func suspended() {
        let scenario = Scenario(policy)
        scenario.home()
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.run(.seconds(10_000)).isEmpty)
    }

    @Test("A datagram sent before the stop arms nothing")
    func aliveWhileSuspended() {
        let scenario = Scenario(policy)
        scenario.home()
        scenario.notify(.alive)
        scenario.notify(.watchdogInterval(.seconds(1)))
        #expect(scenario.untilDeadline == nil)
    }

    @Test("Opened from suspended, the interval counts anew")
    func openedFromSuspended() {
        let scenario = Scenario(policy)
        scenario.run(.seconds(2))
        scenario.home()
        scenario.run(.seconds(100))
        scenario.open()
        #expect(scenario.untilDeadline == "3s")
    }

    @Test("Opened from background, the interval counts anew")
    func openedFromBackground() {
        let scenario = Scenario(policy)
        scenario.begin()
        scenario.home()
        scenario.after(.seconds(2)).open()
        #expect(scenario.untilDeadline == "3s")
    }

    @Test("Woken, the interval counts anew")
    func woken() {
        let scenario = Scenario(policy)
        scenario.home()
        scenario.after(.seconds(100)).wake()
        #expect(scenario.untilDeadline == "3s")
        #expect(scenario.run(.seconds(3)).first?.hasPrefix("kill a watchdog in background") == true)
    }

    @Test("A waking event in background doesn't renew it")
    func wokenInBackground() {
        let scenario = Scenario.inBackground(policy, tasks: "one")
        scenario.after(.seconds(1)).wake()
        #expect(scenario.untilDeadline == "2s")
    }

    @Test("None is owed while it is being ended")
    func terminating() {
        let scenario = Scenario(policy)
        scenario.quit()
        #expect(scenario.untilDeadline == "5s")
        scenario.notify(.alive)
        #expect(scenario.run(.milliseconds(4_999)).isEmpty)
    }

    @Test("While a debugger holds the app, none is missed")
    func traced() {
        let scenario = Scenario(policy)
        scenario.tracer = true
        #expect(scenario.run(.seconds(3)) == ["note a traced"])
        #expect(scenario.run(.seconds(100)).isEmpty)
        scenario.notify(.alive)
        scenario.tracer = false
        #expect(scenario.run(.seconds(1)) == ["note a no longer traced"])
        #expect(scenario.untilDeadline == "3s")
    }

    @Test("EXTEND_TIMEOUT_USEC isn't about it")
    func notExtended() {
        let scenario = Scenario(policy)
        scenario.hello()
        scenario.notify(.extendTimeout(.seconds(100)))
        #expect(scenario.untilDeadline == "3s")
    }

    @Test("A leader that has ended leaves its tree owing it, with --wait-all")
    func wholeTree() {
        let scenario = Scenario(
            .with {
                $0.watchdogInterval = .seconds(3)
                $0.waitsForTree = true
            })
        scenario.leaderExits(0)
        #expect(scenario.untilDeadline == "3s")
    }

    // MARK: WATCHDOG_USEC and WATCHDOG=trigger

    @Test("WATCHDOG_USEC changes the interval, from now")
    func changed() {
        let scenario = Scenario(policy)
        scenario.after(.seconds(2)).notify(.watchdogInterval(.seconds(10)))
        #expect(scenario.supervisor.app(.a)?.watchdogInterval == .seconds(10))
        #expect(scenario.untilDeadline == "10s")
        #expect(scenario.run(.seconds(10)).first == "kill a watchdog in active, limit 10s, elapsed 10s")
    }

    @Test("WATCHDOG_USEC=0 ends it")
    func ended() {
        let scenario = Scenario(policy)
        scenario.notify(.watchdogInterval(nil))
        #expect(scenario.untilDeadline == nil)
    }

    @Test("WATCHDOG_USEC begins it where none was demanded")
    func begun() {
        let scenario = Scenario()
        scenario.notify(.watchdogInterval(.seconds(4)))
        #expect(scenario.untilDeadline == "4s")
    }

    @Test("WATCHDOG=trigger: killed at once")
    func broken() {
        #expect(
            Scenario().notify(.broken) == ["kill a watchdog in active", "a active -> notRunning"])
    }

    @Test("… of a suspended app too, that had said so before it was stopped")
    func brokenWhileSuspended() {
        #expect(
            Scenario.suspended().notify(.broken) == ["kill a watchdog in suspended", "a suspended -> notRunning"])
    }

    @Test("A debugger is looked for first, and holds the kill off for good")
    func brokenTraced() {
        let scenario = Scenario()
        scenario.tracer = nil
        #expect(scenario.notify(.broken) == ["check tracer a"])
        #expect(scenario.send(.app(.a, .tracerChecked(isTraced: true))) == ["note a traced"])
        #expect(scenario.notify(.broken).isEmpty)
        #expect(scenario.run(.seconds(1)) == ["check tracer a"])
        #expect(scenario.send(.app(.a, .tracerChecked(isTraced: false))) == ["note a no longer traced"])
        #expect(scenario.tick().isEmpty)
    }

    @Test("While it is being ended it is killed when its time is over, not before")
    func brokenWhileEnding() {
        let scenario = Scenario()
        scenario.quit()
        #expect(scenario.notify(.broken).isEmpty)
        #expect(scenario.untilDeadline == "5s")
    }

    @Test("An interval is divided by --time-scale")
    func scaled() {
        #expect(policy.scaled(by: 3).watchdogInterval == .seconds(1))
    }
}
