import CurfewCore
import Testing

@Suite("Falling asleep")
struct FallingAsleepTests {
    @Test("Asked to, it is stopped where it is; its input is waited for before anybody is told")
    func asked() {
        let scenario = Scenario(.sleeping(whenIdle: nil))
        #expect(
            scenario.sleep(request: 7) == [
                "suspend a", "a active -> suspended", "watch input of a",
            ])
        #expect(scenario.watched() == ["note a asleep", "reply 7: suspended"])
        #expect(scenario.isAsleep)
        #expect(scenario.history.contains(.note(.a, .didSleep(by: "being asked"))))
    }

    @Test("What stops late is asleep once its input is waited for, and that is looked at anew when it has stopped")
    func late() {
        let scenario = Scenario(.sleeping(whenIdle: nil))
        scenario.confirmsSuspensions = false
        scenario.sleep(request: 7)
        scenario.send(.app(.a, .suspensionPending))
        scenario.after(.milliseconds(200)).tick()
        #expect(
            scenario.send(.app(.a, .suspensionIncomplete)) == [
                "a active -> suspended", "note a suspension incomplete", "watch input of a",
            ])
        scenario.send(.app(.a, .suspensionPending))
        #expect(scenario.watched() == ["note a asleep", "reply 7: suspended"])
        #expect(scenario.run(.milliseconds(200)) == ["is a stopped?"])
        #expect(scenario.send(.app(.a, .suspensionConfirmed)) == ["unwatch input of a", "watch input of a"])
        #expect(scenario.sleep(request: 8) == [])
        #expect(scenario.watched() == ["reply 8: suspended"])
        #expect(scenario.sleep(request: 9) == ["reply 9: suspended"])
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.input().contains("resume a"))
    }

    @Test("Where nothing is to wake it, nothing is waited for")
    func unwatched() {
        let scenario = Scenario()
        #expect(
            scenario.sleep(request: 7) == [
                "suspend a", "a active -> suspended", "note a asleep", "reply 7: suspended",
            ])
    }

    @Test("An aware app is told nothing")
    func toldNothing() {
        let scenario = Scenario.aware(.sleeping())
        #expect(!scenario.sleep().contains { $0.hasPrefix("a <-") })
        #expect(!scenario.watched().contains { $0.hasPrefix("a <-") })
        #expect(!scenario.input().contains { $0.hasPrefix("a <-") })
    }

    @Test("Asked to while it falls asleep by itself, it has been asked")
    func askedMeanwhile() {
        let scenario = Scenario(.sleeping())
        scenario.tick()
        scenario.idle()
        #expect(scenario.beIdle(for: .seconds(60)).contains("watch input of a"))
        scenario.sleep()
        scenario.watched()
        #expect(scenario.history.last == .note(.a, .didSleep(by: "being asked")))
    }

    @Test("Idle for the whole time, it falls asleep by itself")
    func byItself() {
        let scenario = Scenario(.sleeping())
        scenario.tick()
        scenario.idle()
        #expect(scenario.beIdle(for: .seconds(59)).isEmpty)
        #expect(scenario.beIdle(for: .seconds(1)).contains("watch input of a"))
        scenario.watched()
        #expect(scenario.history.last == .note(.a, .didSleep(by: "being idle")))
    }

    @Test(
        "Whatever it did begins the time anew",
        arguments: [
            IdleSample(cpuTime: .milliseconds(601), written: 0, processes: 1),
            IdleSample(cpuTime: .zero, written: 1024, processes: 1),
            IdleSample(cpuTime: .zero, written: 0, processes: 2),
            IdleSample(cpuTime: .zero, written: 0, processes: 1, terminal: 1),
            IdleSample(cpuTime: .zero, written: 0, processes: 1, obstacle: "cat (7) waits for a disk"),
        ])
    func busy(sample: IdleSample) {
        let scenario = Scenario(.sleeping())
        scenario.tick()
        scenario.idle()
        scenario.beIdle(for: .seconds(45))
        scenario.run(.seconds(15))
        scenario.send(.app(.a, .idlenessMeasured(sample)))
        #expect(!scenario.isAsleep)
        #expect(scenario.supervisor.app(.a)?.awakeReason != nil)
    }

    @Test("What was measured with it says who it was; it is busy by what has been done since the window began")
    func whoWorks() {
        let scenario = Scenario(.sleeping())
        scenario.tick()
        var sample = IdleSample(cpuTime: .milliseconds(601), written: 0, processes: 1)
        let isBusy = { scenario.supervisor.app(.a)?.isBusy(by: sample) }
        let isMeasuredAnew = { scenario.supervisor.app(.a)?.isMeasuredAnew }
        #expect(isBusy() == false && isMeasuredAnew() == false)
        scenario.idle()
        #expect(isBusy() == true && isMeasuredAnew() == true)
        scenario.beIdle(for: .seconds(30))
        #expect(isBusy() == true && isMeasuredAnew() == false)
        sample.busiest = ProcessShare("sh (7)", .milliseconds(590))
        scenario.run(.seconds(15))
        scenario.send(.app(.a, .idlenessMeasured(sample)))
        #expect(
            scenario.supervisor.app(.a)?.awakeReason
                == .cpu(
                    used: .milliseconds(601), elapsed: .seconds(45), busiest: ProcessShare("sh (7)", .milliseconds(590))
                ))
        #expect(isBusy() == false && isMeasuredAnew() == true)
    }

    @Test("One per cent of a processor, and less than a KiB written, are idleness")
    func hardlyAnything() {
        let scenario = Scenario(.sleeping())
        scenario.tick()
        scenario.idle()
        scenario.beIdle(for: .seconds(45))
        scenario.run(.seconds(15))
        #expect(scenario.idle(cpu: .milliseconds(600), written: 1023).contains("suspend a"))
    }

    @Test("Forced, what waits for a disk falls asleep too")
    func forced() {
        let scenario = Scenario(.sleeping(isForced: true))
        scenario.tick()
        scenario.idle(obstacle: "cat (7) waits for a disk")
        scenario.beIdle(for: .seconds(45))
        scenario.run(.seconds(15))
        #expect(scenario.idle(obstacle: "cat (7) waits for a disk").contains("suspend a"))
    }

    @Test("An open task keeps it awake, forced or not", arguments: [false, true])
    func task(isForced: Bool) {
        let scenario = Scenario(.sleeping(isForced: isForced))
        scenario.tick()
        scenario.begin()
        #expect(scenario.beIdle(for: .seconds(600)).isEmpty)
        #expect(scenario.supervisor.app(.a)?.awakeReason == .holdsTask(TaskID(1)))
        scenario.end(1)
        #expect(scenario.beIdle(for: .seconds(120)).contains("suspend a"))
    }

    @Test("An answer that it owes keeps it awake")
    func owes() {
        let scenario = Scenario(.sleeping { $0.launchLimit = .infinite })
        scenario.hello()
        scenario.beIdle(for: .seconds(600))
        #expect(scenario.supervisor.app(.a)?.awakeReason == .owes(.lifecycle(.didFinishLaunching)))
    }

    @Test("At home nobody looks whether it is idle")
    func home() {
        let scenario = Scenario(.sleeping())
        scenario.begin()
        scenario.home()
        #expect(!scenario.run(.seconds(300)).contains("measure idleness a"))
    }

    @Test("Interrupted it isn't idle, however little it does")
    func interrupted() {
        let scenario = Scenario(.sleeping())
        scenario.interrupt()
        #expect(scenario.run(.seconds(300)).isEmpty)
        #expect(scenario.sleep(request: 1) == ["reply 1: error interrupted"])
    }

    @Test("A debugger keeps it awake, and its time begins anew once that has gone")
    func traced() {
        let scenario = Scenario(.sleeping())
        scenario.tracer = true
        scenario.tick()
        #expect(!scenario.beIdle(for: .seconds(200)).contains("suspend a"))
        #expect(scenario.sleep(request: 1) == ["reply 1: error traced"])
        scenario.tracer = false
        #expect(scenario.beIdle(for: .seconds(120)).contains("suspend a"))
    }

    @Test("Who can't sleep now says so")
    func refused() {
        let busy = Scenario(.sleeping())
        busy.begin()
        #expect(busy.sleep(request: 1) == ["reply 1: error holds-task"])
        let owing = Scenario(.sleeping())
        owing.hello()
        #expect(owing.sleep(request: 1) == ["reply 1: error owes-answer"])
        let exiting = Scenario(.sleeping { $0.exitsOnSuspend = true })
        #expect(exiting.sleep(request: 1) == ["reply 1: error exits-on-suspend"])
        let ending = Scenario(.sleeping())
        ending.quit()
        #expect(ending.sleep(request: 1) == ["reply 1: error terminating"])
    }

    @Test("Asked in background, it is suspended without the rest of its grace, and is at home")
    func inBackground() {
        let scenario = Scenario(.sleeping { $0.grace = .seconds(9) })
        scenario.home()
        let lines = scenario.sleep(request: 1)
        #expect(lines == ["suspend a", "a background -> suspended", "watch input of a"])
        #expect(scenario.watched() == ["reply 1: suspended"])
        #expect(!scenario.isAsleep)
    }
}

@Suite("Asked while it falls asleep")
struct FallingRaceTests {
    @Test("Who asks a second time is answered with the first, once all of it has stopped and its input is waited for")
    func again() {
        let scenario = Scenario(.sleeping(whenIdle: nil))
        scenario.confirmsSuspensions = false
        scenario.sleep(request: 1)
        #expect(scenario.sleep(request: 2).isEmpty)
        #expect(scenario.send(.app(.a, .suspensionConfirmed)) == ["a active -> suspended", "watch input of a"])
        #expect(scenario.sleep(request: 3).isEmpty)
        #expect(
            scenario.watched() == ["note a asleep", "reply 1: suspended", "reply 2: suspended", "reply 3: suspended"])
    }

    @Test("Told to stay while its input is looked at, it has nothing more to wait for")
    func stays() {
        let scenario = Scenario(.sleeping(whenIdle: nil))
        scenario.sleep(request: 1)
        #expect(
            scenario.sleep(stays: true, request: 2) == [
                "unwatch input of a", "note a asleep", "reply 1: suspended", "reply 2: suspended",
            ])
    }

    @Test("Told to stay before it has stopped, there is nothing waited for to be ended")
    func staysBefore() {
        let scenario = Scenario(.sleeping(whenIdle: nil))
        scenario.confirmsSuspensions = false
        scenario.sleep(request: 1)
        #expect(scenario.sleep(stays: true, request: 2).isEmpty)
        #expect(
            scenario.send(.app(.a, .suspensionConfirmed)) == [
                "a active -> suspended", "note a asleep", "reply 1: suspended", "reply 2: suspended",
            ])
    }

    @Test("Whatever wakes it before answers who has asked")
    func overtaken() {
        let scenario = Scenario(.sleeping(whenIdle: nil))
        scenario.confirmsSuspensions = false
        scenario.sleep(request: 1)
        #expect(scenario.begin().contains("reply 1: active"))
        let other = Scenario(.sleeping(whenIdle: nil))
        other.sleep(request: 1)
        #expect(other.wake("fetch").contains("reply 1: active"))
        let third = Scenario(.sleeping(whenIdle: nil))
        third.sleep(request: 1)
        #expect(third.home().contains("reply 1: active"))
    }
}

@Suite("What can't be waited for")
struct ObstacleTests {
    @Test("It stays awake, is named once, and whoever asked is told")
    func keepsAwake() {
        let scenario = Scenario(.sleeping())
        scenario.sleep(request: 1)
        #expect(
            scenario.watched("node (7): files of an io_uring") == [
                "note a kept awake by node (7): files of an io_uring", "a suspended -> active", "resume a",
                "reply 1: error input-unwatched",
            ])
        scenario.sleep(request: 2)
        #expect(!scenario.watched("node (7): files of an io_uring").contains { $0.hasPrefix("note a kept") })
    }

    @Test("By itself it tries again after the whole time, not before")
    func triesAgain() {
        let scenario = Scenario(.sleeping())
        scenario.beIdle(for: .seconds(120))
        scenario.watched("x")
        #expect(!scenario.isAsleep)
        #expect(scenario.supervisor.app(.a)?.awakeReason == .other("x"))
        #expect(!scenario.beIdle(for: .seconds(59)).contains("suspend a"))
        #expect(scenario.beIdle(for: .seconds(70)).contains("suspend a"))
    }

    @Test("Forced it sleeps all the same, and it is told what won't wake it")
    func forced() {
        let scenario = Scenario(.sleeping(isForced: true))
        scenario.sleep(request: 1)
        #expect(scenario.watched("x") == ["note a kept awake by x", "note a asleep", "reply 1: suspended"])
    }

    @Test("At home it stays suspended, and it is told what won't wake it")
    func atHome() {
        let scenario = Scenario(.sleeping())
        scenario.home(request: 1)
        #expect(scenario.watched("x") == ["note a kept awake by x", "reply 1: suspended"])
        #expect(scenario.state() == .suspended)
    }
}

@Suite("What runs on between the look that finds it idle and its stop")
struct RunningOnTests {
    private func fallingAsleep(_ policy: Policy = .sleeping()) -> Scenario {
        let scenario = Scenario(policy)
        scenario.beIdle(for: .seconds(120))
        return scenario
    }

    /// At home, woken by input, and quiet since.
    private func quietAtHome() -> Scenario {
        let scenario = Scenario(.sleeping())
        scenario.home()
        scenario.watched()
        scenario.input()
        scenario.beIdle(for: .seconds(3))
        return scenario
    }

    @Test("It goes on where it was, and nobody is told that it slept")
    func goesOn() {
        let scenario = fallingAsleep()
        #expect(scenario.ranOn() == ["a suspended -> active", "resume a"])
        let reason = AwakeReason.other("it had begun something when it was to be stopped")
        #expect(scenario.supervisor.app(.a)?.awakeReason == reason)
    }

    @Test("It falls asleep when it has been idle anew")
    func anew() {
        let scenario = fallingAsleep()
        scenario.ranOn()
        #expect(!scenario.beIdle(for: .seconds(59)).contains("suspend a"))
        #expect(scenario.beIdle(for: .seconds(20)).contains("suspend a"))
        #expect(scenario.watched() == ["note a asleep"])
    }

    @Test("What it may have begun to read has its chance")
    func fresh() {
        let scenario = fallingAsleep()
        scenario.ranOn()
        #expect(scenario.sleep().last == "watch input of a afresh")
    }

    @Test("At home it runs on until it is quiet, and that counts as no waking")
    func atHome() {
        let scenario = quietAtHome()
        #expect(scenario.state() == .suspended)
        #expect(scenario.ranOn() == ["a suspended -> background", "resume a"])
        #expect(scenario.beIdle(for: .seconds(3)).contains("suspend a"))
        #expect(scenario.watched() == [])
        #expect(scenario.state() == .suspended)
    }

    @Test("At home it runs on no longer than for input")
    func limitedAtHome() {
        let scenario = quietAtHome()
        scenario.ranOn()
        let limit = Policy.sleeping().wakeLimit
        #expect(!scenario.run(limit - .milliseconds(1)).contains("suspend a"))
        #expect(scenario.run(.milliseconds(1)).contains("suspend a"))
    }

    @Test("Behind another app it has its time in background")
    func behind() {
        let scenario = fallingAsleep()
        scenario.start(.b)
        scenario.ranOn()
        #expect(scenario.state() == .background)
        #expect(scenario.run(.seconds(1)).contains("measure idleness a"))
    }

    @Test("Who has asked meanwhile has it asleep")
    func asked() {
        let scenario = fallingAsleep()
        scenario.sleep(request: 1)
        #expect(scenario.ranOn().isEmpty)
        #expect(scenario.watched() == ["note a asleep", "reply 1: suspended"])
    }

    @Test("One that was put to sleep, or whose input is waited for, hasn't")
    func elsewhere() {
        let asked = Scenario(.sleeping())
        asked.sleep()
        #expect(asked.ranOn().isEmpty)
        let settled = fallingAsleep()
        settled.watched()
        #expect(settled.ranOn().isEmpty)
        #expect(settled.isAsleep)
        let home = Scenario(.sleeping())
        home.home()
        #expect(home.ranOn().isEmpty)
        #expect(home.state() == .suspended)
    }

    @Test("What stopped late and ran on meanwhile goes on; whoever asks for sleep first has it asleep")
    func late() {
        let scenario = stoppedLate()
        #expect(scenario.ranOn() == ["note a woken by work it had begun", "a suspended -> active", "resume a"])
        let asked = stoppedLate()
        asked.sleep(request: 1)
        #expect(asked.ranOn().isEmpty)
        #expect(asked.watched() == ["reply 1: suspended"])
    }

    /// Asleep, though not all of it had stopped; it has now, and its input is looked at once more.
    private func stoppedLate() -> Scenario {
        let scenario = Scenario(.sleeping())
        scenario.confirmsSuspensions = false
        scenario.beIdle(for: .seconds(120))
        scenario.send(.app(.a, .suspensionPending))
        scenario.send(.app(.a, .suspensionIncomplete))
        scenario.watched()
        scenario.send(.app(.a, .suspensionPending))
        scenario.run(.milliseconds(200))
        scenario.send(.app(.a, .suspensionConfirmed))
        return scenario
    }

    @Test("With locks that are waited for it was found idle a moment ago where none is held", arguments: [false, true])
    func locks(areHeld: Bool) {
        let lock = FileLock(path: "/db", kind: "POSIX", isWrite: true, pid: 7, isWaitedFor: false)
        let scenario = Scenario(.sleeping { $0.locks = .defer })
        scenario.locks = nil
        scenario.home()
        scenario.found([])
        scenario.watched()
        scenario.input()
        scenario.beIdle(for: .seconds(3))
        if areHeld { scenario.found([lock]) }
        #expect(scenario.found([]).contains("suspend a"))
        #expect(scenario.supervisor.app(.a)?.wasFoundIdle == !areHeld)
    }

    @Test("Who had a task open then is stopped for another reason, long after that look")
    func task() {
        let scenario = Scenario(.sleeping())
        scenario.home()
        scenario.watched()
        scenario.input()
        scenario.begin()
        scenario.beIdle(for: .seconds(3))
        #expect(scenario.state() == .background)
        #expect(scenario.end(1).contains("suspend a"))
        #expect(scenario.ranOn().isEmpty)
    }

    @Test("Who was plain when it was woken, and has said hello since, says itself when it is done")
    func hello() {
        let scenario = Scenario(.sleeping())
        scenario.home()
        scenario.watched()
        scenario.input()
        scenario.hello()
        #expect(!scenario.run(.seconds(3)).contains("measure idleness a"))
    }

    @Test("What stopped late is asked for locks once more, and what it was suspended with is told once")
    func lateLocks() {
        let lock = FileLock(path: "/db", kind: "POSIX", isWrite: true, pid: 7, isWaitedFor: false)
        let scenario = Scenario(.sleeping { $0.locks = .report })
        (scenario.confirmsSuspensions, scenario.locks) = (false, nil)
        scenario.sleep()
        scenario.send(.app(.a, .suspensionPending))
        scenario.send(.app(.a, .suspensionIncomplete))
        #expect(scenario.found([lock]) == ["note a suspended with /db"])
        scenario.send(.app(.a, .suspensionPending))
        scenario.run(.milliseconds(200))
        #expect(scenario.send(.app(.a, .suspensionConfirmed)).last == "check locks of a")
        #expect(scenario.found([lock]) == [])
    }

    @Test("Its end isn't put off")
    func ending() {
        let scenario = fallingAsleep()
        scenario.quit()
        #expect(scenario.ranOn().isEmpty)
    }
}

@Suite("Waking up")
struct WakingUpTests {
    @Test("Input wakes it where it was, and nothing is told")
    func input() {
        #expect(
            Scenario.asleep().input() == [
                "note a woken by a connection to :6379", "a suspended -> active", "resume a",
            ])
    }

    @Test("What it is woken by is told with where that comes from and goes to")
    func fromAndTo() {
        let scenario = Scenario.asleep()
        scenario.send(.app(.a, .inputCame(InputNews(kind: "data", text: "data", from: "[::1]:5", to: ":80"))))
        #expect(scenario.history.contains(.note(.a, .didWake(by: "data", from: "[::1]:5", to: ":80"))))
    }

    @Test("What is there at once wakes it before it slept, and the one who asked hears that it runs")
    func atOnce() {
        let scenario = Scenario(.sleeping())
        scenario.sleep(request: 1)
        #expect(scenario.input().last == "reply 1: active")
    }

    @Test(
        "Put to sleep again before it can have read what woke it, that wakes it again; a second later it was left on purpose"
    )
    func afresh() {
        for (pause, line) in [
            (Span.milliseconds(999), "watch input of a afresh"), (.seconds(1), "watch input of a"),
        ] {
            let scenario = Scenario(.sleeping(whenIdle: nil))
            scenario.sleep()
            scenario.input()
            scenario.run(pause)
            #expect(scenario.sleep().last == line)
        }
    }

    @Test("Idle since, it has read what it reads")
    func idleSince() {
        let scenario = Scenario(.sleeping(whenIdle: .milliseconds(100)))
        scenario.sleep()
        scenario.input()
        #expect(scenario.beIdle(for: .milliseconds(100)).last == "watch input of a")
    }

    @Test("Stopped before it can have read what woke it, it has its chance anew, however long it slept")
    func chanceAnew() {
        let scenario = Scenario(.sleeping(whenIdle: nil))
        scenario.sleep()
        scenario.input()
        scenario.run(.milliseconds(10))
        scenario.sleep(stays: true)
        scenario.after(.seconds(60)).open()
        #expect(scenario.sleep().last == "watch input of a afresh")
    }

    @Test("What counts is when its stop is ordered, not how long it takes")
    func slowStop() {
        let scenario = Scenario(.sleeping(whenIdle: nil))
        scenario.sleep()
        scenario.input()
        scenario.confirmsSuspensions = false
        scenario.run(.milliseconds(999))
        scenario.sleep()
        scenario.after(.milliseconds(150))
        #expect(scenario.send(.app(.a, .suspensionConfirmed)).last == "watch input of a afresh")
    }

    @Test("Opened it goes on where it was")
    func opened() {
        #expect(
            Scenario.asleep().open(request: 2) == [
                "note a woken by being opened", "a suspended -> active", "resume a", "reply 2: active",
            ])
    }

    @Test("Until it is opened, input is nothing: none is waited for")
    func stays() {
        let scenario = Scenario(.sleeping())
        #expect(scenario.sleep(stays: true, request: 1).last == "reply 1: suspended")
        #expect(scenario.supervisor.app(.a)?.sleepsUntilOpened == true)
    }

    @Test("One that sleeps already is told to stay so")
    func staysFromNowOn() {
        #expect(Scenario.asleep().sleep(stays: true, request: 1) == ["unwatch input of a", "reply 1: suspended"])
    }

    @Test("Told at home to stay, it is woken by being opened only")
    func staysAtHome() {
        let scenario = Scenario(.sleeping())
        scenario.home()
        scenario.watched()
        #expect(scenario.sleep(stays: true, request: 1) == ["unwatch input of a", "reply 1: suspended"])
        scenario.open()
        #expect(scenario.home().last == "watch input of a")
    }

    @Test("What its leader leaves behind ends as if it had been awake")
    func leaderExits() {
        let lines = Scenario.asleep().leaderExits(0)
        #expect(lines.contains("resume a"))
        #expect(lines.last == "sweep a waits")
    }

    @Test("Sent home it is woken first, and goes home as from the front")
    func sentHome() {
        let scenario = Scenario.asleep()
        #expect(
            scenario.home() == [
                "note a woken by being sent home", "a suspended -> active", "resume a", "a active -> background",
                "suspend a", "a background -> suspended", "watch input of a",
            ])
        #expect(!scenario.isAsleep)
    }

    @Test("Ended it is ended as if it ran")
    func quit() {
        let lines = Scenario.asleep().quit()
        #expect(lines.contains("SIGTERM a"))
        #expect(!lines.contains { $0.hasPrefix("kill") })
    }

    @Test("A change waits until it wakes, and is told then")
    func changes() {
        let scenario = Scenario.aware(.sleeping())
        scenario.sleep()
        scenario.watched()
        #expect(!scenario.post("zone").contains { $0.hasPrefix("a <-") })
        #expect(scenario.input().contains { $0.hasPrefix("a <- change zone") })
    }

    @Test("A waking event wakes it in front, where it has no limit")
    func wakingEvent() {
        let scenario = Scenario.aware(.sleeping())
        scenario.sleep()
        scenario.watched()
        let lines = scenario.wake("fetch")
        #expect(scenario.state() == .active)
        #expect(lines.contains("a <- wake fetch #3 to 1"))
    }

    @Test("A background task that overtook its sleep wakes it")
    func task() {
        let scenario = Scenario.asleep()
        scenario.begin()
        #expect(scenario.state() == .active)
    }

    @Test("Input for one that isn't stopped is nothing")
    func late() {
        let scenario = Scenario.asleep()
        scenario.input()
        #expect(scenario.input().isEmpty)
    }

    @Test("Another app in front: it hears that it has left, and has its input in background")
    func anotherInFront() {
        let scenario = Scenario.aware(.sleeping())
        scenario.sleep()
        scenario.watched()
        scenario.start(.b)
        let lines = scenario.input()
        #expect(
            lines == [
                "note a woken by a connection to :6379", "a suspended -> background", "resume a",
                "a <- willResignActive #3 to 1", "a <- didEnterBackground #4 5s to 1",
                "a <- wake input #5 30s what=connection to=:6379 to 1",
            ])
        #expect(scenario.state(.b) == .active)
    }
}

@Suite("Input at home")
struct InputAtHomeTests {
    @Test("An aware app gets the event input, and owes its answer; then it is suspended again")
    func aware() {
        let scenario = Scenario.awareSuspended(.sleeping())
        scenario.watched()
        let lines = scenario.input()
        #expect(lines.contains("a <- wake input #6 30s what=connection to=:6379 to 1"))
        scenario.ack(5)
        #expect(scenario.ack(6).contains("watch input of a"))
    }

    @Test("A plain app runs until it has been quiet")
    func quiet() {
        let scenario = Scenario.suspended(.sleeping())
        scenario.watched()
        #expect(scenario.input() == ["note a woken by a connection to :6379", "a suspended -> background", "resume a"])
        scenario.idle()
        #expect(scenario.beIdle(for: .milliseconds(999)).isEmpty)
        #expect(scenario.beIdle(for: .milliseconds(1)).first == "suspend a")
    }

    @Test("An aware app has read it once it says so, and not when it answers for something else")
    func acknowledged() {
        for (answers, line) in [([5, 6], "watch input of a"), ([5], "watch input of a afresh")] {
            let scenario = Scenario.awareSuspended(.sleeping())
            scenario.watched()
            scenario.input()
            for answer in answers { scenario.ack(answer) }
            if answers.count == 1 { scenario.disconnect() }
            #expect(scenario.history.map(CurfewCoreTests.line).last { $0.hasPrefix("watch") } == line)
        }
    }

    @Test("Whoever says hello and goes has no end of its time for its input: what is unread wakes it again")
    func plainAgain() {
        let scenario = Scenario.suspended(.sleeping())
        scenario.watched()
        scenario.input()
        scenario.hello()
        #expect(scenario.send(.app(.a, .disconnected(ConnectionID(1)))).last == "watch input of a afresh")
    }

    @Test("However short its time, at the end of it what is unread was left on purpose; cut short by hand it wasn't")
    func shortTime() {
        let policy = Policy.sleeping { $0.wakeLimit = .milliseconds(500) }
        let scenario = Scenario.suspended(policy)
        scenario.watched()
        scenario.input()
        #expect(scenario.run(.milliseconds(500)).last == "watch input of a")
        let asked = Scenario.suspended(policy)
        asked.watched()
        asked.input()
        #expect(asked.sleep().last == "watch input of a afresh")
    }

    @Test("Opened while a task keeps it awake though it is quiet, it can fall asleep as any other")
    func openedQuiet() {
        let scenario = Scenario.suspended(.sleeping(whenIdle: .seconds(1)))
        scenario.watched()
        scenario.input()
        scenario.begin()
        scenario.beIdle(for: .seconds(10))
        scenario.open()
        scenario.end(1)
        #expect(scenario.beIdle(for: .seconds(2)).contains("suspend a"))
    }

    @Test("A waking event meanwhile has its own time, quiet or not")
    func wakingEvent() {
        let scenario = Scenario.suspended(.sleeping { $0.wakeLimit = .seconds(9) })
        scenario.watched()
        scenario.input()
        scenario.wake("fetch")
        #expect(!scenario.beIdle(for: .seconds(8)).contains("suspend a"))
        #expect(scenario.beIdle(for: .seconds(1)).contains("suspend a"))
    }

    @Test("The grace of its home has nothing to do with that")
    func grace() {
        let scenario = Scenario.suspended(.sleeping { $0.grace = .zero })
        scenario.watched()
        #expect(!scenario.input().contains("suspend a"))
    }

    @Test("Never quiet, it runs for the waking limit")
    func neverQuiet() {
        let scenario = Scenario.suspended(.sleeping { $0.wakeLimit = .seconds(5) })
        scenario.watched()
        scenario.input()
        var cpu = Span.zero
        scenario.idle(cpu: cpu)
        var lines: [String] = []
        for _ in 0..<30 where !lines.contains("suspend a") {
            lines = scenario.run(.milliseconds(250))
            cpu = cpu + .milliseconds(200)
            scenario.idle(cpu: cpu)
        }
        #expect(lines.contains("suspend a"))
        #expect(scenario.state() == .suspended)
    }

    @Test("It doesn't count towards the limit of resumptions, unless that is given")
    func resumptions() {
        for counts in [false, true] {
            let policy = Policy.sleeping {
                $0.resumeLimit = 2
                $0.sleep?.countsResumptions = counts
            }
            let scenario = Scenario.suspended(policy)
            scenario.watched()
            for _ in 0..<3 {
                scenario.input()
                scenario.idle()
                scenario.beIdle(for: .seconds(1))
                scenario.watched()
            }
            #expect((scenario.report()?.reason == .resumedTooOften) == counts)
        }
    }

    @Test("What has come is told before the kill that follows from it")
    func toldBeforeKill() {
        let policy = Policy.sleeping {
            $0.resumeLimit = 0
            $0.sleep?.countsResumptions = true
        }
        let scenario = Scenario.suspended(policy)
        scenario.watched()
        #expect(scenario.input().map { $0.prefix(9) }.prefix(2) == ["note a wo", "kill a re"])
    }
}

@Suite("What doesn't follow from falling asleep")
struct NoHomeTests {
    @Test("A locked file is told, and kills nobody")
    func locks() {
        let lock = FileLock(path: "/db", kind: "POSIX", isWrite: true, pid: 7, isWaitedFor: false)
        let scenario = Scenario(.sleeping { $0.locks = .kill })
        scenario.locks = [lock]
        #expect(scenario.sleep().contains("note a suspended with /db"))
        #expect(scenario.report() == nil)
    }

    @Test("The limits of memory stay those of the front")
    func memory() {
        let limits = MemoryLimits(fatal: 10, soft: nil)
        var policy = Policy.memory(fatal: 100, background: limits)
        policy.sleep = SleepPolicy()
        let scenario = Scenario(policy)
        scenario.sleep()
        #expect(scenario.supervisor.app(.a)?.memoryLimits?.fatal == 100)
        #expect(scenario.measured(50).isEmpty)
    }

    @Test(
        "It isn't what goes when memory has been short for long, unless that was asked for", arguments: [false, true])
    func idleExit(exits: Bool) {
        let policy = Policy.sleeping { $0.sleep?.exitsWhenIdle = exits }
        let scenario = Scenario.asleep(policy)
        scenario.after(.seconds(10))
        scenario.pressure(.warning)
        scenario.run(.seconds(600))
        #expect((scenario.report()?.reason == .idleExit) == exits)
    }

    @Test("No budget runs while it sleeps")
    func budget() {
        let scenario = Scenario.asleep()
        #expect(scenario.run(.seconds(3600)).isEmpty)
        #expect(scenario.untilWakeUp == nil)
    }
}
