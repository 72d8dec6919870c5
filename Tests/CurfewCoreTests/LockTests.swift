import CurfewCore
import Testing

@Suite("Locked files at suspension")
struct LockTests {
    private let lock = FileLock(path: "/db", kind: "POSIX", isWrite: true, pid: 7, isWaitedFor: false)
    private let other = FileLock(path: "/log", kind: "OFD", isWrite: true, pid: 8, isWaitedFor: true)

    private func policy(_ locks: LockPolicy, _ change: (inout Policy) -> Void = { _ in }) -> Policy {
        .with {
            $0.locks = locks
            change(&$0)
        }
    }

    /// App a in front, whose locks are told by hand.
    private func scenario(_ locks: LockPolicy, _ change: (inout Policy) -> Void = { _ in }) -> Scenario {
        let scenario = Scenario(policy(locks, change))
        scenario.locks = nil
        return scenario
    }

    /// App a, sent home, holds a lock.
    private func deferring(_ change: (inout Policy) -> Void = { _ in }) -> Scenario {
        let scenario = scenario(.defer, change)
        scenario.home()
        scenario.found([lock])
        return scenario
    }

    private let suspension = ["suspend a", "a background -> suspended", "check locks of a"]

    // MARK: Reported

    @Test("By default what an app is suspended with is reported")
    func byDefault() {
        #expect(Policy.with { _ in }.locks == .report)
    }

    @Test("Locks are looked for once the suspension is confirmed, and what is held then is reported")
    func reported() {
        let scenario = scenario(.report)
        scenario.confirmsSuspensions = false
        #expect(scenario.home() == ["a active -> background", "suspend a"])
        #expect(scenario.send(.app(.a, .suspensionConfirmed)) == ["a background -> suspended", "check locks of a"])
        #expect(scenario.found([lock, other]) == ["note a suspended with /db, /log"])
        #expect(scenario.state() == .suspended)
        #expect(scenario.supervisor.app(.a)?.heldLocks == [lock, other])
    }

    @Test("After a suspension that is incomplete too")
    func incomplete() {
        let scenario = scenario(.report)
        scenario.confirmsSuspensions = false
        scenario.home()
        #expect(scenario.send(.app(.a, .suspensionIncomplete)).last == "check locks of a")
    }

    @Test("Nothing held: nothing said")
    func nothingHeld() {
        for locks in [LockPolicy.report, .kill] {
            let scenario = scenario(locks)
            scenario.home()
            #expect(scenario.found([]).isEmpty)
            #expect(scenario.state() == .suspended)
        }
    }

    @Test("Resumed, it isn't suspended with them any more")
    func resumed() {
        let scenario = scenario(.report)
        scenario.home()
        scenario.found([lock])
        scenario.open()
        #expect(scenario.supervisor.app(.a)?.heldLocks == [])
    }

    @Test("An answer that comes after the app was opened changes nothing")
    func lateAnswer() {
        for locks in LockPolicy.allCases {
            let scenario = scenario(locks)
            scenario.home()
            scenario.open()
            #expect(scenario.found([lock]).isEmpty)
            #expect(scenario.state() == .active)
        }
    }

    @Test("An answer that comes after the kill changes nothing")
    func answerAfterKill() {
        let scenario = scenario(.kill)
        scenario.home()
        scenario.quit()
        #expect(scenario.found([lock]).isEmpty)
    }

    @Test("An app that exits on suspend isn't asked for its locks")
    func exitsOnSuspend() {
        for locks in LockPolicy.allCases {
            let scenario = scenario(locks) { $0.exitsOnSuspend = true }
            #expect(!scenario.home().contains("check locks of a"))
            #expect(scenario.supervisor.app(.a)?.isTerminating == true)
        }
    }

    // MARK: Ignored, killed

    @Test("Ignored, locks aren't looked for")
    func ignored() {
        let scenario = scenario(.ignore)
        #expect(scenario.home() == ["a active -> background", "suspend a", "a background -> suspended"])
    }

    @Test("Killed for them, with each in the report")
    func killed() {
        let scenario = scenario(.kill)
        scenario.home()
        #expect(
            scenario.found([lock, other]) == [
                "kill a suspended-with-locked-file in suspended, POSIX lock of /db by 7, OFD lock of /log by 8",
                "a suspended -> notRunning",
            ])
        #expect(scenario.treeGone() == ["ended a exit 137 suspended-with-locked-file"])
    }

    @Test("Held in the foreground, locks matter to nobody")
    func foreground() {
        #expect(scenario(.kill).found([lock]).isEmpty)
    }

    // MARK: Deferred

    @Test("Deferred, the suspension waits for the answer")
    func awaited() {
        let scenario = scenario(.defer)
        #expect(scenario.home() == ["a active -> background", "check locks of a"])
        #expect(scenario.found([]) == suspension)
    }

    @Test("With nothing held, home is answered once the app is suspended")
    func homeAnswered() {
        let scenario = scenario(.defer)
        scenario.locks = []
        #expect(
            scenario.home(request: 1) == [
                "a active -> background", "suspend a", "a background -> suspended", "reply 1: suspended",
            ])
    }

    @Test("With something held it is answered with background")
    func homeAnsweredAtOnce() {
        let scenario = scenario(.defer)
        let lines = scenario.home(request: 1) + scenario.found([lock])
        #expect(lines.last == "reply 1: background")
        #expect(scenario.state() == .background)
    }

    @Test("Whatever ends the waiting, home is answered, and once")
    func homeAnsweredOnce() {
        for end in [{ $0.begin() }, { $0.open() }, { $0.quit() }, { $0.wake() }] as [(Scenario) -> [String]] {
            let scenario = scenario(.defer)
            let lines = scenario.home(request: 1) + end(scenario)
            #expect(lines.filter { $0.hasPrefix("reply 1:") }.count == 1)
        }
    }

    @Test("While something is held it runs on, and is looked at every 50 ms")
    func looks() {
        let scenario = deferring()
        #expect(scenario.untilDeadline == "0.05s")
        #expect(scenario.run(.milliseconds(49)).isEmpty)
        #expect(scenario.run(.milliseconds(1)) == ["check locks of a"])
        #expect(scenario.found([lock]).isEmpty)
        #expect(scenario.untilDeadline == "0.05s")
    }

    @Test("Let go: suspended at once")
    func letGo() {
        let scenario = deferring()
        scenario.run(.milliseconds(50))
        #expect(scenario.found([]) == suspension)
        #expect(scenario.found([]).isEmpty)
        #expect(scenario.untilDeadline == nil)
    }

    @Test("Not let go within five seconds: suspended, and reported")
    func timeOver() {
        let scenario = deferring()
        scenario.locks = [lock]
        #expect(scenario.run(.milliseconds(4_999)).isEmpty)
        #expect(
            scenario.run(.milliseconds(1)) == [
                "suspend a", "a background -> suspended", "note a suspended with /db",
            ])
        #expect(scenario.untilDeadline == nil)
    }

    @Test("An answer that never comes doesn't hold it up for longer")
    func noAnswer() {
        let scenario = scenario(.defer)
        scenario.home()
        scenario.run(.seconds(5))
        #expect(scenario.state() == .suspended)
    }

    @Test("With no time to wait it is suspended at once")
    func noTime() {
        let scenario = scenario(.defer) { $0.lockWait = .zero }
        #expect(scenario.home() == ["a active -> background"] + suspension)
    }

    @Test("What it was given to wait is divided by the time scale")
    func scaled() {
        #expect(policy(.defer).scaled(by: 10).lockWait == .milliseconds(500))
    }

    @Test("A begin ends the waiting; the last end begins it anew, for its whole time")
    func begin() {
        let scenario = deferring()
        scenario.after(.seconds(4)).begin()
        #expect(scenario.untilDeadline == "591s")
        #expect(scenario.found([]).isEmpty)
        #expect(scenario.state() == .background)
        #expect(scenario.after(.seconds(10)).end(1).last == "check locks of a")
        scenario.locks = [lock]
        scenario.found([lock])
        #expect(scenario.run(.milliseconds(4_999)).isEmpty)
        #expect(scenario.run(.milliseconds(1)).first == "suspend a")
    }

    @Test("An open ends the waiting, and later answers mean nothing")
    func open() {
        let scenario = deferring()
        #expect(scenario.open() == ["a background -> active"])
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.found([]).isEmpty)
        #expect(scenario.state() == .active)
        scenario.after(.seconds(60)).home()
        #expect(scenario.found([lock]).isEmpty)
        #expect(scenario.untilDeadline == "0.05s")
    }

    @Test("A waking event ends the waiting")
    func wake() {
        let scenario = deferring()
        scenario.wake()
        #expect(scenario.untilDeadline == "30s")
        #expect(scenario.run(.seconds(30)) == ["check locks of a"])
    }

    @Test("A hello ends the waiting: the app has its acknowledgement to give first")
    func hello() {
        let scenario = deferring()
        scenario.hello()
        #expect(scenario.found([]).isEmpty)
        scenario.ack(1)
        #expect(scenario.ack(2).last == "check locks of a")
    }

    @Test("Asked to end while it waits, it is ended and not suspended")
    func quit() {
        let scenario = deferring()
        #expect(scenario.quit().contains("SIGTERM a"))
        #expect(scenario.found([]).isEmpty)
        #expect(scenario.untilDeadline == "5s")
        #expect(scenario.state() == .background)
    }

    @Test("An aware app acknowledges first, and is then waited for")
    func aware() {
        let scenario = Scenario.aware(policy(.defer))
        scenario.locks = nil
        #expect(!scenario.home().contains("check locks of a"))
        #expect(scenario.ack(4).last == "check locks of a")
        #expect(scenario.found([]) == suspension)
    }

    @Test("Stopped by a terminal while it holds a lock: continued, or it could never let go")
    func stoppedByTerminal() {
        let scenario = scenario(.defer)
        #expect(scenario.home(stopped: true) == ["a active -> background", "check locks of a"])
        #expect(scenario.found([lock]) == ["resume a"])
        #expect(scenario.run(.milliseconds(50)) == ["check locks of a"])
        #expect(scenario.found([]) == suspension)
    }

    @Test("Stopped by a terminal and holding nothing: it stays stopped")
    func stoppedHoldingNothing() {
        let scenario = scenario(.defer)
        scenario.home(stopped: true)
        #expect(scenario.found([]) == suspension)
    }

    @Test("A debugger that comes while it waits keeps it from being suspended at all")
    func traced() {
        let scenario = deferring()
        scenario.tracer = true
        #expect(scenario.run(.milliseconds(50)) == ["note a traced"])
        #expect(scenario.run(.seconds(60)).isEmpty)
        #expect(scenario.state() == .background)
        scenario.tracer = false
        #expect(scenario.run(.seconds(1)) == ["note a no longer traced", "check locks of a"])
    }

    @Test("It uses up its budget while it waits")
    func budgetRuns() {
        let scenario = deferring()
        scenario.run(.seconds(2))
        #expect(scenario.remaining() == "598s")
    }

    @Test("One app that waits holds up no other")
    func others() {
        let scenario = deferring()
        scenario.start(.b)
        scenario.home(.b)
        #expect(scenario.state(.b) == .suspended)
        #expect(scenario.state(.a) == .background)
    }

    @Test("A signal that grants time ends the waiting at once: a tick that comes early or late changes nothing")
    func signalled() {
        let scenario = scenario(.defer) { $0.timeout = TimeoutPolicy() }
        scenario.home(request: 1)
        let lines = scenario.send(.app(.a, .signalled(10, isHeard: false)))
        #expect(lines == ["reply 1: background", "signal 10 a"])
        #expect(scenario.tick().isEmpty)
    }
}
