import CurfewCore
import Testing

@Suite("Memory limits")
struct MemoryTests {
    private static let mebibyte: UInt64 = 1 << 20
    private let sampled = Policy.with {
        $0.memory = MemoryPolicy(fatalLimit: 200 << 20, isEnforcedByKernel: false)
    }
    private let enforced = Policy.with {
        $0.memory = MemoryPolicy(fatalLimit: 200 << 20, isEnforcedByKernel: true)
    }

    @Test("Without a limit nothing is measured, and no footprint kills")
    func noLimit() {
        let scenario = Scenario()
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.measured(.max).isEmpty)
        #expect(scenario.send(.app(.a, .memoryLimitHit(bytes: .max))).isEmpty)
    }

    @Test("Sampled, the footprint is measured from the start on")
    func fromStart() {
        let scenario = Scenario.empty()
        #expect(scenario.start(.a, sampled) == ["a notRunning -> active", "measure a"])
        #expect(scenario.untilDeadline == nil)
    }

    @Test("The next measurement waits as the room left allows")
    func pace() {
        let scenario = Scenario(sampled)
        #expect(scenario.measured(100 << 20).isEmpty)
        #expect(scenario.untilDeadline == "0.014s")
        #expect(scenario.run(.milliseconds(48)) == ["measure a"])
        scenario.measured(200 << 20)
        #expect(scenario.untilDeadline == "0.001s")
    }

    @Test("Over the limit: killed, with footprint and limit")
    func over() {
        let scenario = Scenario(sampled)
        #expect(
            scenario.measured((200 << 20) + 1) == [
                "kill a memory-limit in active, footprint 209715201, memory limit 209715200",
                "a active -> notRunning",
            ])
        #expect(scenario.treeGone() == ["ended a exit 137 memory-limit"])
    }

    @Test("At the limit: not killed")
    func atLimit() {
        #expect(Scenario(sampled).measured(200 << 20) == ["note a memory warning"])
    }

    @Test("The report of a memory kill names the open tasks")
    func tasksNamed() {
        let scenario = Scenario(sampled)
        scenario.begin("upload")
        #expect(
            scenario.measured(300 << 20).first
                == "kill a memory-limit in active, footprint 314572800, memory limit 209715200, task 1 \"upload\" 0s")
    }

    @Test("Where a cgroup enforces the limit, nothing is measured")
    func enforcedByKernel() {
        let scenario = Scenario.empty()
        #expect(
            scenario.start(.a, enforced) == ["a notRunning -> active", "limit memory of a fatal 200M, mark 160M"])
        #expect(scenario.measured(1).isEmpty)
        #expect(scenario.untilDeadline == nil)
    }

    @Test("The kernel's word that the limit was hit kills")
    func kernelHit() {
        let scenario = Scenario(enforced)
        #expect(
            scenario.send(.app(.a, .memoryLimitHit(bytes: 200 << 20))) == [
                "kill a memory-limit in active, footprint 209715200, memory limit 209715200",
                "a active -> notRunning",
            ])
    }

    @Test("The kernel's word kills a suspended app too")
    func kernelHitSuspended() {
        let scenario = Scenario.suspended(enforced)
        #expect(scenario.send(.app(.a, .memoryLimitHit(bytes: 1))).last == "a suspended -> notRunning")
    }

    @Test("A suspended app isn't measured, and is again when it runs")
    func suspended() {
        let scenario = Scenario(sampled)
        scenario.home()
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.measured(1).isEmpty)
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.open() == ["a suspended -> active", "resume a", "measure a"])
    }

    @Test("A begin that takes a suspension back measures again")
    func suspensionTakenBack() {
        let scenario = Scenario(sampled)
        scenario.home()
        #expect(scenario.begin().suffix(2) == ["resume a", "measure a"])
    }

    @Test("An app in background is measured on")
    func background() {
        let scenario = Scenario(sampled)
        scenario.begin()
        scenario.home()
        scenario.measured(1)
        #expect(scenario.run(.milliseconds(97)) == ["measure a"])
    }

    @Test("Far from the limit four times a second, near it each millisecond")
    func intervals() {
        #expect(MemorySampling.interval(headroom: 0) == .milliseconds(1))
        #expect(MemorySampling.interval(headroom: 2 * Self.mebibyte) == .milliseconds(1))
        #expect(MemorySampling.interval(headroom: 200 * Self.mebibyte) == .milliseconds(48))
        #expect(MemorySampling.interval(headroom: 2048 * Self.mebibyte) == .milliseconds(250))
        #expect(MemorySampling.interval(headroom: .max) == .milliseconds(250))
    }

    @Test("Growing at the rate it is taken to grow at, no measurement comes after the limit is passed")
    func neverLate() {
        for headroom in stride(from: UInt64(0), through: 4 << 30, by: 1_234_567) {
            let interval = MemorySampling.interval(headroom: headroom)
            guard interval > MemorySampling.shortest else { continue }
            let grown = UInt64(interval.nanoseconds / 1_000_000) * (MemorySampling.assumedBytesPerSecond / 1000)
            #expect(grown <= headroom)
        }
    }
}
