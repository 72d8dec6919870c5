import CurfewCore
import CurfewLinux
import Glibc
import Testing

@testable import CurfewEngine

@Suite("What a report is made of")
struct ReporterTests {
    private let subject: FakeSubject
    private let reporter: Reporter

    init() throws {
        subject = try FakeSubject([7: 10, 8: 30, 9: 20])
        reporter = Reporter(subject)
    }

    private func willEnd(_ reason: KillReason, _ change: (inout KillReport) -> Void = { _ in }) {
        reporter.willEnd(.sample(reason, change), name: "app") { 60 }
    }

    private var seen: [Int32]? { reporter.lastSnapshot?.processes.map(\.pid) }
    private var footprints: [UInt64?]? { reporter.lastSnapshot?.processes.map(\.footprint) }

    // MARK: A kill that time brings about

    @Test("It is woken 2 ms before a kill for time, or for what is due before")
    func wakesBefore() {
        let kill = subject.now + .seconds(1)
        #expect(reporter.wakeUp(before: kill, or: nil) == kill - .milliseconds(2))
        #expect(reporter.wakeUp(before: kill, or: kill) == kill - .milliseconds(2))
        #expect(reporter.wakeUp(before: kill, or: subject.now) == subject.now)
        #expect(reporter.wakeUp(before: nil, or: kill) == kill)
        #expect(reporter.wakeUp(before: nil, or: nil) == nil)
    }

    @Test("Too late to look before it, the kill itself is what is due")
    func tooLate() {
        let kill = subject.now + .milliseconds(2)
        #expect(reporter.wakeUp(before: kill, or: kill) == kill)
    }

    @Test("Too early nothing is looked at; just before it is, once")
    func foresees() {
        let kill = subject.now + .seconds(1)
        reporter.foresee(kill)
        #expect(subject.looks == [])
        subject.now = kill - .milliseconds(2)
        subject.cpuMicroseconds = 5
        reporter.foresee(kill)
        reporter.foresee(kill)
        #expect(subject.looks == ["[7, 8, 9] 5000 µs"])
        #expect(reporter.measures.cpuMicroseconds == 5)
        #expect(reporter.wakeUp(before: kill, or: kill) == kill)
    }

    @Test("What was foreseen is what is told: the kill isn't late for it")
    func foreseen() {
        let kill = subject.now + .milliseconds(1)
        reporter.foresee(kill)
        subject.now = kill
        subject.footprints = [7: 10]
        willEnd(.timeLimit)
        #expect(subject.looks.count == 1)
        #expect(seen == [7, 8, 9])
    }

    @Test("A kill that comes before the one foreseen, or long after it, is looked at anew")
    func notTheOneForeseen() {
        let kill = subject.now + .milliseconds(1)
        reporter.foresee(kill)
        willEnd(.timeLimit)
        #expect(subject.looks.count == 2)
        subject.now = kill + .milliseconds(2)
        willEnd(.timeLimit)
        #expect(subject.looks.count == 3)
    }

    @Test("A kill for memory is looked at although one for time was foreseen")
    func memoryAfterForesight() {
        let kill = subject.now + .milliseconds(1)
        reporter.foresee(kill)
        subject.now = kill
        willEnd(.memoryPressure)
        #expect(subject.looks.count == 2)
    }

    // MARK: Any kill

    @Test("Its processes and measures are noted while they are there")
    func anyKill() {
        subject.cpuMicroseconds = 9
        subject.peakMemory = 70
        willEnd(.backgroundTaskTimeout)
        #expect(subject.looks == ["[7, 8, 9] 5000 µs"])
        #expect(footprints == [10, 30, 20])
        #expect(reporter.lastSnapshot?.instant == subject.now)
        #expect(reporter.measures.cpuMicroseconds == 9)
        #expect(reporter.measures.peakMemory == 70)
        #expect(reporter.measures.neighbours.isEmpty)
    }

    @Test("How many there was no time for is told")
    func omitted() {
        subject.most = 1
        willEnd(.timeLimit)
        #expect(seen == [7])
        #expect(reporter.lastSnapshot?.omitted == 2)
    }

    @Test("What is dying is told as it was seen before; where all is gone, what was seen last is")
    func dying() {
        willEnd(.timeLimit)
        subject.footprints = [7: nil, 8: 31]
        willEnd(.timeLimit)
        #expect(footprints == [10, 31])
        subject.footprints = [7: nil, 8: nil]
        willEnd(.timeLimit)
        #expect(footprints == [10, 31])
        subject.footprints = [:]
        willEnd(.timeLimit)
        #expect(seen == [7, 8])
    }

    @Test("Where nothing was ever seen, nothing is what is told")
    func nothing() {
        subject.footprints = [:]
        willEnd(.timeLimit)
        #expect(seen == [])
    }

    // MARK: A kill for memory

    @Test(
        "The reports of kills for memory list every app",
        arguments: [KillReason.memoryLimit, .memoryHighwater, .memoryPressure, .idleExit])
    func neighbours(_ reason: KillReason) {
        willEnd(reason) { $0.footprint = 50 }
        #expect(reporter.measures.neighbours.map(\.name) == ["app"])
        #expect(reporter.measures.neighbours.map(\.footprint) == [50])
        #expect(reporter.measures.neighbours.map(\.isVictim) == [true])
        willEnd(reason)
        #expect(reporter.measures.neighbours.map(\.footprint) == [60])
    }

    @Test("At its limit there is little time: the largest first")
    func memoryLimit() {
        willEnd(.memoryLimit)
        #expect(subject.looks == ["[8, 9, 7] 500 µs"])
        #expect(footprints == [30, 20, 10])
    }

    @Test("Where the kernel was quicker, who it has killed is looked at too, also outside the cgroup")
    func kernelsKill() {
        subject.outOfMemoryKills = 1
        subject.footprints = [7: nil, 8: 30, 9: 20]
        subject.strays = [9]
        subject.peakMemory = 100
        willEnd(.memoryLimit)
        #expect(subject.looks == ["[8, 9, 7] 500 µs, also killed"])
        // The lone dying one had what the others haven't.
        #expect(footprints == [30, 20, 50])
    }

    @Test("Of the leader that the kernel has killed it is known what was started")
    func killedLeader() throws {
        subject.outOfMemoryKills = 1
        subject.footprints = [7: nil]
        willEnd(.memoryLimit)
        let leader = try #require(reporter.lastSnapshot?.processes.first)
        #expect(leader.commandLine == subject.commandLine)
    }

    @Test("What was seen at the mark and has gone since is told: the kernel ends the largest first")
    func goneSinceTheMark() {
        reporter.noteMark()
        #expect(subject.looks == ["[8, 9, 7] 500 µs"])
        subject.outOfMemoryKills = 1
        subject.footprints = [7: 10]
        willEnd(.memoryLimit)
        #expect(seen == [7, 8, 9])
    }

    // MARK: On the way there

    @Test("From a quarter of its limit on it is looked at, each time it has grown by a quarter")
    func growth() {
        reporter.noteGrowth(24, limit: 100)
        #expect(subject.looks.count == 0)
        reporter.noteGrowth(25, limit: 100)
        #expect(subject.looks == ["[8, 9, 7] 500 µs"])
        reporter.noteGrowth(30, limit: 100)
        #expect(subject.looks.count == 1)
        reporter.noteGrowth(31, limit: 100)
        #expect(subject.looks.count == 2)
    }

    @Test("Or when it was last looked at a second ago")
    func stale() {
        reporter.noteGrowth(50, limit: 100)
        subject.now = subject.now + .milliseconds(999)
        reporter.noteGrowth(50, limit: 100)
        #expect(subject.looks.count == 1)
        subject.now = subject.now + .milliseconds(1)
        reporter.noteGrowth(50, limit: 100)
        #expect(subject.looks.count == 2)
    }

    @Test("At a mark who has the memory is looked at, and its footprint is told")
    func mark() {
        #expect(reporter.markReached(limit: 100) { 90 } == .memoryMarkReached(bytes: 90))
        #expect(subject.looks == ["[8, 9, 7] 500 µs"])
    }

    @Test("Where the kernel has killed by then that is told, and what was seen last stays")
    func markAfterKill() {
        subject.outOfMemoryKills = 1
        #expect(reporter.markReached(limit: 100) { 90 } == .memoryLimitHit(bytes: 100))
        #expect(subject.looks == [])
    }

    @Test("The kernel's kill is told with the most that was used, and with no less than its limit")
    func kernelsOwn() {
        subject.peakMemory = 120
        #expect(reporter.kernelsKill(limit: 100) == nil)
        subject.outOfMemoryKills = 2
        #expect(reporter.kernelsKill(limit: 100) == .memoryLimitHit(bytes: 120))
        #expect(reporter.kernelsKill(limit: 130) == .memoryLimitHit(bytes: 130))
        #expect(reporter.kernelsKill(limit: nil) == .memoryLimitHit(bytes: 120))
        subject.peakMemory = nil
        #expect(reporter.kernelsKill(limit: nil) == .memoryLimitHit(bytes: 0))
    }

    @Test("Without a limit growth is nobody's business")
    func unlimited() {
        reporter.noteGrowth(1 << 40, limit: nil)
        #expect(subject.looks.count == 0)
    }
}
