import CurfewCore
import Testing

/// Four values: fatal and soft, each with a variant for the background. In bytes; of 1000, the mark is 800.
@Suite("Memory limits: marks, warnings, in front and behind")
struct MemoryLimitTests {
    private let fatal = Policy.memory(fatal: 1000)
    private let soft = Policy.memory(soft: 500)
    private let stricterBehind = Policy.memory(fatal: 1000, background: MemoryLimits(fatal: 500))

    // MARK: The mark of the fatal limit

    @Test(
        "The warning comes at 80 %, or within 100 MiB of the limit when that is later",
        arguments: [
            (200 << 20, 160 << 20), (500 << 20, 400 << 20), ((500 << 20) + 1, (400 << 20) + 1), (2 << 30, 1948 << 20),
            (0, 0), (1, 0), (9, 7), (1000, 800), (UInt64.max, UInt64.max - (100 << 20)),
        ] as [(UInt64, UInt64)])
    func mark(limit: UInt64, mark: UInt64) {
        #expect(MemoryLimits(fatal: limit).warningMark == mark)
    }

    @Test("A soft limit alone has no other mark")
    func noMark() {
        #expect(MemoryLimits(soft: 500).warningMark == nil)
    }

    @Test("At the mark nothing is said; a byte over, the app is warned")
    func overMark() {
        let scenario = Scenario(fatal)
        #expect(scenario.measured(800).isEmpty)
        #expect(scenario.measured(801) == ["note a memory warning"])
    }

    @Test("An aware app hears of it, and owes no acknowledgement")
    func delivered() {
        let scenario = Scenario.aware(fatal)
        #expect(
            scenario.measured(801) == ["note a memory warning", "a <- didReceiveMemoryWarning #3 warning to 1"])
        #expect(scenario.owed().isEmpty)
    }

    @Test("Above the mark an app is warned once")
    func once() {
        let scenario = Scenario(fatal)
        scenario.measured(801)
        #expect(scenario.measured(900).isEmpty)
        #expect(scenario.measured(1000).isEmpty)
    }

    @Test("Fallen by less than an eighth below the mark, it isn't warned again")
    func fallenALittle() {
        let scenario = Scenario(fatal)
        scenario.measured(801)
        #expect(scenario.measured(700).isEmpty)
        #expect(scenario.measured(801).isEmpty)
    }

    @Test("Fallen by more, it is warned again")
    func fallenMuch() {
        let scenario = Scenario(fatal)
        scenario.measured(801)
        #expect(scenario.measured(699).isEmpty)
        #expect(scenario.measured(801) == ["note a memory warning"])
    }

    @Test("Over the fatal limit in one go: killed without a warning")
    func overBoth() {
        let lines = Scenario(fatal).measured(1001)
        #expect(lines.first == "kill a memory-limit in active, footprint 1001, memory limit 1000")
    }

    @Test("An app that was asked to end isn't warned, and is killed over the limit all the same")
    func ending() {
        let scenario = Scenario(fatal)
        scenario.quit()
        #expect(scenario.measured(900).isEmpty)
        #expect(scenario.measured(1001).first == "kill a memory-limit in active, footprint 1001, memory limit 1000")
    }

    @Test("A debugger holds off neither the warning nor the kill")
    func traced() {
        let scenario = Scenario(fatal)
        scenario.tracer = true
        scenario.home()
        #expect(scenario.measured(801) == ["note a memory warning"])
        #expect(scenario.measured(1001).last == "a background -> notRunning")
    }

    // MARK: The soft limit

    @Test("At the soft limit nothing is said; a byte over, the warning is critical")
    func overSoft() {
        let scenario = Scenario.aware(soft)
        #expect(scenario.measured(500).isEmpty)
        #expect(scenario.supervisor.app(.a)?.isAboveSoftLimit == false)
        #expect(
            scenario.measured(501) == ["note a memory critical", "a <- didReceiveMemoryWarning #3 critical to 1"])
        #expect(scenario.supervisor.app(.a)?.isAboveSoftLimit == true)
    }

    @Test("A soft limit alone never kills, and is watched on")
    func softOnly() {
        let scenario = Scenario(soft)
        #expect(scenario.measured(.max) == ["note a memory critical"])
        #expect(scenario.untilDeadline == "0.25s")
        #expect(scenario.measured(0).isEmpty)
        #expect(scenario.measured(501) == ["note a memory critical"])
    }

    @Test("A soft limit above the mark: a warning, then a critical one")
    func softAboveMark() {
        let scenario = Scenario(.memory(fatal: 1000, soft: 900))
        #expect(scenario.measured(801) == ["note a memory warning"])
        #expect(scenario.measured(900).isEmpty)
        #expect(scenario.measured(901) == ["note a memory critical"])
        #expect(scenario.measured(850).isEmpty)
        #expect(scenario.measured(901).isEmpty)
    }

    @Test("A soft limit below the mark: a warning comes before the fatal limit all the same")
    func softBelowMark() {
        let scenario = Scenario(.memory(fatal: 1000, soft: 500))
        #expect(scenario.measured(501) == ["note a memory critical"])
        #expect(scenario.measured(800).isEmpty)
        #expect(scenario.measured(801).count == 1)
        #expect(scenario.measured(900).isEmpty)
    }

    @Test("Each mark is forgotten by itself: fallen below the soft limit alone, a second crossing is told of")
    func crossedAgain() {
        let scenario = Scenario(.memory(fatal: 1000, soft: 990))
        scenario.measured(991)
        #expect(scenario.measured(801).isEmpty)
        #expect(scenario.measured(991) == ["note a memory critical"])
    }

    @Test("Past both marks in one go: one warning, the critical one")
    func bothMarks() {
        #expect(Scenario(.memory(fatal: 1000, soft: 900)).measured(950) == ["note a memory critical"])
    }

    @Test("A soft limit beyond the fatal one is never reached")
    func softBeyondFatal() {
        let scenario = Scenario(.memory(fatal: 1000, soft: 2000))
        #expect(scenario.measured(1000) == ["note a memory warning"])
        #expect(scenario.measured(1001).first?.hasPrefix("kill a memory-limit") == true)
    }

    // MARK: In background

    @Test("At home the other limits hold at once: measured in the same step")
    func measuredAtHome() {
        let scenario = Scenario(stricterBehind)
        #expect(
            scenario.home() == [
                "a active -> background", "measure a", "suspend a", "a background -> suspended",
            ])
    }

    @Test("Without a limit in background nothing is measured there, and everything again once it is opened")
    func noneBehind() {
        let scenario = Scenario(.memory(fatal: 1000, background: MemoryLimits()))
        scenario.begin()
        scenario.home()
        #expect(scenario.measured(5000).isEmpty)
        #expect(!scenario.run(.seconds(2)).joined().contains("measure a"))
        #expect(scenario.open().contains("measure a"))
    }

    @Test("Where the same limits hold, home measures nothing")
    func sameLimits() {
        let scenario = Scenario(fatal)
        #expect(scenario.home() == ["a active -> background", "suspend a", "a background -> suspended"])
    }

    @Test("Over the background limit at home: killed, though it is suspended when that is known")
    func killedAtHome() {
        let scenario = Scenario(stricterBehind)
        scenario.measured(600)
        scenario.home()
        #expect(
            scenario.measured(600) == [
                "kill a memory-limit in suspended, footprint 600, memory limit 500", "a suspended -> notRunning",
            ])
    }

    @Test("The same before its suspension is confirmed; the confirmation changes nothing then")
    func killedBeforeConfirmation() {
        let scenario = Scenario(stricterBehind)
        scenario.confirmsSuspensions = false
        scenario.home()
        #expect(
            scenario.measured(501).first == "kill a memory-limit in background, footprint 501, memory limit 500")
        #expect(scenario.send(.app(.a, .suspensionConfirmed)).isEmpty)
    }

    @Test("At the background limit: suspended, and costs nothing")
    func atBackgroundLimit() {
        let scenario = Scenario(stricterBehind)
        scenario.home()
        #expect(scenario.measured(500).isEmpty)
        #expect(scenario.state() == .suspended)
        #expect(scenario.untilDeadline == nil)
    }

    @Test("In background with a task the background limit kills as soon as it is passed")
    func killedInBackground() {
        let scenario = Scenario(stricterBehind)
        scenario.begin()
        scenario.home()
        #expect(scenario.measured(500) == ["note a memory warning"])
        #expect(scenario.measured(501).last == "a background -> notRunning")
    }

    @Test("Launched into background: the background limit from the start")
    func launchedInBackground() {
        let scenario = Scenario(stricterBehind, inBackground: true)
        #expect(scenario.measured(501).last == "a background -> notRunning")
    }

    @Test("Opened, the foreground's limits hold again")
    func opened() {
        let scenario = Scenario(stricterBehind)
        scenario.home()
        scenario.measured(400)
        #expect(scenario.open().last == "measure a")
        #expect(scenario.measured(600).isEmpty)
    }

    @Test("Interrupted, an app is still in the foreground")
    func interrupted() {
        let scenario = Scenario(stricterBehind)
        scenario.interrupt()
        #expect(scenario.measured(600).isEmpty)
    }

    @Test("Over the soft limit of the background when suspended: told nothing, until it runs again")
    func softAtHome() {
        let scenario = Scenario.aware(.memory(soft: 1000, background: MemoryLimits(soft: 500)))
        scenario.home()
        scenario.ack(4)
        #expect(scenario.measured(600).isEmpty)
        #expect(scenario.supervisor.app(.a)?.isAboveSoftLimit == true)
        #expect(scenario.wake().last == "measure a")
        #expect(scenario.measured(600).first == "note a memory critical")
    }

    @Test("No longer over it when it runs again: not told")
    func softNoLonger() {
        let scenario = Scenario(.memory(soft: 1000, background: MemoryLimits(soft: 500)))
        scenario.home()
        scenario.measured(600)
        scenario.open()
        #expect(scenario.measured(600).isEmpty)
        #expect(scenario.supervisor.app(.a)?.isAboveSoftLimit == false)
    }

    @Test("An app that a terminal has stopped isn't told either")
    func stoppedByTerminal() {
        let scenario = Scenario.awareInBackground(fatal)
        scenario.stoppedByTerminal()
        #expect(scenario.measured(900).isEmpty)
        scenario.open()
        #expect(scenario.measured(900).first == "note a memory warning")
    }

    // MARK: Enforced by the kernel

    private let enforced = Policy.memory(fatal: 1000, soft: 500, isEnforced: true)
    private let enforcedBehind = Policy.memory(fatal: 1000, background: MemoryLimits(fatal: 500), isEnforced: true)

    @Test("The kernel is told of the fatal limit and the lowest mark, from the start on")
    func enforcedFromStart() {
        let scenario = Scenario.empty()
        #expect(
            scenario.start(.a, enforced) == ["a notRunning -> active", "limit memory of a fatal 1000, mark 500"])
        #expect(scenario.untilDeadline == nil)
    }

    @Test("Launched into background, of the background's")
    func enforcedInBackground() {
        let scenario = Scenario.empty()
        #expect(
            scenario.start(.a, enforcedBehind, inBackground: true).contains("limit memory of a fatal 500, mark 400"))
    }

    @Test("Past a mark it is told of the next, and only when that has changed")
    func nextMark() {
        let scenario = Scenario(enforced)
        #expect(scenario.measured(400).isEmpty)
        #expect(
            scenario.measured(501) == ["note a memory critical", "limit memory of a fatal 1000, mark 800"])
        #expect(scenario.measured(600).isEmpty)
        #expect(scenario.measured(801).last == "limit memory of a fatal 1000, mark none")
        #expect(scenario.measured(1000).isEmpty)
        #expect(scenario.measured(800).last == "limit memory of a fatal 1000, mark 800")
        #expect(scenario.measured(500).last == "limit memory of a fatal 1000, mark 500")
    }

    @Test("Past a mark it is looked for the fall every two seconds, until it has fallen a good deal")
    func recovery() {
        let scenario = Scenario(.memory(fatal: 1000, isEnforced: true))
        scenario.measured(801)
        #expect(scenario.untilDeadline == "2s")
        scenario.measured(750)
        #expect(scenario.untilDeadline == "2s")
        scenario.measured(699)
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.measured(801).first == "note a memory warning")
    }

    @Test("At home the kernel is told once the footprint is known to be below")
    func enforcedAtHome() {
        let scenario = Scenario(enforcedBehind)
        #expect(scenario.home().contains("measure a"))
        #expect(scenario.measured(300) == ["limit memory of a fatal 500, mark 400"])
        #expect(scenario.untilDeadline == nil)
    }

    @Test("Over the background's limit it is killed, and the kernel is told nothing")
    func enforcedKill() {
        let scenario = Scenario(enforcedBehind)
        scenario.home()
        #expect(
            scenario.measured(501) == [
                "kill a memory-limit in suspended, footprint 501, memory limit 500", "a suspended -> notRunning",
            ])
    }

    @Test("Opened, the kernel is told of the foreground's limits before the app is resumed")
    func enforcedOpen() {
        let scenario = Scenario(enforcedBehind)
        scenario.home()
        scenario.measured(300)
        let lines = scenario.open()
        let told = lines.firstIndex(of: "limit memory of a fatal 1000, mark 800")
        #expect(told != nil)
        #expect(told ?? .max < lines.firstIndex(of: "resume a") ?? 0)
    }

    @Test("Opened without other limits, the kernel is told nothing")
    func enforcedOpenSame() {
        let scenario = Scenario(.memory(fatal: 1000, isEnforced: true))
        scenario.home()
        scenario.open()
        #expect(scenario.measured(300).isEmpty)
    }

    @Test("The kernel's word names the limit of where the app is")
    func hitInBackground() {
        let scenario = Scenario(enforcedBehind)
        scenario.begin()
        scenario.home()
        scenario.measured(300)
        #expect(
            scenario.send(.app(.a, .memoryLimitHit(bytes: 500))).first
                == "kill a memory-limit in background, footprint 500, memory limit 500, task 1 \"t\" 0s")
    }

    @Test("A soft limit alone: the kernel tells of it and enforces nothing")
    func enforcedSoftOnly() {
        let scenario = Scenario.empty()
        #expect(
            scenario.start(.a, .memory(soft: 500, isEnforced: true)).last
                == "limit memory of a fatal none, mark 500")
        #expect(scenario.send(.app(.a, .memoryLimitHit(bytes: .max))).isEmpty)
        scenario.measured(501)
        #expect(scenario.untilDeadline == "2s")
    }

    @Test("Measured over a mark while it was stopped, an app that runs on hears of it")
    func heardLater() {
        let policy = Policy.memory(fatal: 1000, background: MemoryLimits(fatal: 700), isEnforced: true) {
            $0.locks = .defer
        }
        let scenario = Scenario(policy)
        scenario.locks = nil
        scenario.home(stopped: true)
        scenario.measured(600)
        scenario.locks = [FileLock(path: "/f", kind: "FLOCK", isWrite: true, pid: 1, isWaitedFor: false)]
        #expect(scenario.found(scenario.locks ?? []) == ["resume a"])
        #expect(scenario.run(.seconds(2)).first == "measure a")
    }

    // MARK: By hand

    @Test("curfew warn warns an app that runs, at the level asked for")
    func byHand() {
        let scenario = Scenario.aware()
        #expect(
            scenario.warn(.critical, request: 1) == [
                "note a memory critical", "a <- didReceiveMemoryWarning #3 critical to 1", "reply 1: active",
            ])
    }

    @Test("A plain app is warned in its history alone")
    func byHandPlain() {
        #expect(Scenario().warn(request: 1) == ["note a memory warning", "reply 1: active"])
    }

    @Test("In background an app is warned as any that runs")
    func byHandInBackground() {
        let scenario = Scenario.awareInBackground()
        #expect(
            scenario.warn(request: 1) == [
                "note a memory warning", "a <- didReceiveMemoryWarning #5 warning to 1", "reply 1: background",
            ])
    }

    @Test("A suspended app isn't warned: refused, and still suspended")
    func byHandSuspended() {
        let scenario = Scenario.awareSuspended()
        #expect(scenario.warn(request: 1) == ["reply 1: error suspended"])
        #expect(scenario.state() == .suspended)
    }

    @Test("Nor one whose suspension isn't confirmed yet")
    func byHandSuspending() {
        let scenario = Scenario()
        scenario.confirmsSuspensions = false
        scenario.home()
        #expect(scenario.warn(request: 1) == ["reply 1: error suspended"])
    }

    @Test("Nor one that a terminal has stopped")
    func byHandStopped() {
        let scenario = Scenario.awareInBackground()
        scenario.stoppedByTerminal()
        #expect(scenario.warn(request: 1) == ["reply 1: error suspended"])
    }

    @Test("Nor one that is being ended, or hasn't begun, or is over")
    func byHandElsewhere() {
        let scenario = Scenario()
        scenario.quit()
        #expect(scenario.warn(request: 1) == ["reply 1: error terminating"])
        scenario.send(.app(.b, .launch(.with { _ in }, LaunchOptions())))
        #expect(scenario.warn(.warning, .b, request: 2) == ["reply 2: error not-running"])
        scenario.start(.c)
        scenario.leaderExits(0, .c)
        #expect(scenario.warn(.warning, .c, request: 3) == ["reply 3: error terminating"])
    }

    @Test("Warned by hand, it is warned at its mark all the same")
    func byHandDoesNotCount() {
        let scenario = Scenario(fatal)
        scenario.warn()
        #expect(scenario.measured(801) == ["note a memory warning"])
    }
}
