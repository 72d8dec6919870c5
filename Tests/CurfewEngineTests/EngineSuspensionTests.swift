import CurfewCore
import CurfewEngine
import Testing

@Suite("The engine stops an app and makes sure of it")
struct EngineSuspensionTests {
    @Test("Confirmed at once, nothing is looked at again")
    func atOnce() {
        let scenario = EngineScenario.running(.with { $0.locks = .ignore })
        #expect(scenario.home().last == "state a background to suspended")
        #expect(scenario.engine.nextDeadline == nil)
        #expect(scenario.pass(.seconds(100)) == [])
    }

    @Test("Confirmed after some looks, 5 ms apart; until then the app counts as background", arguments: 1...39)
    func afterSomeLooks(looks: Int) {
        let scenario = EngineScenario.running(.with { $0.locks = .ignore })
        scenario.kernel[.a].stops = .after(looks)
        #expect(scenario.home(request: 1).last == "suspend a")
        for _ in 1..<looks {
            #expect(scenario.untilDeadline == .milliseconds(5))
            #expect(scenario.pass(.milliseconds(5)) == ["stopped? a: no"])
            #expect(scenario.engine.core.app(.a)?.state == .background)
        }
        #expect(
            scenario.pass(.milliseconds(5)) == [
                "stopped? a: yes", "record a state suspended", "state a background to suspended",
                "reply 1 state suspended",
            ])
        #expect(scenario.engine.nextDeadline == nil)
    }

    @Test("Very many are told to stop in turns; others are heard meanwhile, and the looks begin once all were told")
    func inTurns() {
        let scenario = EngineScenario()
        scenario.start(.b)
        scenario.start(.a, .with { $0.locks = .ignore })
        scenario.kernel[.a].tells = .after(3)
        scenario.kernel[.a].stops = .after(1)
        #expect(scenario.home(request: 1).last == "suspend a")
        #expect(scenario.feed(.app(.b, .quit(request: nil))).contains("SIGKILL b"))
        #expect(scenario.childrenChange().contains { $0.hasPrefix("ended b") })
        for _ in 1..<3 {
            #expect(scenario.engine.nextDeadline == scenario.kernel.clock)
            #expect(scenario.oversleep(.zero) == ["go on stopping a"])
            #expect(scenario.engine.core.app(.a)?.state == .background)
        }
        #expect(scenario.oversleep(.zero) == ["stopped? a: no"])
        #expect(scenario.untilDeadline == .milliseconds(5))
        #expect(scenario.pass(.milliseconds(5)).last == "reply 1 state suspended")
        #expect(scenario.engine.nextDeadline == nil)
    }

    @Test("Opened or ended while they are told, nobody else is")
    func overtaken() {
        for (input, line) in [
            (Input.app(.a, .open(request: nil)), "resume a"), (.app(.a, .quit(request: nil)), "SIGKILL a"),
        ] {
            let scenario = EngineScenario.running(.with { $0.locks = .ignore })
            scenario.kernel[.a].tells = .after(3)
            scenario.home()
            #expect(scenario.feed(input).contains(line))
            #expect(scenario.pass(.milliseconds(1)).only("go on stopping", "stopped?") == [])
        }
    }

    @Test("Never confirmed: after 200 ms what hangs is told by name, and the app counts as suspended")
    func never() {
        let scenario = EngineScenario.running(.with { $0.locks = .ignore })
        scenario.kernel[.a].stops = .never
        scenario.home(request: 1)
        #expect(scenario.pass(.milliseconds(199)) == Array(repeating: "stopped? a: no", count: 39))
        #expect(
            scenario.pass(.milliseconds(1)) == [
                "stopped? a: no", "record a stillRunning a (pid 1, uninterruptible, in nfs_wait)",
                "record a state suspended", "state a background to suspended", "record a note suspensionIncomplete",
                "reply 1 state suspended",
            ])
        #expect(scenario.untilDeadline == .milliseconds(200))
        #expect(scenario.pass(.seconds(60)) == Array(repeating: "stopped? a: no", count: 61))
        #expect(scenario.open().contains("resume a"))
        #expect(scenario.engine.nextDeadline == nil)
    }

    @Test("Stopped after all, it is confirmed by one of the looks that follow, and nobody looks again")
    func late() {
        let scenario = EngineScenario.running(.with { $0.locks = .ignore })
        scenario.kernel[.a].stops = .after(43)
        scenario.home()
        #expect(scenario.pass(.milliseconds(200)).only("record a note") == ["record a note suspensionIncomplete"])
        #expect(scenario.pass(.milliseconds(1_399)) == ["stopped? a: no", "stopped? a: no"])
        #expect(scenario.pass(.milliseconds(1)) == ["stopped? a: yes"])
        #expect(scenario.engine.nextDeadline == nil)
    }

    @Test("Looked at late, very many have as many turns as they need")
    func lateInTurns() {
        let scenario = EngineScenario.running(.with { $0.locks = .ignore })
        scenario.kernel[.a].stops = .never
        scenario.home()
        scenario.pass(.milliseconds(200))
        scenario.kernel[.a].stops = .atOnce
        scenario.kernel[.a].telling = .after(2)
        #expect(
            scenario.pass(.milliseconds(200)) == ["go on stopping a", "go on stopping a", "stopped? a: yes"])
        #expect(scenario.engine.nextDeadline == nil)
    }

    @Test("A wake-up far too late looks once more before it gives up")
    func lateLook() {
        let scenario = EngineScenario.running()
        scenario.kernel[.a].stops = .after(1)
        scenario.home()
        #expect(scenario.oversleep(.seconds(60)).first == "stopped? a: yes")
        let hanging = EngineScenario.running()
        hanging.kernel[.a].stops = .never
        hanging.home()
        #expect(hanging.oversleep(.seconds(60)).only("stopped?", "record a stillRunning").count == 2)
        #expect(hanging.engine.core.app(.a)?.state == .suspended)
    }

    @Test("A wake-up before the next look doesn't look")
    func earlyLook() {
        let scenario = EngineScenario.running()
        scenario.kernel[.a].stops = .after(1)
        scenario.home()
        #expect(scenario.oversleep(.milliseconds(4)) == [])
        #expect(scenario.oversleep(.milliseconds(1)).first == "stopped? a: yes")
    }

    @Test("Opened before it is confirmed, it is resumed, and nobody looks again")
    func openWhileUnconfirmed() {
        let scenario = EngineScenario.running()
        scenario.kernel[.a].stops = .never
        scenario.home(request: 1)
        scenario.pass(.milliseconds(50))
        #expect(
            scenario.open(request: 2) == [
                "record a state active", "state a background to active", "resume a", "reply 1 state active",
                "reply 2 state active",
            ])
        #expect(scenario.engine.nextDeadline == nil)
        #expect(scenario.pass(.seconds(1)) == [])
    }

    @Test("Stopped again after that, the 200 ms start anew")
    func suspendedAgain() {
        let scenario = EngineScenario.running()
        scenario.kernel[.a].stops = .never
        scenario.home()
        scenario.pass(.milliseconds(150))
        scenario.open()
        scenario.home()
        #expect(scenario.pass(.milliseconds(199)).only("record") == [])
        #expect(scenario.pass(.milliseconds(1)).only("record a stillRunning").count == 1)
    }

    @Test("A task begun on the way takes the stop back; ended, it comes again")
    func taskBegunWhileUnconfirmed() {
        let scenario = EngineScenario.running()
        scenario.kernel[.a].stops = .never
        scenario.home(request: 1)
        let lines = scenario.feed(
            .app(.a, .beginTask(name: "t", owner: OwnerID(1), connection: nil, request: RequestID(2))))
        #expect(lines.only("reply", "resume") == ["reply 2 begun 1", "resume a", "reply 1 state background"])
        #expect(scenario.pass(.seconds(1)) == [])
        scenario.kernel[.a].stops = .atOnce
        #expect(
            scenario.feed(.app(.a, .endTask(TaskID(1), request: RequestID(3)))).last
                == "state a background to suspended")
    }

    @Test("Killed before it is confirmed, nobody looks whether it has stopped")
    func killedWhileUnconfirmed() {
        let scenario = EngineScenario()
        scenario.start(.a, .with { $0.timeLimit = .milliseconds(7) })
        scenario.kernel[.a].stops = .never
        scenario.kernel[.a].dies = .never
        scenario.home()
        let lines = scenario.pass(.seconds(1))
        #expect(lines.only("stopped?") == ["stopped? a: no"])
        #expect(lines.only("record a stillRunning") == [])
    }

    @Test("Its leader gone before it is confirmed, nobody looks whether the rest has stopped")
    func leaderExitsWhileUnconfirmed() {
        let scenario = EngineScenario.running()
        scenario.kernel[.a].stops = .never
        scenario.kernel[.a].dies = .never
        scenario.home()
        scenario.leaderExits()
        let lines = scenario.pass(.seconds(1))
        #expect(lines.only("stopped?", "record a stillRunning") == [])
    }

    @Test("Where the whole tree is waited for, the rest is still made sure of")
    func leaderOfWaitedTreeExitsWhileUnconfirmed() {
        let scenario = EngineScenario.running(.with { $0.waitsForTree = true })
        scenario.kernel[.a].stops = .after(2)
        scenario.home()
        scenario.leaderExits()
        #expect(scenario.pass(.milliseconds(10)).last == "state a background to suspended")
    }

    @Test("What a terminal has stopped is counted as ours, and continued by its group")
    func terminalStop() {
        let scenario = EngineScenario.running()
        #expect(scenario.home(stopped: true).contains("suspend a including stopped"))
        #expect(scenario.open().only("resume", "continue") == ["resume a", "continue a after terminal stop"])
        #expect(scenario.home().contains("suspend a"))
        #expect(scenario.open().only("resume", "continue") == ["resume a"])
    }

    @Test("A terminal stop while time is owed: continued at once, and the stop that follows is an ordinary one")
    func terminalStopWithTimeOwed() {
        let scenario = EngineScenario.running()
        scenario.feed(.app(.a, .beginTask(name: "t", owner: OwnerID(1), connection: nil, request: RequestID(1))))
        #expect(
            scenario.home(stopped: true).only("resume", "continue", "suspend") == [
                "resume a", "continue a after terminal stop",
            ])
        #expect(scenario.feed(.app(.a, .endTask(TaskID(1), request: RequestID(2)))).contains("suspend a"))
    }

    @Test("Stopped by a terminal in background: left so until it is opened, and continued by its group then")
    func terminalStopInBackground() {
        let scenario = EngineScenario.running()
        scenario.feed(.app(.a, .beginTask(name: "t", owner: OwnerID(1), connection: nil, request: RequestID(1))))
        scenario.home()
        #expect(scenario.feed(.app(.a, .stoppedByTerminal)) == [])
        #expect(scenario.open().only("resume", "continue") == ["resume a", "continue a after terminal stop"])
        scenario.home()
        scenario.feed(.app(.a, .stoppedByTerminal))
        #expect(
            scenario.feed(.app(.a, .endTask(TaskID(1), request: RequestID(2)))).only("suspend")
                == ["suspend a including stopped"])
    }

    @Test("A terminal stop of one app says nothing of another")
    func terminalStopOfOne() {
        let scenario = EngineScenario.running()
        scenario.home(stopped: true)
        scenario.start(.b)
        #expect(scenario.home(.b).contains("suspend b"))
        #expect(scenario.open(.b).only("continue") == [])
        #expect(scenario.open(.a).only("continue") == ["continue a after terminal stop"])
    }
}
