import CurfewCore
import CurfewEngine
import Testing

@Suite("The engine ends an app")
struct EngineEndingTests {
    /// App a, killed for its time limit just now.
    private func killed(_ dies: Rounds, leaves: Rounds = .atOnce) -> EngineScenario {
        let scenario = EngineScenario.running(.with { $0.timeLimit = .seconds(1) })
        scenario.kernel[.a].dies = dies
        scenario.kernel[.a].leaves = leaves
        scenario.pass(.seconds(1))
        return scenario
    }

    @Test("A kill that takes is noticed at the next child's end, and told once")
    func killTakes() {
        let scenario = killed(.atOnce)
        #expect(scenario.untilDeadline == .milliseconds(1))
        #expect(scenario.childrenChange() == ["gone? a: yes", "record a ended", "ended a exit(124)"])
        #expect(scenario.engine.core.apps == [])
        #expect(scenario.engine.nextDeadline == nil)
        #expect(scenario.childrenChange() == [])
        #expect(scenario.oversleep(.seconds(1)) == [])
    }

    @Test("A plain app that is resumed to be ended has its signal by then, and once")
    func signalBeforeItGoesOn() {
        let scenario = EngineScenario.running(.with { $0.terminateSuspended = .wake })
        scenario.home()
        scenario.pass(.seconds(60))
        #expect(scenario.engine.core.app(.a)?.state == .suspended)
        let lines = scenario.feed(.app(.a, .quit(request: RequestID(1))))
        #expect(lines.only("will signal", "resume", "signal", "SIG") == ["will signal a 15", "resume a, sending 15"])
        #expect(lines.last == "reply 1 state background")
        #expect(scenario.pass(.seconds(1)).only("signal", "resume") == [])
    }

    @Test("So has one that sleeps, and one that a terminal has stopped, which is continued then")
    func signalOfOneThatSleepsOrIsStopped() {
        let asleep = EngineScenario.running(
            .with {
                $0.sleep = SleepPolicy()
                $0.locks = .ignore
            })
        asleep.feed(.app(.a, .sleep(stays: false, request: nil)))
        #expect(asleep.feed(.app(.a, .quit(request: nil))).only("resume", "signal") == ["resume a, sending 15"])
        let stopped = EngineScenario.running(.with { $0.terminateSuspended = .wake })
        stopped.home(stopped: true)
        #expect(
            stopped.feed(.app(.a, .quit(request: nil))).only("resume", "continue", "signal") == [
                "resume a, sending 15", "continue a after terminal stop",
            ])
    }

    @Test("One that goes on already has its signal alone")
    func signalOfOneThatRuns() {
        #expect(
            EngineScenario.running().feed(.app(.a, .quit(request: nil))).only("resume", "signal") == ["signal 15 a"])
    }

    @Test("A kill that takes is noticed without any child's end too")
    func killTakesUnheard() {
        #expect(killed(.atOnce).pass(.milliseconds(1)).last == "ended a exit(124)")
    }

    @Test("The leader's end after the kill belongs to the ending")
    func leaderOfKilled() {
        let scenario = killed(.atOnce)
        scenario.feed(.app(.a, .leaderExited(.signaled(signal: 9, dumpedCore: false))))
        scenario.childrenChange()
        #expect(scenario.host.endings.first?.ending.leader == .signaled(signal: 9, dumpedCore: false))
        #expect(scenario.host.endings.first?.ending.kill?.reason == .timeLimit)
    }

    @Test("A kill that doesn't take is repeated, with pauses that double up to 100 ms")
    func growingPauses() {
        let scenario = killed(.never)
        var pauses: [Int64] = []
        for _ in 0..<10 {
            guard let pause = scenario.untilDeadline else { break }
            pauses.append(pause.nanoseconds / 1_000_000)
            #expect(scenario.pass(pause) == ["gone? a: no", "SIGKILL a"])
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 100, 100, 100])
    }

    @Test("The round that takes is the last", arguments: [1, 2, 5, 20])
    func takesLater(rounds: Int) {
        let scenario = killed(.after(rounds))
        let lines = scenario.pass(.seconds(9))
        #expect(lines.only("SIGKILL").count == rounds)
        #expect(lines.suffix(3) == ["gone? a: yes", "record a ended", "ended a exit(124)"])
        #expect(scenario.engine.nextDeadline == nil)
    }

    @Test("What is dead but not yet gone is waited for")
    func goneLate() {
        let scenario = killed(.atOnce, leaves: .after(3))
        #expect(scenario.childrenChange() == ["gone? a: no"])
        #expect(scenario.pass(.milliseconds(3)).only("gone?") == ["gone? a: no", "gone? a: no"])
        #expect(scenario.childrenChange().last == "ended a exit(124)")
    }

    @Test("After 10 s the survivors are named and the app is over all the same")
    func givesUp() {
        let scenario = killed(.never)
        #expect(scenario.pass(.milliseconds(9_999)).only("record", "ended") == [])
        let lines = scenario.pass(.milliseconds(200))
        #expect(
            lines.suffix(4) == [
                "gone? a: no", "record a stillRunning a (pid 1, uninterruptible, in nfs_wait)", "record a ended",
                "ended a exit(124)",
            ])
        #expect(scenario.engine.core.apps == [])
        #expect(scenario.engine.nextDeadline == nil)
        #expect(scenario.pass(.seconds(100)) == [])
    }

    @Test("A wake-up after those 10 s gives up at once, but looks first")
    func givesUpLate() {
        #expect(killed(.never).oversleep(.seconds(11)).only("SIGKILL", "gone?", "ended").count == 2)
        let late = killed(.atOnce)
        #expect(late.oversleep(.seconds(11)) == ["gone? a: yes", "record a ended", "ended a exit(124)"])
    }

    @Test("A leader that leaves nothing behind ends the app at once")
    func nothingLeft() {
        let scenario = EngineScenario.running()
        scenario.kernel[.a].isAlive = false
        #expect(
            scenario.leaderExits(code: 5) == [
                "gone? a: yes", "record a state notRunning", "state a active to notRunning", "record a ended",
                "ended a exit(5)",
            ])
    }

    @Test("What a leader leaves behind is signalled once, and the run ends with it")
    func somethingLeftEnds() {
        let scenario = EngineScenario.running()
        #expect(scenario.leaderExits(code: 5) == ["gone? a: no", "will signal a 15", "signal 15 a"])
        #expect(scenario.pass(.seconds(4)) == [])
        scenario.kernel[.a].isAlive = false
        #expect(scenario.childrenChange().last == "ended a exit(5)")
        #expect(scenario.engine.nextDeadline == nil)
    }

    @Test("What a leader leaves behind is killed when it hasn't ended in time, and the leader's status stays")
    func somethingLeft() {
        let scenario = EngineScenario.running()
        scenario.kernel[.a].dies = .after(2)
        scenario.leaderExits(code: 5)
        let lines = scenario.pass(.seconds(5)).only("gone?", "will signal", "SIGKILL", "ended")
        #expect(lines == ["gone? a: no", "will signal a 9", "SIGKILL a"])
        #expect(scenario.pass(.seconds(1)).last == "ended a exit(5)")
        #expect(scenario.host.endings.first?.ending.kill == nil)
    }

    @Test("What a leader leaves behind and can't be killed is named, and the status stays the leader's")
    func somethingLeftForEver() {
        let scenario = EngineScenario.running()
        scenario.kernel[.a].dies = .never
        scenario.leaderExits(code: 5)
        let lines = scenario.pass(.seconds(16))
        #expect(lines.only("record a stillRunning").count == 1)
        #expect(lines.last == "ended a exit(5)")
    }

    @Test("Where the whole tree is waited for, nothing is killed and nobody is woken")
    func waitsForTree() {
        let scenario = EngineScenario.running(.with { $0.waitsForTree = true })
        #expect(scenario.leaderExits(code: 5) == ["gone? a: no"])
        #expect(scenario.engine.nextDeadline == nil)
        #expect(scenario.pass(.seconds(1000)) == [])
        #expect(scenario.childrenChange() == ["gone? a: no"])
        scenario.kernel[.a].isAlive = false
        #expect(scenario.childrenChange().last == "ended a exit(5)")
    }

    @Test("Where the whole tree is waited for, its limits still kill")
    func waitedTreeIsKilled() {
        let scenario = EngineScenario.running(
            .with {
                $0.waitsForTree = true
                $0.timeLimit = .seconds(60)
            })
        scenario.kernel[.a].dies = .after(1)
        scenario.leaderExits(code: 5)
        #expect(scenario.pass(.seconds(59)) == [])
        #expect(scenario.pass(.seconds(2)).only("SIGKILL", "ended") == ["SIGKILL a", "SIGKILL a", "ended a exit(124)"])
    }

    @Test("Children that end while nobody is being ended change nothing")
    func childrenOfRunningApp() {
        let scenario = EngineScenario.running()
        #expect(scenario.childrenChange() == [])
    }

    @Test("A launch that is quit before its program runs is killed and over")
    func quitWhileStarting() {
        let scenario = EngineScenario()
        scenario.engine.launch(.a, Policy(profile: .ios4))
        #expect(
            scenario.feed(.app(.a, .quit(request: nil))).prefix(3) == ["will end a", "will signal a 9", "SIGKILL a"])
        #expect(scenario.pass(.milliseconds(1)).last == "ended a exit(137)")
    }

    @Test("A clock that moves while things are done loses no deadline")
    func movingClock() {
        let scenario = EngineScenario()
        scenario.kernel.drift = .milliseconds(3)
        scenario.kernel[.a].stops = .never
        scenario.kernel[.a].dies = .never
        scenario.start(.a, .with { $0.timeLimit = .seconds(2) })
        scenario.home()
        let lines = scenario.pass(.seconds(20))
        #expect(lines.only("record a stillRunning").count == 2)
        #expect(lines.last == "ended a exit(124)")
        #expect(scenario.engine.nextDeadline == nil)
    }
}
