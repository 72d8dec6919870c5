import CurfewCore
import CurfewEngine
import Testing

@Suite("The engine does what the core decides of memory, CPU time, locks and disk")
struct EngineResourceTests {
    private static let lock = FileLock(path: "/db", kind: "POSIX", isWrite: true, pid: 7, isWaitedFor: false)

    private func running(_ change: (inout Policy) -> Void) -> EngineScenario {
        let scenario = EngineScenario()
        scenario.start(.a, .with(change))
        return scenario
    }

    @Test("A mark is armed at the start, and what the kernel can't tell of is sampled")
    func marks() {
        let enforced = MemoryPolicy(fatalLimit: 200 << 20, isEnforcedByKernel: true)
        let scenario = EngineScenario()
        #expect(
            scenario.start(.a, .with { $0.memory = enforced }).last == "limit memory a fatal 209715200 mark 167772160")
        #expect(scenario.engine.nextDeadline == nil)
        let sampling = EngineScenario()
        sampling.kernel[.a].armsMarks = false
        sampling.start(.a, .with { $0.memory = enforced })
        #expect(sampling.untilDeadline == .milliseconds(39))
        #expect(
            sampling.pass(.milliseconds(39)) == [
                "footprint a limit 167772160: 0", "limit memory a fatal 209715200 mark 167772160",
            ])
    }

    @Test("A mark that was reached is measured by the host, warned of, and the next one armed")
    func markReached() {
        let scenario = running { $0.memory = MemoryPolicy(fatalLimit: 200 << 20, isEnforcedByKernel: true) }
        #expect(
            scenario.feed(.app(.a, .memoryMarkReached(bytes: 170 << 20))) == [
                "record a note memoryWarning(CurfewCore.MemoryWarningLevel.warning)",
                "limit memory a fatal 209715200 mark none",
            ])
    }

    @Test(
        "However far from its limit it begins to allocate, and however fast, it is past it for a millisecond at most",
        arguments: [256, 1024, 4096] as [UInt64], [0, 1, 7, 130, 249, 1000] as [Int64])
    func fastAllocator(mebibytesPerSecond rate: UInt64, beginning: Int64) throws {
        let limit: UInt64 = 100 << 20
        let scenario = running { $0.memory = MemoryPolicy(fatalLimit: limit, isEnforcedByKernel: false) }
        let begin = scenario.kernel.clock + .milliseconds(beginning)
        scenario.kernel[.a].growth = { now in
            (10 << 20) + UInt64(max(0, (now - begin).nanoseconds)) / 1000 * (rate << 20) / 1_000_000
        }
        let lines = scenario.pass(.seconds(3))
        let measured = lines.only("footprint a").compactMap { $0.split(separator: " ").last.flatMap { UInt64($0) } }
        let last = try #require(measured.last)
        #expect(last > limit && last - limit <= (rate << 20) / 1000 + 1)
        #expect(measured.dropLast().allSatisfy { $0 <= limit })
        #expect(lines.contains("record a killing memory-limit"))
    }

    /// One that was sent home holding a lock.
    private func home(_ change: (inout Policy) -> Void = { _ in }) -> (EngineScenario, [String]) {
        let scenario = running(change)
        scenario.kernel[.a].locks = [Self.lock]
        return (scenario, scenario.home())
    }

    private static let found = [
        "locks a: 1",
        "record a note lockedFiles([CurfewCore.FileLock(path: \"/db\", kind: \"POSIX\", isWrite: true, pid: 7, "
            + "isWaitedFor: false)])",
    ]

    @Test("Locks are looked for a moment after the stop was told, once")
    func locks() {
        let (scenario, lines) = home()
        #expect(lines.only("locks") == [])
        #expect(scenario.untilDeadline == .milliseconds(1))
        #expect(scenario.pass(.milliseconds(1)) == Self.found)
        #expect(scenario.engine.nextDeadline == nil)
    }

    @Test("Where locks end it they are looked for at once; where time stands still too")
    func locksAtOnce() {
        #expect(home { $0.locks = .kill }.1.contains("record a killing suspended-with-locked-file"))
        let held = running { _ in }
        held.engine.holdTime()
        held.kernel[.a].locks = [Self.lock]
        #expect(held.home().suffix(2) == Self.found[...])
    }

    @Test("Opened before that, it isn't looked at")
    func openedBeforeLocks() {
        let (scenario, _) = home()
        #expect(scenario.open().only("locks") == [])
        #expect(scenario.pass(.seconds(1)).only("locks") == [])
        #expect(scenario.engine.core.app(.a)?.heldLocks == [])
    }

    @Test("Whoever asks before that is told of them")
    func askedForLocks() {
        let (scenario, _) = home()
        scenario.engine.lookForLocks(of: .b)
        #expect(scenario.journal.take() == [])
        scenario.engine.lookForLocks(of: .a)
        #expect(scenario.journal.take() == Self.found)
        #expect(scenario.engine.core.app(.a)?.heldLocks == [Self.lock])
        #expect(scenario.pass(.seconds(1)).only("locks") == [])
    }

    @Test("Whatever happens before that comes after them")
    func locksBeforeAnythingElse() {
        for input in [Input.app(.a, .quit(request: nil)), .app(.a, .leaderExited(.exited(code: 0))), .machine(.tick)] {
            let (scenario, _) = home()
            #expect(Array(scenario.feed(input).prefix(2)) == Self.found)
        }
    }

    // MARK: Of an app with very many processes

    @Test("A look that takes more turns than one holds up neither what is asked meanwhile nor other apps")
    func locksInTurns() {
        let (scenario, _) = home()
        scenario.start(.b)
        scenario.kernel[.a].looks = .after(3)
        #expect(scenario.oversleep(.milliseconds(1)) == ["locks a: more"])
        #expect(scenario.engine.nextDeadline.map { $0 <= scenario.kernel.clock } == true)
        scenario.engine.lookForLocks(of: .a)
        #expect(scenario.journal.take() == [])
        #expect(scenario.oversleep(.zero) == ["locks a: more"])
        #expect(scenario.home(.b, request: 1).contains("reply 1 state suspended"))
        #expect(scenario.oversleep(.zero).contains("locks a: more"))
        #expect(Array(scenario.oversleep(.zero).prefix(2)) == Self.found)
        #expect(scenario.pass(.seconds(1)).only("locks a") == [])
    }

    @Test("Opened meanwhile, what was seen so far is forgotten")
    func openedWhileLooking() {
        let (scenario, _) = home()
        scenario.kernel[.a].looks = .after(1)
        #expect(scenario.oversleep(.milliseconds(1)) == ["locks a: more"])
        #expect(scenario.open().only("locks") == [])
        #expect(scenario.engine.nextDeadline == nil)
        scenario.home()
        #expect(scenario.pass(.seconds(1)).only("locks", "record a note") == ["locks a: more"] + Self.found)
    }

    @Test("Where locks end it, it ends once they are found")
    func killedAfterLooking() {
        let scenario = running { $0.locks = .kill }
        scenario.kernel[.a].locks = [Self.lock]
        scenario.kernel[.a].looks = .after(2)
        #expect(scenario.home().last == "locks a: more")
        #expect(scenario.engine.core.app(.a)?.state == .suspended)
        #expect(
            scenario.pass(.milliseconds(1)).only("locks", "record a killing") == [
                "locks a: more", Self.found[0], "record a killing suspended-with-locked-file",
            ])
    }

    @Test("Two such looks take turns")
    func looksTakeTurns() {
        let (scenario, _) = home()
        scenario.start(.b)
        scenario.kernel[.b].locks = [Self.lock]
        scenario.home(.b)
        for app in [AppID.a, .b] { scenario.kernel[app].looks = .after(2) }
        let lines = scenario.pass(.milliseconds(2)).only("locks")
        #expect(
            lines == [
                "locks a: more", "locks b: more", "locks a: more", "locks b: more", "locks a: 1", "locks b: 1",
            ])
    }

    @Test("A signal to very many goes on in turns, and what is asked meanwhile is answered")
    func signalInTurns() {
        let scenario = EngineScenario()
        scenario.start(.b)
        scenario.start(.a)
        scenario.kernel[.a].turns = 3
        #expect(scenario.feed(.app(.a, .quit(request: nil))).contains("signal 15 a"))
        #expect(scenario.feed(.app(.b, .quit(request: nil))).contains("SIGKILL b"))
        #expect(scenario.childrenChange().contains { $0.hasPrefix("ended b") })
        for _ in 0..<3 {
            #expect(scenario.engine.nextDeadline == scenario.kernel.clock)
            #expect(!scenario.engine.isSettled)
            #expect(scenario.oversleep(.zero).last == "go on")
        }
        #expect(scenario.engine.nextDeadline != scenario.kernel.clock)
        #expect(scenario.pass(.milliseconds(1)).only("go on") == [])
    }

    @Test("Memory goes to swap piece by piece, and what came of it is told")
    func pageOut() {
        let scenario = running {
            $0.locks = .ignore
            $0.pageOut = PageOutPolicy(delay: .seconds(2), threshold: 10)
        }
        scenario.kernel[.a].footprints = [50]
        scenario.kernel[.a].pieces = .after(2)
        scenario.home()
        #expect(scenario.untilDeadline == .seconds(2))
        #expect(
            scenario.pass(.milliseconds(2_010)) == [
                "page out a from 10", "page out a: more", "page out a: more", "page out a: done",
                "record a pagedOut 50",
            ])
        #expect(scenario.engine.nextDeadline == nil)
    }

    @Test("Opened, or killed, it isn't paged out any further")
    func pageOutOvertaken() {
        for input in [Input.app(.a, .open(request: nil)), .app(.a, .quit(request: nil))] {
            let scenario = running { $0.pageOut = PageOutPolicy(delay: .seconds(2), threshold: 0) }
            scenario.kernel[.a].pieces = .never
            scenario.home()
            scenario.pass(.seconds(2))
            scenario.feed(input)
            #expect(scenario.pass(.seconds(1)).only("page out").isEmpty)
        }
    }

    @Test("An app that is smaller than the threshold stays where it is")
    func pageOutThreshold() {
        let scenario = running { $0.pageOut = PageOutPolicy(delay: .zero, threshold: 51) }
        scenario.kernel[.a].footprints = [50]
        scenario.home()
        #expect(scenario.pass(.seconds(1)) == ["page out a from 51"])
    }

    @Test("Past its CPU limit it is throttled until it is opened")
    func throttle() {
        let scenario = running {
            $0.grace = .infinite
            $0.backgroundCPU = CPUPolicy(limit: .seconds(1), window: .seconds(10), action: .throttle)
        }
        scenario.home()
        scenario.kernel[.a].cpuMicroseconds = 1_500_000
        #expect(scenario.pass(.seconds(1)).contains("throttle a"))
        #expect(scenario.open().contains("stop throttling a"))
    }

    @Test("Its priority is lowered behind, and restored in front")
    func priority() {
        let scenario = running { $0.yieldsInBackground = true }
        #expect(scenario.home().contains("lower priority a"))
        #expect(scenario.open().contains("restore priority a"))
    }

    @Test("Short of memory: measured, told, and one killed; enough again, no other is")
    func pressure() {
        let scenario = running { _ in }
        scenario.home()
        scenario.kernel.available = 40
        scenario.feed(.machine(.watchMemory(low: 100, sustained: .seconds(600), isToldOfStalls: true)))
        let lines = scenario.pass(.zero)
        #expect(lines.contains("available memory"))
        #expect(lines.contains("pressure critical"))
        #expect(lines.only("SIGKILL").count == 1)
    }

    @Test("A full disk ends what is behind")
    func disk() {
        let scenario = running { _ in }
        scenario.home()
        scenario.kernel.free = 9
        scenario.feed(.machine(.watchDisk(low: 10)))
        #expect(scenario.pass(.zero).contains("record a killing disk-space"))
    }

    @Test("The host looks at the processes before the first of them is killed")
    func looksFirst() {
        let scenario = running { $0.timeLimit = .seconds(1) }
        #expect(scenario.pass(.seconds(1)).prefix(3) == ["will end a", "will signal a 9", "SIGKILL a"])
    }
}
