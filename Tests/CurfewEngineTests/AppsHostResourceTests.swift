import CCurfew
import Glibc
import Testing

@testable import CurfewCore
@testable import CurfewEngine
@testable import CurfewLinux

@Suite("What a supervisor notes for a report, and what it makes of what the kernel tells of memory")
struct AppsHostResourceTests {
    private let scene = HostScene()
    private let subject: FakeSubject

    init() throws {
        subject = try FakeSubject([7: 10, 8: 30, 9: 20])
        subject.cpuMicroseconds = 70
    }

    private var host: HostScene.Host { scene.host }
    private static let limit: UInt64 = 1000

    /// With that memory limit, and looked at as the subject shows it.
    @discardableResult
    private func hold(_ id: AppID = .a) -> Instance {
        let instance = scene.hold(id) { $0.memory = MemoryLimits(fatal: Self.limit, soft: nil) }
        instance.reporter = Reporter(subject)
        return instance
    }

    /// Why, and with which footprint and limit.
    private var kills: [String] {
        let entries = host.kernel.instances[.a]?.log.entries ?? []
        return entries.compactMap {
            guard case .killing(let report) = $0.record else { return nil }
            return "\(report.reason.rawValue) \(report.footprint ?? 0) of \(report.memoryLimit ?? 0)"
        }
    }

    // MARK: Before a kill

    @Test("Who is killed is looked at before, and what it has used noted")
    func looksFirst() {
        let instance = hold()
        host.willEnd(.a, .sample(.timeLimit))
        #expect(subject.looks == ["[7, 8, 9] 5000 µs"])
        #expect(instance.reporter.measures.cpuMicroseconds == 70)
    }

    @Test("Where its end isn't told nobody is looked at; what it has used is noted all the same")
    func untold() {
        let instance = hold()
        host.isToldOfKills = false
        host.willEnd(.a, .sample(.userQuit))
        #expect(subject.looks == [])
        #expect(instance.reporter.lastSnapshot == nil)
        #expect(instance.reporter.measures.cpuMicroseconds == 70)
    }

    @Test("A kill for memory is told with the app's name and its footprint, measured now")
    func neighbours() {
        let instance = hold()
        scene.kernel[.a].footprints = [640]
        host.willEnd(.a, .sample(.memoryPressure))
        let neighbours = instance.reporter.measures.neighbours
        #expect(neighbours.map(\.name) == ["app-a"])
        #expect(neighbours.map(\.footprint) == [640])
    }

    @Test("Of an app that isn't held nothing is noted")
    func unheld() {
        hold()
        host.willEnd(.c, .sample(.timeLimit))
        host.noteGrowth(.c, Self.limit)
        host.noteMemoryLimit(of: .c)
        host.memoryMarkReached(by: .c)
        #expect(subject.looks == [])
        #expect(scene.journal.take() == [])
    }

    @Test("On the way to its limit it is looked at from a quarter of that on")
    func growth() {
        hold()
        host.noteGrowth(.a, Self.limit / 4 - 1)
        #expect(subject.looks == [])
        host.noteGrowth(.a, Self.limit / 4)
        #expect(subject.looks == ["[8, 9, 7] 500 µs"])
    }

    @Test("What has no limit isn't looked at, however it grows; nor is one that has ended")
    func unlimited() {
        let instance = scene.hold()
        instance.reporter = Reporter(subject)
        host.noteGrowth(.a, .max)
        hold(.b)
        scene.kernel[.b].isAlive = false
        scene.feed(.leaderExited(.exited(code: 0)), to: .b)
        #expect(scene.state(.b) == nil)
        host.noteGrowth(.b, .max)
        #expect(subject.looks == [])
    }

    // MARK: What the kernel tells

    @Test("The kernel's kill for its limit ends the app, with no less than that limit")
    func kernelsKill() {
        hold()
        host.noteMemoryLimit(of: .a)
        #expect(kills == [])
        subject.outOfMemoryKills = 1
        subject.peakMemory = 5
        host.noteMemoryLimit(of: .a)
        #expect(kills == ["memory-limit 1000 of 1000"])
        #expect(scene.journal.take().contains("SIGKILL a"))
    }

    @Test("A mark that was reached has its footprint measured: below its limit it lives, above it is killed")
    func mark() {
        hold()
        scene.kernel[.a].footprints = [900, 1001]
        host.memoryMarkReached(by: .a)
        #expect(subject.looks == ["[8, 9, 7] 500 µs"])
        #expect(kills == [])
        #expect(host.engine.core.app(.a)?.footprint == 900)
        host.memoryMarkReached(by: .a)
        #expect(kills == ["memory-limit 1001 of 1000"])
    }

    @Test("Where the kernel was quicker than the mark that is told, and nothing measured")
    func markAfterKill() {
        hold()
        subject.outOfMemoryKills = 1
        host.memoryMarkReached(by: .a)
        #expect(kills == ["memory-limit 1000 of 1000"])
        #expect(scene.journal.take().only("footprint") == [])
    }

    @Test("What has told of the mark is read, or it would wake the loop for ever")
    func markRead() {
        let instance = hold()
        let event = ReadyEvent()
        instance.tree.containment.markEvent = event.descriptor
        defer { instance.tree.containment.markEvent = .none }
        #expect(event.isReady)
        host.memoryMarkReached(by: .a)
        #expect(!event.isReady)
    }

    // MARK: The machine

    private func asking(_ change: (SupervisorOptions) -> Void) -> HostScene {
        let options = SupervisorOptions()
        change(options)
        return HostScene(options)
    }

    @Test(
        "Memory is watched where that was asked for, by the options or else for the app's sake; for as long as is told")
    func watchesMemory() {
        host.watchMachine(defaultLow: nil)
        #expect(host.engine.core.memoryPressure == nil)
        host.watchMachine(defaultLow: .bytes(4711))
        #expect(host.engine.core.memoryPressure?.low == 4711)
        #expect(host.engine.core.memoryPressure?.sustained == .seconds(600))
        let asked = asking {
            $0.memoryLow = .bytes(5000)
            $0.timeScale = 60
        }
        asked.host.watchMachine(defaultLow: .bytes(4711))
        #expect(asked.host.engine.core.memoryPressure?.low == 5000)
        #expect(asked.host.engine.core.memoryPressure?.sustained == .seconds(10))
    }

    @Test("So much of what there is counts in all of the machine's memory")
    func share() throws {
        let total = try #require(SystemMemory.read()?.total)
        host.watchMachine(defaultLow: .percent(50))
        #expect(host.engine.core.memoryPressure?.low == total / 2)
    }

    @Test(
        "Where descriptors are scarce nobody tells of stalls, and the core knows; else it knows whether somebody does")
    func stalls() {
        for count in [32, 1024] {
            let scene = HostScene()
            scene.host.descriptors = DescriptorLimit(count: count)
            scene.host.watchMachine(defaultLow: .bytes(1))
            let isTold = scene.host.pressure != nil
            #expect(count > 32 || !isTold)
            #expect(scene.host.engine.core.memoryPressure?.isToldOfStalls == isTold)
        }
    }

    @Test("The disk is watched where that was asked for: where we are, and by what it holds")
    func watchesDisk() throws {
        host.watchMachine(defaultLow: nil)
        #expect(host.engine.core.diskPressure == nil)
        let total = try #require(DiskSpace.available(at: ".")?.total)
        let asked = asking { $0.diskLow = .percent(10) }
        asked.host.watchMachine(defaultLow: nil)
        #expect(asked.host.engine.core.diskPressure?.low == Amount.percent(10).bytes(of: total))
        #expect(asked.host.kernel.watchedDisk == ".")
        #expect(asked.host.engine.core.memoryPressure == nil)
    }
}
