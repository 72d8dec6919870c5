import CurfewCore
import Testing

/// Memory is short below 1000 bytes, critically so below 500.
@Suite("The machine runs short of memory")
struct PressureTests {
    /// Runs on in background for long without a task.
    private let graceful = Policy.with { $0.grace = .seconds(1000) }

    /// App a alone, and 2000 bytes left.
    private func watched(_ policy: Policy = .with { _ in }, sustained: Span = .seconds(600)) -> Scenario {
        let scenario = Scenario(policy)
        scenario.watchMemory(low: 1000, sustained: sustained)
        scenario.memoryLeft(2000)
        return scenario
    }

    /// c suspended, b in background, a in background with a task, d in front; entered long ago, and in that order
    /// launched that none is where its number would put it.
    private func oneInEachBand() -> Scenario {
        let scenario = Scenario()
        scenario.begin()
        scenario.start(.b, graceful)
        scenario.start(.c)
        scenario.start(.d)
        scenario.run(.seconds(10))
        scenario.watchMemory(low: 1000)
        return scenario
    }

    private func killed(_ lines: [String]) -> [String] {
        lines.filter { $0.hasPrefix("kill") }.map { String($0.split(separator: ",")[0]) }
    }

    // MARK: Levels

    @Test(
        "A level begins below its mark, and is left only well above it",
        arguments: [
            (.normal, 1000, .normal), (.normal, 999, .warning), (.normal, 500, .warning), (.normal, 499, .critical),
            (.warning, 1000, .warning), (.warning, 1199, .warning), (.warning, 1200, .normal),
            (.warning, 500, .warning), (.warning, 499, .critical), (.critical, 500, .critical),
            (.critical, 699, .critical), (.critical, 700, .warning), (.critical, 1199, .warning),
            (.critical, 1200, .normal), (.normal, 0, .critical),
        ] as [(PressureLevel, UInt64, PressureLevel)])
    func levels(from level: PressureLevel, available: UInt64, to next: PressureLevel) {
        #expect(level.following(available: available, low: 1000, isStalling: false) == next)
    }

    @Test(
        "While processes stall for memory each mark counts double",
        arguments: [
            (.normal, 2000, .normal), (.normal, 1999, .warning), (.normal, 1000, .warning), (.normal, 999, .critical),
            (.warning, 2399, .warning), (.warning, 2400, .normal), (.critical, 1399, .critical),
            (.critical, 1400, .warning),
        ] as [(PressureLevel, UInt64, PressureLevel)])
    func stalling(from level: PressureLevel, available: UInt64, to next: PressureLevel) {
        #expect(level.following(available: available, low: 1000, isStalling: true) == next)
    }

    @Test("Not watched, nothing is short, and nothing is armed")
    func notWatched() {
        let scenario = Scenario()
        #expect(scenario.memoryLeft(0).isEmpty)
        #expect(scenario.untilDeadline == nil)
    }

    @Test("A change of level is told of, once")
    func told() {
        let scenario = watched()
        #expect(scenario.memoryLeft(999).first == "pressure warning at 999")
        #expect(scenario.memoryLeft(998).isEmpty)
        #expect(scenario.memoryLeft(1200) == ["pressure normal at 1200"])
    }

    @Test("A second request to watch changes nothing")
    func watchedTwice() {
        let scenario = watched()
        scenario.watchMemory(low: 1_000_000)
        #expect(scenario.memoryLeft(1000).isEmpty)
    }

    // MARK: Looking

    @Test("Looked at once when it is to be watched")
    func firstLook() {
        let scenario = Scenario()
        scenario.watchMemory(low: 1000)
        #expect(scenario.untilDeadline == "0s")
        #expect(scenario.tick() == ["measure available memory"])
        #expect(scenario.tick().isEmpty)
    }

    @Test("Then as what is left allows, between a tenth of a second and ten seconds")
    func looks() {
        let scenario = watched()
        #expect(scenario.untilDeadline == "0.1s")
        scenario.memoryLeft((2 << 30) + 1000)
        #expect(scenario.untilDeadline == "0.5s")
        scenario.memoryLeft(.max)
        #expect(scenario.untilDeadline == "10s")
        #expect(scenario.run(.seconds(10)) == ["measure available memory"])
    }

    @Test("Every two seconds at a warning, twice a second at the critical level")
    func looksWhenShort() {
        let scenario = watched()
        scenario.memoryLeft(999)
        #expect(scenario.untilDeadline == "2s")
        scenario.after(.seconds(1)).memoryLeft(499)
        #expect(scenario.untilDeadline == "0.5s")
    }

    @Test("While nobody runs and nothing is short it isn't looked at")
    func nobodyRuns() {
        let scenario = watched()
        scenario.home()
        scenario.memoryLeft(2000)
        #expect(scenario.untilDeadline == nil)
    }

    @Test("It is again as soon as somebody is opened, woken or begins a task")
    func somebodyRuns() {
        for resume in [{ $0.open() }, { $0.wake() }, { $0.begin() }] as [(Scenario) -> [String]] {
            let scenario = watched()
            scenario.home()
            scenario.memoryLeft(2000)
            _ = resume(scenario)
            #expect(scenario.untilDeadline == "0s")
            #expect(scenario.tick() == ["measure available memory"])
        }
    }

    @Test("It is again as soon as another app is launched")
    func somebodyLaunched() {
        let scenario = Scenario.empty()
        scenario.watchMemory(low: 1000)
        scenario.memoryLeft(2000)
        #expect(scenario.untilDeadline == nil)
        scenario.start(.a)
        #expect(scenario.untilDeadline == "0s")
    }

    @Test("With no app left it isn't looked at, however short")
    func noApps() {
        let scenario = watched()
        scenario.memoryLeft(499)
        scenario.leaderExits(0)
        scenario.treeGone()
        scenario.memoryLeft(499)
        #expect(scenario.untilDeadline == nil)
        scenario.start(.b)
        #expect(scenario.untilDeadline == "0s")
    }

    @Test("Once everybody is suspended the look that was due isn't taken; it is as soon as somebody is opened")
    func lastLook() {
        let scenario = watched()
        scenario.memoryLeft(.max)
        scenario.home()
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.after(.seconds(11)).tick().isEmpty)
        scenario.open()
        #expect(scenario.untilDeadline == "-1s", "it is due already")
        #expect(scenario.tick() == ["measure available memory"])
    }

    @Test("Short already, the look that was due is taken though everybody is suspended")
    func lastLookWhenShort() {
        let scenario = watched()
        scenario.memoryLeft(999)
        scenario.home()
        #expect(scenario.untilDeadline == "2s")
    }

    @Test("While it is short it is looked at though everybody is suspended")
    func shortAndSuspended() {
        let scenario = watched()
        scenario.home()
        scenario.memoryLeft(999)
        #expect(scenario.untilDeadline == "2s")
    }

    // MARK: Warnings

    /// a suspended, b in background with a task, c in front.
    private func threeToWarn() -> Scenario {
        let scenario = Scenario()
        scenario.start(.b)
        scenario.begin("t", .b)
        scenario.start(.c)
        scenario.watchMemory(low: 1000)
        scenario.memoryLeft(2000)
        return scenario
    }

    @Test("The app in front is warned first, the others 250 ms apart, one that is suspended never")
    func order() {
        let scenario = threeToWarn()
        #expect(scenario.memoryLeft(999) == ["pressure warning at 999", "note c memory warning"])
        #expect(scenario.run(.milliseconds(249)).isEmpty)
        #expect(scenario.run(.milliseconds(1)) == ["note b memory warning"])
        #expect(scenario.run(.seconds(1)).isEmpty)
    }

    @Test("An aware app hears of it with its level")
    func aware() {
        let scenario = Scenario.aware()
        scenario.watchMemory(low: 1000)
        #expect(
            scenario.memoryLeft(999) == [
                "pressure warning at 999", "note a memory warning", "a <- didReceiveMemoryWarning #3 warning to 1",
            ])
        #expect(
            scenario.memoryLeft(499) == ["pressure critical at 499"], "250 ms haven't passed since the last warning")
        #expect(
            scenario.run(.milliseconds(250)) == [
                "note a memory critical", "a <- didReceiveMemoryWarning #4 critical to 1",
            ])
    }

    @Test("At the critical level everybody is warned anew, in front first")
    func anew() {
        let scenario = threeToWarn()
        scenario.memoryLeft(999)
        scenario.memoryLeft(499)
        #expect(scenario.run(.milliseconds(250)) == ["note c memory critical"])
        #expect(scenario.run(.milliseconds(249)).isEmpty)
        #expect(scenario.run(.milliseconds(1)).contains("note b memory critical"))
    }

    @Test("Once the level has fallen nobody else is warned")
    func fallen() {
        let scenario = threeToWarn()
        scenario.memoryLeft(999)
        #expect(scenario.memoryLeft(1200) == ["pressure normal at 1200"])
        #expect(!scenario.run(.seconds(5)).contains { $0.contains("memory warning") })
    }

    @Test("From critical to warning nobody is warned")
    func eased() {
        let scenario = watched()
        scenario.memoryLeft(499)
        scenario.run(.milliseconds(250))
        #expect(scenario.memoryLeft(700) == ["pressure warning at 700"])
        #expect(!scenario.run(.seconds(1)).contains { $0.contains("note") })
    }

    @Test("Back at normal and short again: warned again")
    func again() {
        let scenario = watched()
        scenario.memoryLeft(999)
        scenario.memoryLeft(1200)
        scenario.after(.seconds(1))
        #expect(scenario.memoryLeft(999) == ["pressure warning at 999", "note a memory warning"])
    }

    @Test("Suspended before its turn, an app isn't warned")
    func suspendedBeforeTurn() {
        let scenario = threeToWarn()
        scenario.memoryLeft(999)
        scenario.end(1, .b)
        #expect(scenario.state(.b) == .suspended)
        #expect(scenario.run(.seconds(1)).isEmpty)
    }

    @Test("Stopped by a terminal, or being ended, before its turn: not warned")
    func stoppedBeforeTurn() {
        let stopped = threeToWarn()
        stopped.memoryLeft(999)
        stopped.stoppedByTerminal(.b)
        #expect(stopped.run(.seconds(1)).isEmpty)
        let ending = threeToWarn()
        ending.memoryLeft(999)
        ending.quit(.b)
        #expect(ending.run(.seconds(1)).isEmpty)
    }

    @Test("An app that is gone before its turn is passed over, and the next isn't kept waiting")
    func goneBeforeTurn() {
        let scenario = Scenario.inBackground(tasks: "one")
        scenario.start(.b)
        scenario.begin("t", .b)
        scenario.start(.c)
        scenario.watchMemory(low: 1000)
        scenario.memoryLeft(999)
        scenario.leaderExits(0)
        scenario.treeGone()
        #expect(scenario.run(.milliseconds(250)) == ["note b memory warning"])
    }

    // MARK: Victims

    @Test("Victims go by band: suspended, background, background with tasks, foreground; 500 ms apart")
    func bands() {
        let scenario = oneInEachBand()
        var order: [String] = []
        for _ in 0..<4 {
            order += killed(scenario.memoryLeft(499))
            scenario.run(.milliseconds(499))
            #expect(killed(scenario.memoryLeft(499)).isEmpty)
            scenario.run(.milliseconds(1))
        }
        #expect(
            order == [
                "kill c memory-pressure in suspended", "kill b memory-pressure in background",
                "kill a memory-pressure in background", "kill d memory-pressure in active",
            ])
    }

    @Test("The report tells the band, what was left and what should be")
    func report() {
        let scenario = oneInEachBand()
        for _ in 0..<4 {
            scenario.memoryLeft(499)
            scenario.after(.milliseconds(500))
        }
        #expect(scenario.report(.c)?.band == .suspended)
        #expect(scenario.report(.b)?.band == .background)
        #expect(scenario.report(.a)?.band == .backgroundWithTasks)
        #expect(scenario.report(.d)?.band == .foreground)
        #expect(scenario.report(.c)?.isInForeground == false)
        #expect(scenario.report(.d)?.isInForeground == true)
        #expect(scenario.report(.d)?.available == 499)
        #expect(scenario.report(.d)?.availableLimit == 500)
        #expect(scenario.treeGone(.c) == ["ended c exit 137 memory-pressure"])
    }

    @Test("At a warning nobody is killed")
    func warningKillsNobody() {
        let scenario = oneInEachBand()
        #expect(killed(scenario.memoryLeft(500)).isEmpty)
        #expect(killed(scenario.run(.seconds(60))).isEmpty)
    }

    @Test("Critical straight from normal: the one in front is warned and the lowest killed at once")
    func straightToCritical() {
        let scenario = oneInEachBand()
        #expect(
            scenario.memoryLeft(499) == [
                "pressure critical at 499", "note d memory critical",
                "kill c memory-pressure in suspended, available 499, wanted 500", "c suspended -> notRunning",
            ])
    }

    @Test("The killing stops as soon as the level clears")
    func levelClears() {
        let scenario = oneInEachBand()
        scenario.memoryLeft(499)
        scenario.after(.milliseconds(500))
        #expect(scenario.memoryLeft(700) == ["pressure warning at 700"])
        #expect(killed(scenario.run(.seconds(60))).isEmpty)
        #expect(scenario.state(.b) == .background)
    }

    @Test("It goes on as long as the level hasn't cleared, even above where it began")
    func levelSticks() {
        let scenario = oneInEachBand()
        scenario.memoryLeft(499)
        scenario.after(.milliseconds(500))
        #expect(killed(scenario.memoryLeft(699)) == ["kill b memory-pressure in background"])
    }

    @Test("Memory is measured anew before each kill")
    func measuredBetween() {
        let scenario = oneInEachBand()
        scenario.memoryLeft(499)
        let lines = scenario.run(.seconds(5))
        #expect(killed(lines).isEmpty)
        #expect(lines.contains("measure available memory"))
    }

    @Test("Measured early, the next kill still comes when it may, and no later")
    func measuredEarly() {
        let scenario = oneInEachBand()
        scenario.memoryLeft(499)
        scenario.after(.milliseconds(300))
        #expect(killed(scenario.memoryLeft(499)).isEmpty)
        #expect(scenario.run(.milliseconds(200)).contains("measure available memory"))
        #expect(killed(scenario.memoryLeft(499)) == ["kill b memory-pressure in background"])
    }

    @Test("In one band whoever entered it first goes first")
    func leastRecent() {
        let scenario = Scenario()
        scenario.start(.b)
        scenario.start(.c)
        scenario.after(.seconds(1)).open(.a)
        scenario.after(.seconds(1)).open(.c)
        scenario.after(.seconds(1)).open(.b)
        scenario.run(.seconds(10))
        scenario.watchMemory(low: 1000)
        #expect(killed(scenario.memoryLeft(499)) == ["kill a memory-pressure in suspended"])
        scenario.after(.milliseconds(500))
        #expect(killed(scenario.memoryLeft(499)) == ["kill c memory-pressure in suspended"])
    }

    @Test("A task begun later puts an app behind those that had theirs before")
    func enteredWithTask() {
        let scenario = Scenario(graceful)
        scenario.start(.b)
        scenario.begin("t", .b)
        scenario.after(.seconds(1)).start(.c)
        scenario.after(.seconds(1)).begin()
        scenario.after(.seconds(10)).watchMemory(low: 1000)
        #expect(killed(scenario.memoryLeft(499)) == ["kill b memory-pressure in background"])
    }

    @Test("An app that has aged is behind those that were suspended meanwhile")
    func enteredByAgeing() {
        let scenario = Scenario()
        scenario.start(.b)
        scenario.start(.c)
        scenario.run(.seconds(10))
        scenario.wake("fetch", [], .b)
        scenario.run(.seconds(29))
        scenario.open(.a)
        scenario.run(.milliseconds(500))
        scenario.open(.c)
        scenario.run(.seconds(10))
        scenario.watchMemory(low: 1000)
        #expect(scenario.state(.b) == .suspended)
        #expect(killed(scenario.memoryLeft(499)) == ["kill b memory-pressure in suspended"])
    }

    @Test("Entered at the same instant, they go in the order of launch")
    func tie() {
        let scenario = Scenario()
        scenario.start(.b)
        scenario.start(.c)
        scenario.run(.seconds(10))
        scenario.watchMemory(low: 1000)
        #expect(killed(scenario.memoryLeft(499)) == ["kill a memory-pressure in suspended"])
    }

    /// a in background for long, b suspended just after it left the front for c.
    private func ageing(for span: Span) -> Scenario {
        let scenario = Scenario(graceful)
        scenario.start(.b)
        scenario.run(.seconds(10))
        scenario.start(.c)
        scenario.watchMemory(low: 1000)
        scenario.run(span)
        return scenario
    }

    @Test("For two seconds after it left the foreground a suspended app counts as in background")
    func ages() {
        let young = ageing(for: .milliseconds(1_999))
        #expect(young.state(.b) == .suspended)
        #expect(killed(young.memoryLeft(499)) == ["kill a memory-pressure in background"])
        let old = ageing(for: .seconds(2))
        #expect(killed(old.memoryLeft(499)) == ["kill b memory-pressure in suspended"])
    }

    @Test("Woken and suspended again, it doesn't age anew")
    func agesOnce() {
        let scenario = ageing(for: .seconds(10))
        scenario.wake("fetch", [], .b)
        scenario.run(.seconds(30))
        #expect(scenario.state(.b) == .suspended)
        #expect(killed(scenario.memoryLeft(499)) == ["kill b memory-pressure in suspended"])
    }

    @Test("In front an app has half a second to heed the warning")
    func frontIsSpared() {
        let scenario = watched()
        #expect(killed(scenario.memoryLeft(499)).isEmpty)
        scenario.after(.milliseconds(499))
        #expect(killed(scenario.memoryLeft(499)).isEmpty)
        scenario.after(.milliseconds(1))
        #expect(killed(scenario.memoryLeft(499)) == ["kill a memory-pressure in active"])
    }

    @Test("An interrupted app is in front as well")
    func interruptedIsSpared() {
        let scenario = watched()
        scenario.interrupt()
        #expect(scenario.memoryLeft(499) == ["pressure critical at 499", "note a memory critical"])
    }

    @Test("One that is ending already is let be, and the next goes in its place")
    func ending() {
        let scenario = oneInEachBand()
        scenario.quit(.b)
        scenario.memoryLeft(499)
        scenario.after(.milliseconds(500))
        #expect(killed(scenario.memoryLeft(499)) == ["kill a memory-pressure in background"])
    }

    @Test("One that is killed already isn't killed again")
    func killedAlready() {
        let scenario = watched()
        scenario.home()
        scenario.run(.seconds(2))
        #expect(killed(scenario.memoryLeft(499)).count == 1)
        scenario.after(.seconds(1))
        #expect(killed(scenario.memoryLeft(499)).isEmpty)
    }

    @Test("A debugger doesn't save an app from it")
    func traced() {
        let scenario = watched()
        scenario.tracer = true
        scenario.home()
        #expect(killed(scenario.memoryLeft(499)) == ["kill a memory-pressure in background"])
    }

    @Test("Stalling makes it critical at what is no warning else")
    func stallingKills() {
        let scenario = oneInEachBand()
        #expect(scenario.memoryLeft(1200).isEmpty)
        #expect(killed(scenario.memoryLeft(999, isStalling: true)) == ["kill c memory-pressure in suspended"])
    }

    @Test(
        "What is wanted is always more than there is: the mark, the doubled one, or where the level is left",
        arguments: [
            (.warning, 999, false, 1000), (.warning, 1100, false, 1200), (.warning, 1500, true, 2000),
            (.warning, 2100, true, 2400), (.critical, 499, false, 500), (.critical, 600, false, 700),
            (.critical, 999, true, 1000), (.critical, 1300, true, 1400),
        ] as [(PressureLevel, UInt64, Bool, UInt64)])
    func wanted(level: PressureLevel, available: UInt64, isStalling: Bool, wanted: UInt64) {
        #expect(level.following(available: available, low: 1000, isStalling: isStalling) == level)
        #expect(level.wanted(available: available, low: 1000, isStalling: isStalling) == wanted)
    }

    // MARK: Offenders against their soft limit

    @Test("An app over its soft limit goes first, already at a warning, though it is in front")
    func offender() {
        let scenario = Scenario()
        scenario.start(.b, .memory(soft: 700))
        scenario.measured(701, .b)
        scenario.run(.milliseconds(1))
        scenario.watchMemory(low: 1000)
        scenario.after(.seconds(10))
        #expect(
            scenario.memoryLeft(999).suffix(2) == [
                "kill b memory-highwater in active, footprint 701, memory limit 700, available 999, wanted 1000",
                "b active -> notRunning",
            ])
        scenario.after(.seconds(1))
        #expect(killed(scenario.memoryLeft(999)).isEmpty)
        #expect(scenario.treeGone(.b) == ["ended b exit 137 memory-highwater"])
    }

    @Test("One at its soft limit is no offender")
    func atSoftLimit() {
        let scenario = watched(.memory(soft: 700))
        scenario.measured(700)
        #expect(killed(scenario.memoryLeft(999)).isEmpty)
    }

    @Test("Nor is one that has fallen below again")
    func reformed() {
        let scenario = watched(.memory(soft: 700))
        scenario.measured(701)
        scenario.measured(699)
        #expect(killed(scenario.memoryLeft(999)).isEmpty)
    }

    @Test("Over the background's soft limit alone, an app is an offender once it is home")
    func offenderAtHome() {
        let scenario = watched(.memory(soft: 700, background: MemoryLimits(soft: 300)))
        scenario.measured(400)
        #expect(killed(scenario.memoryLeft(999)).isEmpty)
        scenario.home()
        scenario.measured(400)
        #expect(killed(scenario.memoryLeft(999)) == ["kill a memory-highwater in suspended"])
    }

    @Test("Of several offenders the lowest goes first")
    func offendersByBand() {
        let scenario = Scenario(.memory(soft: 700))
        scenario.begin()
        scenario.start(.b, .memory(soft: 700))
        scenario.start(.c, .memory(soft: 700))
        for app in [AppID.a, .b, .c] { scenario.measured(701, app) }
        scenario.after(.seconds(2))
        scenario.watchMemory(low: 1000)
        var order: [String] = []
        for _ in 0..<3 {
            order += killed(scenario.memoryLeft(999))
            scenario.after(.milliseconds(500))
        }
        #expect(
            order == [
                "kill b memory-highwater in suspended", "kill a memory-highwater in background",
                "kill c memory-highwater in active",
            ])
    }

    @Test("With nothing short, an offender lives")
    func offenderLives() {
        let scenario = watched(.memory(soft: 700))
        scenario.measured(701)
        #expect(scenario.memoryLeft(1000).isEmpty)
    }

    // MARK: Idle exit

    /// b suspended, c in background with a task, d in front, and a suspended before b.
    private func idle() -> Scenario {
        let scenario = Scenario()
        scenario.start(.b)
        scenario.after(.seconds(1)).start(.c)
        scenario.begin("t", .c)
        scenario.start(.d)
        scenario.after(.seconds(10))
        scenario.watchMemory(low: 1000, sustained: .seconds(20))
        return scenario
    }

    @Test("After a sustained warning the suspended apps go, the longest suspended first, 500 ms apart")
    func idleExit() {
        let scenario = idle()
        scenario.available = 999
        let early = scenario.run(.milliseconds(19_999))
        #expect(killed(early).isEmpty)
        let lines = scenario.run(.milliseconds(1))
        #expect(lines.first == "kill a idle-exit in suspended, available 999, wanted 1000")
        #expect(killed(scenario.run(.milliseconds(499))).isEmpty)
        #expect(killed(scenario.run(.milliseconds(1))) == ["kill b idle-exit in suspended"])
        #expect(killed(scenario.run(.seconds(60))).isEmpty)
        #expect(scenario.treeGone() == ["ended a exit 137 idle-exit"])
    }

    @Test("A warning that ended in between isn't sustained")
    func notSustained() {
        let scenario = idle()
        scenario.memoryLeft(999)
        scenario.after(.seconds(15))
        scenario.memoryLeft(1200)
        scenario.memoryLeft(999)
        scenario.after(.seconds(15))
        #expect(killed(scenario.memoryLeft(999)).isEmpty)
        scenario.after(.seconds(5))
        #expect(killed(scenario.memoryLeft(999)) == ["kill a idle-exit in suspended"])
    }

    @Test("Ten minutes by default")
    func sustainedTime() {
        #expect(MemoryPressure.sustainedTime == .seconds(600))
    }
}
