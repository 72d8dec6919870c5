import CurfewCore
import Testing

@Suite("What isn't stopped or dead at once is looked at again, and for how long")
struct RetryTests {
    /// App a, told to stop, and seen running after that.
    private var stopping: Scenario {
        let scenario = Scenario()
        scenario.confirmsSuspensions = false
        scenario.home(request: 7)
        scenario.send(.app(.a, .suspensionPending))
        return scenario
    }

    /// App a, killed, and not known to be gone.
    private var killed: Scenario {
        let scenario = Scenario(.with { $0.timeLimit = .seconds(1) })
        scenario.run(.seconds(1))
        scenario.send(.app(.a, .stillThere))
        return scenario
    }

    /// Answers each look of so long a time.
    @discardableResult
    private func answer(_ input: Input, for span: Span, in scenario: Scenario) -> [String] {
        var lines: [String] = []
        let end = scenario.now + span
        while let deadline = scenario.supervisor.nextDeadline.real, deadline <= end {
            lines += scenario.run(deadline - scenario.now)
            lines += scenario.send(input)
        }
        scenario.after(end - scenario.now)
        return lines
    }

    // MARK: Stopping

    @Test("A stop that isn't confirmed is looked at after 5 ms")
    func look() {
        #expect(stopping.untilDeadline == "0.005s")
        #expect(stopping.run(.milliseconds(5)) == ["is a stopped?"])
    }

    @Test("Nothing is looked at again before there is an answer")
    func awaitsAnswer() {
        let scenario = stopping
        scenario.run(.milliseconds(5))
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.tick() == [])
        #expect(scenario.supervisor.app(.a)?.awaitsRetry == true)
    }

    @Test("Until it is confirmed it counts as background, and nobody is answered")
    func unconfirmed() {
        let scenario = stopping
        #expect(answer(.app(.a, .suspensionPending), for: .milliseconds(50), in: scenario).count == 10)
        #expect(scenario.state() == .background)
        #expect(scenario.send(.app(.a, .suspensionConfirmed)).last == "reply 7: suspended")
        #expect(scenario.untilDeadline == nil)
    }

    @Test("The last look is the one after 200 ms")
    func lastLook() {
        let scenario = stopping
        let lines = answer(.app(.a, .suspensionPending), for: .milliseconds(199), in: scenario)
        #expect(lines == Array(repeating: "is a stopped?", count: 39))
        #expect(scenario.run(.milliseconds(1)) == ["is a stopped? the last look"])
    }

    @Test("Still not stopped then, it counts as suspended all the same, and that is told")
    func givesUpStopping() {
        let scenario = stopping
        scenario.after(.milliseconds(200)).tick()
        #expect(
            scenario.send(.app(.a, .suspensionIncomplete)) == [
                "a background -> suspended", "note a suspension incomplete", "reply 7: suspended",
            ])
        #expect(scenario.untilDeadline == nil)
    }

    /// App a, suspended, and not all of it stopped.
    private var late: Scenario {
        let scenario = stopping
        scenario.after(.milliseconds(200)).tick()
        scenario.send(.app(.a, .suspensionIncomplete))
        scenario.send(.app(.a, .suspensionPending))
        return scenario
    }

    @Test("After that it is looked at less and less often, once a second in the end, until it is confirmed")
    func lateLooks() {
        let scenario = late
        var pauses: [String?] = []
        for _ in 0..<6 {
            pauses.append(scenario.untilDeadline)
            guard let deadline = scenario.supervisor.nextDeadline.real else { break }
            #expect(scenario.run(deadline - scenario.now) == ["is a stopped?"])
            #expect(scenario.untilDeadline == nil)
            #expect(scenario.send(.app(.a, .suspensionPending)) == [])
        }
        #expect(pauses == ["0.2s", "0.4s", "0.8s", "1s", "1s", "1s"])
        scenario.run(.seconds(1))
        #expect(scenario.send(.app(.a, .suspensionConfirmed)) == [])
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.send(.app(.a, .suspensionPending)) == [])
        #expect(scenario.untilDeadline == nil)
    }

    @Test("An answer that comes late, and a stop that was never confirmed, begin no looks of their own")
    func lateAnswers() {
        let scenario = late
        #expect(scenario.send(.app(.a, .suspensionIncomplete)) == [])
        #expect(scenario.untilDeadline == "0.2s")
        #expect(scenario.supervisor.isSettled)
        scenario.open()
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.send(.app(.a, .suspensionPending)) == [])
        #expect(scenario.untilDeadline == nil)
        scenario.home()
        scenario.send(.app(.a, .suspensionPending))
        #expect(scenario.untilDeadline == "0.005s")
    }

    @Test("A tick that comes far too late looks once, for the last time")
    func lateLook() {
        #expect(stopping.after(.seconds(60)).tick() == ["is a stopped? the last look"])
    }

    @Test("Opened meanwhile, nobody looks again, and a late answer changes nothing")
    func openedMeanwhile() {
        let scenario = stopping
        scenario.open()
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.send(.app(.a, .suspensionPending)) == [])
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.supervisor.app(.a)?.awaitsRetry == false)
    }

    @Test("The next stop has 200 ms of its own")
    func nextStop() {
        let scenario = stopping
        answer(.app(.a, .suspensionPending), for: .milliseconds(150), in: scenario)
        scenario.open()
        scenario.home()
        scenario.send(.app(.a, .suspensionPending))
        #expect(
            answer(.app(.a, .suspensionPending), for: .milliseconds(199), in: scenario).allSatisfy {
                $0 == "is a stopped?"
            })
    }

    @Test("Looks run on real time, and go on while lifecycle time stands still")
    func heldTime() {
        #expect(stopping.supervisor.nextDeadline.lifecycle == nil)
        #expect(killed.supervisor.nextDeadline.lifecycle == nil)
    }

    @Test("A pending stop of an app that isn't being stopped means nothing")
    func pendingUnasked() {
        let scenario = Scenario()
        #expect(scenario.send(.app(.a, .suspensionPending)) == [])
        #expect(scenario.untilDeadline == nil)
    }

    // MARK: Killing

    @Test("A kill is repeated with pauses that double from 1 ms up to 100 ms")
    func pauses() {
        let scenario = killed
        var pauses: [String?] = []
        for _ in 0..<10 {
            pauses.append(scenario.untilDeadline)
            #expect(answerOnce(scenario) == ["kill a again"])
        }
        #expect(
            pauses == ["0.001s", "0.002s", "0.004s", "0.008s", "0.016s", "0.032s", "0.064s", "0.1s", "0.1s", "0.1s"])
    }

    private func answerOnce(_ scenario: Scenario) -> [String] {
        guard let deadline = scenario.supervisor.nextDeadline.real else { return [] }
        return scenario.run(deadline - scenario.now) + scenario.send(.app(.a, .stillThere))
    }

    @Test("The first look after 10 s is the last")
    func lastRound() {
        let scenario = killed
        let lines = answer(.app(.a, .stillThere), for: .milliseconds(9_999), in: scenario)
        #expect(Set(lines) == ["kill a again"])
        #expect(scenario.run(.milliseconds(100)) == ["the last look at a"])
        #expect(scenario.untilDeadline == nil)
    }

    @Test("What is left then is left, and the end says so")
    func givesUpKilling() {
        let scenario = killed
        scenario.after(.seconds(10)).tick()
        #expect(scenario.send(.app(.a, .killIncomplete)) == ["ended a exit 124 time-limit, some of it still there"])
        #expect(scenario.supervisor.apps == [])
    }

    @Test("Gone, it is over, and the end is complete")
    func gone() {
        let scenario = killed
        #expect(scenario.treeGone() == ["ended a exit 124 time-limit"])
        #expect(scenario.untilDeadline == nil)
    }

    @Test("What a leader leaves behind and can't be killed leaves its status as it was")
    func restStays() {
        let scenario = Scenario()
        scenario.leaderExits(5)
        scenario.remains()
        scenario.run(.seconds(5))
        scenario.send(.app(.a, .stillThere))
        scenario.after(.seconds(10)).tick()
        #expect(
            scenario.send(.app(.a, .killIncomplete)) == [
                "ended a exit 5, the rest killed after 5s, some of it still there"
            ])
    }

    @Test("An app that isn't being killed can't be given up, and isn't killed again")
    func unasked() {
        let scenario = Scenario()
        #expect(scenario.send(.app(.a, .killIncomplete)) == [])
        #expect(scenario.send(.app(.a, .stillThere)) == [])
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.supervisor.leavingApps == [])
    }

    // MARK: Waiting for the end

    @Test("Whether it is gone is asked from the first kill on, or once its leader has left something behind")
    func leaving() {
        #expect(Scenario().supervisor.leavingApps == [])
        #expect(killed.supervisor.leavingApps == [.a])
        let scenario = Scenario()
        scenario.leaderExits(0)
        #expect(scenario.supervisor.leavingApps == [])
        scenario.remains()
        #expect(scenario.supervisor.leavingApps == [.a])
    }

    @Test("What is stopping or being killed isn't settled; what has its time to end is")
    func settled() {
        #expect(Scenario().supervisor.isSettled)
        #expect(!stopping.supervisor.isSettled)
        #expect(!killed.supervisor.isSettled)
        #expect(Scenario.suspended().supervisor.isSettled)
        let scenario = Scenario()
        scenario.leaderExits(0)
        scenario.remains()
        #expect(scenario.supervisor.isSettled)
    }

    // MARK: Stopped by a terminal

    @Test("What a terminal has stopped is stopped with the rest, and continued with it")
    func terminalStop() {
        let scenario = Scenario()
        scenario.home(stopped: true)
        #expect(scenario.history.contains(.suspend(.a, includingStopped: true)))
        scenario.open()
        #expect(scenario.history.contains(.resume(.a, includingStopped: true)))
    }

    @Test("Continued once, it is an ordinary stop the next time")
    func ordinaryStop() {
        let scenario = Scenario()
        scenario.home(stopped: true)
        scenario.open()
        scenario.home()
        #expect(scenario.history.contains(.suspend(.a, includingStopped: false)))
    }

    @Test("A terminal's stop that is heard of while it is suspended is continued with it too")
    func terminalStopWhileSuspended() {
        let scenario = Scenario.suspended()
        #expect(scenario.send(.app(.a, .stoppedByTerminal)) == [])
        scenario.open()
        #expect(scenario.history.contains(.resume(.a, includingStopped: true)))
    }

    // MARK: Paging out

    /// App a, suspended and some of it paged out.
    private var pagingOut: Scenario {
        let scenario = Scenario.suspended(.with { $0.pageOut = PageOutPolicy(delay: .zero) })
        scenario.tick()
        scenario.send(.app(.a, .pageOutPending))
        return scenario
    }

    @Test("More of it goes to swap every millisecond, as long as there is more")
    func pieces() {
        let scenario = pagingOut
        #expect(scenario.untilDeadline == "0.001s")
        #expect(answer(.app(.a, .pageOutPending), for: .milliseconds(3), in: scenario).count == 3)
        #expect(scenario.run(.milliseconds(1)) == ["page out more of a"])
        #expect(scenario.run(.seconds(100)) == [])
    }

    @Test("Opened meanwhile, no more of it is moved; suspended again, all begins anew")
    func pieceOvertaken() {
        let scenario = pagingOut
        scenario.open()
        #expect(scenario.send(.app(.a, .pageOutPending)) == [])
        #expect(scenario.run(.seconds(1)) == [])
        scenario.home()
        #expect(scenario.tick() == ["page out a from 8M"])
    }
}
