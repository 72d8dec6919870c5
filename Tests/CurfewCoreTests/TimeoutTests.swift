import CurfewCore
import Testing

@Suite("A time limit kept as timeout(1) keeps it")
struct TimeoutTests {
    private static func policy(_ timeout: TimeoutPolicy = TimeoutPolicy(), limit: Span = .seconds(10)) -> Policy {
        .with {
            $0.timeLimit = limit
            $0.timeout = timeout
        }
    }

    private static let over = "time is over for a time-limit in active, limit 10s, elapsed 10s"

    /// App a, whose time was over just now.
    private func expired(_ timeout: TimeoutPolicy = TimeoutPolicy()) -> Scenario {
        let scenario = Scenario(Self.policy(timeout))
        scenario.run(.seconds(10))
        return scenario
    }

    // MARK: The limit

    @Test("At the limit the whole tree gets the signal, and not before")
    func limit() {
        let scenario = Scenario(Self.policy())
        #expect(scenario.untilDeadline == "10s")
        #expect(scenario.after(.milliseconds(9_999)).tick().isEmpty)
        #expect(scenario.after(.milliseconds(1)).tick() == [Self.over, "signal 15 a"])
    }

    @Test("Without killAfter nothing more is due: it is waited for")
    func waits() {
        let scenario = expired()
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.run(.seconds(1_000)).isEmpty)
        #expect(scenario.state() == .active)
    }

    @Test("Another signal is sent instead", arguments: [0, 1, 10, 64] as [Int32])
    func otherSignal(signal: Int32) {
        let scenario = Scenario(Self.policy(TimeoutPolicy(signal: signal)))
        #expect(scenario.run(.seconds(10)) == [Self.over, "signal \(signal) a"])
    }

    @Test("SIGKILL at the limit is a kill of the whole tree")
    func signalKill() {
        let scenario = Scenario(Self.policy(TimeoutPolicy(signal: 9)))
        let kill = "kill a time-limit in active, limit 10s, elapsed 10s"
        #expect(scenario.run(.seconds(10)) == [kill, "a active -> notRunning"])
        #expect(scenario.untilDeadline == nil)
    }

    @Test("An infinite limit is none")
    func unlimited() {
        #expect(Scenario(Self.policy(limit: .infinite)).untilDeadline == nil)
    }

    @Test("--time-scale divides killAfter too")
    func scaled() {
        let policy = Self.policy(TimeoutPolicy(killAfter: .seconds(6))).scaled(by: 2)
        #expect(policy.timeout?.killAfter == .seconds(3))
        #expect(policy.timeLimit == .seconds(5))
    }

    // MARK: killAfter

    @Test("killAfter counts from the limit's signal, and kills the whole tree")
    func killAfter() {
        let scenario = expired(TimeoutPolicy(killAfter: .seconds(2)))
        #expect(scenario.untilDeadline == "2s")
        let kill = "kill a time-limit in active, limit 10s, elapsed 10s"
        #expect(scenario.run(.seconds(2)) == [kill, "a active -> notRunning"])
    }

    @Test("Ended of the signal, with nothing left behind: it is over")
    func endsInTime() {
        let scenario = expired(TimeoutPolicy(killAfter: .seconds(2)))
        #expect(scenario.leaderDies(of: 15) == ["sweep a waits"])
        #expect(scenario.treeGone() == ["a active -> notRunning", "ended a exit 124 time-limit"])
    }

    // MARK: What the command leaves behind after the limit

    private static let restIsKilled = ["sweep a kills", "a active -> notRunning"]

    @Test("It has had the signal too, and killAfter from there; the command's status isn't changed by its kill")
    func restAfterLimit() {
        let scenario = expired(TimeoutPolicy(killAfter: .seconds(20), preservesStatus: true))
        scenario.run(.seconds(12))
        scenario.leaderExits(3)
        #expect(scenario.remains().isEmpty)
        #expect(scenario.untilDeadline == "8s")
        #expect(scenario.run(.seconds(8)) == Self.restIsKilled)
        #expect(scenario.treeGone() == ["ended a exit 3 time-limit, the rest killed after 20s"])
    }

    @Test("Without killAfter, or with an endless one, it has 5 s from the signal", arguments: [nil, Span.infinite])
    func restWithoutKillAfter(killAfter: Span?) {
        let scenario = expired(TimeoutPolicy(killAfter: killAfter))
        scenario.run(.seconds(2))
        scenario.leaderDies(of: 15)
        #expect(scenario.remains().isEmpty)
        #expect(scenario.untilDeadline == "3s")
        #expect(scenario.run(.seconds(3)) == Self.restIsKilled)
        #expect(scenario.treeGone() == ["ended a exit 124 time-limit, the rest killed after 5s"])
    }

    @Test("Where the command outlasts that, the rest is killed with its end")
    func restOfSlowCommand() {
        let scenario = expired()
        scenario.run(.seconds(60))
        scenario.leaderDies(of: 15)
        #expect(scenario.remains() == Self.restIsKilled)
    }

    @Test("A signal that comes meanwhile is passed on to it; the limit's, and SIGALRM, change nothing")
    func signalToRest() {
        let scenario = Scenario(Self.policy())
        _ = relay(scenario, 14)
        scenario.leaderDies(of: 15)
        #expect(scenario.remains().isEmpty)
        #expect(relay(scenario, 14).isEmpty)
        #expect(relay(scenario, 2, isHeard: true).isEmpty)
        #expect(relay(scenario, 1) == ["signal 1 a"])
        #expect(scenario.untilDeadline == "5s")
    }

    @Test("A debugger doesn't hold that off")
    func tracedRest() {
        let scenario = expired()
        scenario.tracer = true
        scenario.leaderDies(of: 15)
        scenario.remains()
        #expect(scenario.run(.seconds(5)) == Self.restIsKilled)
    }

    @Test("Suspended, it is resumed to hear the signal")
    func suspendedRest() {
        let scenario = expired()
        scenario.home()
        #expect(scenario.state() == .suspended)
        scenario.leaderDies(of: 9)
        #expect(scenario.remains() == ["a suspended -> background", "resume a"])
        #expect(scenario.home().isEmpty)
        #expect(scenario.run(.seconds(5)) == ["sweep a kills", "a background -> notRunning"])
    }

    // MARK: Nobody waits any more

    private func abandon(_ scenario: Scenario) -> [String] { scenario.send(.app(.a, .abandoned)) }

    @Test("Abandoned, the whole tree gets the limit's signal, and SIGKILL 5 s later, once")
    func abandoned() {
        let scenario = Scenario(Self.policy(TimeoutPolicy(signal: 2), limit: .seconds(100)))
        #expect(abandon(scenario) == ["signal 2 a"])
        #expect(abandon(scenario).isEmpty)
        #expect(scenario.run(.seconds(5)) == ["kill a supervisor-exit in active", "a active -> notRunning"])
    }

    @Test("Abandoned, killAfter counts as ever, from an earlier signal too; and the rest has no more")
    func abandonedWithKillAfter() {
        let scenario = Scenario(Self.policy(TimeoutPolicy(killAfter: .seconds(7)), limit: .seconds(100)))
        _ = relay(scenario, 1)
        scenario.after(.seconds(3))
        #expect(abandon(scenario) == ["signal 15 a"])
        #expect(scenario.untilDeadline == "4s")
        #expect(scenario.leaderDies(of: 15) == ["sweep a waits"])
        #expect(scenario.remains().isEmpty)
        #expect(scenario.run(.seconds(4)) == Self.restIsKilled)
    }

    @Test("Abandoned with SIGKILL for a signal, it is killed at once")
    func abandonedToKill() {
        #expect(
            abandon(Scenario(Self.policy(TimeoutPolicy(signal: 9)))) == [
                "kill a supervisor-exit in active", "a active -> notRunning",
            ])
    }

    @Test("Abandoned, sparing descendants: the main process alone is signalled and killed, the rest let go")
    func abandonedMainProcessOnly() {
        let scenario = Scenario(Self.policy(TimeoutPolicy(sparesDescendants: true), limit: .seconds(100)))
        #expect(abandon(scenario) == ["signal 15 a, its main process only"])
        #expect(scenario.run(.seconds(5)) == ["kill the leader of a supervisor-exit in active"])
        #expect(scenario.leaderDies(of: 9) == ["release a", "a active -> notRunning"])
    }

    @Test("Abandoned while suspended, it is resumed")
    func abandonedSuspended() {
        let scenario = Scenario.suspended(Self.policy(limit: .seconds(100)))
        #expect(abandon(scenario) == ["a suspended -> background", "resume a", "signal 15 a"])
        #expect(scenario.run(.seconds(5)).contains("a background -> notRunning"))
    }

    @Test("Without such a limit the engine's is the last word")
    func abandonedOthers() { #expect(abandon(Scenario()).isEmpty) }

    // MARK: The command alone

    @Test("Sparing descendants, the main process alone is signalled and killed")
    func mainProcessOnly() {
        let scenario = Scenario(Self.policy(TimeoutPolicy(killAfter: .seconds(2), sparesDescendants: true)))
        #expect(scenario.run(.seconds(10)) == [Self.over, "signal 15 a, its main process only"])
        #expect(
            scenario.run(.seconds(2)) == ["kill the leader of a time-limit in active, limit 10s, elapsed 10s"])
        // Once: a main process that can't end yet isn't killed again.
        #expect(relay(scenario, 14) == [])
        #expect(scenario.leaderDies(of: 9) == ["release a", "a active -> notRunning"])
        #expect(scenario.treeGone() == ["ended a exit 137 time-limit"])
    }

    // MARK: Before the limit

    @Test("What the command leaves behind before the limit is let go")
    func leavesBehind() {
        let scenario = Scenario(Self.policy())
        #expect(scenario.leaderExits(3) == ["release a", "a active -> notRunning"])
        #expect(scenario.treeGone() == ["ended a exit 3"])
    }

    @Test("A command that dies of a signal: the same is raised")
    func dies() {
        let scenario = Scenario(Self.policy())
        scenario.leaderDies(of: 11)
        #expect(scenario.treeGone() == ["ended a raise 11"])
    }

    // MARK: Signals passed on

    private func relay(_ scenario: Scenario, _ signal: Int32, isHeard: Bool = false) -> [String] {
        scenario.send(.app(.a, .signalled(signal, isHeard: isHeard)))
    }

    @Test("A signal is passed on to the whole tree, and the limit stays")
    func passedOn() {
        let scenario = Scenario(Self.policy())
        #expect(relay(scenario, 15) == ["signal 15 a"])
        #expect(relay(scenario, 1) == ["signal 1 a"])
        #expect(scenario.untilDeadline == "10s")
        scenario.leaderDies(of: 15)
        #expect(scenario.treeGone() == ["ended a raise 15"])
    }

    @Test("What the terminal has sent to both isn't sent again")
    func heard() {
        #expect(relay(Scenario(Self.policy()), 2, isHeard: true).isEmpty)
    }

    @Test("killAfter counts from the first signal passed on, heard or not", arguments: [false, true])
    func killAfterSignal(isHeard: Bool) {
        let scenario = Scenario(Self.policy(TimeoutPolicy(killAfter: .seconds(2))))
        scenario.after(.seconds(1))
        _ = relay(scenario, 2, isHeard: isHeard)
        scenario.after(.seconds(1))
        _ = relay(scenario, 2)
        #expect(scenario.untilDeadline == "1s")
        #expect(scenario.run(.seconds(1)).first?.hasPrefix("kill a time-limit in active") == true)
        #expect(scenario.treeGone() == ["ended a raise 9 time-limit"])
    }

    @Test("One signal is all the notice: at the limit it is killed")
    func limitAfterSignal() {
        let scenario = Scenario(Self.policy(TimeoutPolicy(killAfter: .seconds(60))))
        _ = relay(scenario, 15)
        #expect(scenario.run(.seconds(10)).first?.hasPrefix("kill a time-limit") == true)
    }

    @Test("SIGALRM says that the time is over")
    func alarm() {
        let scenario = Scenario(Self.policy())
        scenario.after(.seconds(1))
        let over = "time is over for a time-limit in active, limit 10s, elapsed 1s"
        #expect(relay(scenario, 14) == [over, "signal 15 a"])
        #expect(relay(scenario, 14) == ["signal 15 a"])
        // The limit's own time is still to come.
        #expect(scenario.untilDeadline == "9s")
        #expect(scenario.run(.seconds(9)) == ["signal 15 a"])
        #expect(scenario.untilDeadline == nil)
    }

    @Test("With killAfter, SIGALRM is notice too: at the limit, or earlier, it is killed")
    func alarmIsNotice() {
        for (killAfter, elapsed) in [(Span.seconds(60), "10s"), (.seconds(2), "3s")] {
            let scenario = Scenario(Self.policy(TimeoutPolicy(killAfter: killAfter)))
            scenario.after(.seconds(1))
            _ = relay(scenario, 14)
            #expect(scenario.untilDeadline == (elapsed == "10s" ? "9s" : "2s"))
            #expect(scenario.run(.seconds(9)).first?.hasPrefix("kill a time-limit") == true)
        }
    }

    @Test("Nothing is passed on once the command has ended")
    func afterTheEnd() {
        let scenario = Scenario(Self.policy())
        scenario.leaderExits(0)
        #expect(relay(scenario, 15).isEmpty)
        #expect(relay(scenario, 14).isEmpty)
    }

    @Test("Without such a limit the input changes nothing")
    func otherApps() {
        #expect(relay(Scenario(), 15).isEmpty)
    }

    // MARK: In background

    @Test("A suspended one is resumed for the signal")
    func suspended() {
        let scenario = Scenario.suspended(Self.policy())
        let lines = scenario.run(.seconds(10))
        #expect(lines.firstIndex(of: "resume a") ?? 9 < lines.firstIndex(of: "signal 15 a") ?? 0)
    }

    @Test("At the limit it runs on until it has ended, and isn't suspended again")
    func suspendedAndSlow() {
        let scenario = Scenario.suspended(Self.policy())
        scenario.run(.seconds(10))
        #expect(scenario.run(.seconds(100)).filter { $0.hasPrefix("suspend") }.isEmpty)
        #expect(scenario.state() == .background)
    }

    @Test("Signalled before it, it has the time to end that it has after willTerminate")
    func suspendedAndSignalled() {
        let scenario = Scenario.suspended(Self.policy(limit: .seconds(100)))
        #expect(relay(scenario, 15).contains("signal 15 a"))
        #expect(scenario.run(.milliseconds(4_999)).filter { $0.hasPrefix("suspend") }.isEmpty)
        #expect(scenario.run(.milliseconds(1)).contains("suspend a"))
    }

    @Test("A debugger doesn't hold it off")
    func traced() {
        let scenario = Scenario(Self.policy(TimeoutPolicy(killAfter: .seconds(1))))
        scenario.tracer = true
        #expect(scenario.run(.seconds(10)).contains("signal 15 a"))
        #expect(scenario.run(.seconds(1)).contains { $0.hasPrefix("kill a time-limit") })
    }

    // MARK: Statuses

    /// The status after the limit; `signal`: what the command died of, nil: it exited 3.
    private func status(_ timeout: TimeoutPolicy, signal: Int32? = nil) -> String? {
        let scenario = expired(timeout)
        scenario.run(.seconds(2))
        if let signal { scenario.leaderDies(of: signal) } else { scenario.leaderExits(3) }
        return scenario.treeGone().last
    }

    @Test("After the limit it is 124, whatever the command's was")
    func timedOut() {
        #expect(status(TimeoutPolicy()) == "ended a exit 124 time-limit")
        #expect(status(TimeoutPolicy(), signal: 15) == "ended a exit 124 time-limit")
    }

    @Test("Preserved, it is the command's own")
    func preserved() {
        #expect(status(TimeoutPolicy(preservesStatus: true)) == "ended a exit 3 time-limit")
        #expect(status(TimeoutPolicy(preservesStatus: true), signal: 15) == "ended a exit 143 time-limit")
    }

    @Test("Killed by somebody else after the limit: 137")
    func killedByOthers() {
        #expect(status(TimeoutPolicy(), signal: 9) == "ended a exit 137 time-limit")
    }

    @Test("Having killed its group it dies of SIGKILL, status preserved or not", arguments: [false, true])
    func killed(preserves: Bool) {
        let timeout = TimeoutPolicy(killAfter: .seconds(2), preservesStatus: preserves)
        #expect(status(timeout, signal: 9) == "ended a raise 9 time-limit")
        #expect(status(timeout) == "ended a raise 9 time-limit")
    }

    @Test("A kill for memory is 137, before the limit and after it")
    func memory() {
        let policy = Policy.memory(fatal: 100) {
            $0.timeLimit = .seconds(10)
            $0.timeout = TimeoutPolicy()
        }
        for wait in [Span.seconds(1), .seconds(20)] {
            let scenario = Scenario(policy)
            scenario.run(wait)
            scenario.measured(101)
            scenario.leaderDies(of: 9)
            #expect(scenario.treeGone() == ["ended a exit 137 memory-limit"])
        }
    }
}
