import CurfewCore
import Testing

/// What `curfew pressure` says is taken for true.
@Suite("The machine is said to be short of memory")
struct SimulatedPressureTests {
    @Test("In front it is warned, at critical killed half a second later")
    func inFront() {
        let scenario = Scenario()
        #expect(scenario.pressure(.warning) == ["pressure warning", "note a memory warning"])
        #expect(scenario.run(.seconds(1)).isEmpty)
        #expect(scenario.pressure(.critical) == ["pressure critical", "note a memory critical"])
        #expect(scenario.run(.milliseconds(499)).isEmpty)
        #expect(scenario.run(.milliseconds(1)).contains { $0.hasPrefix("kill a memory-pressure in active") })
        #expect(scenario.report()?.available == nil)
    }

    @Test("Suspended it is killed at once by critical, and not by warning")
    func suspended() {
        let scenario = Scenario()
        scenario.home()
        #expect(scenario.state() == .suspended)
        #expect(scenario.pressure(.warning) == ["pressure warning"])
        #expect(scenario.pressure(.critical).contains { $0.hasPrefix("kill a memory-pressure in suspended") })
    }

    @Test("Victims go one at a time, half a second apart, without anything being measured")
    func victims() {
        let scenario = Scenario()
        scenario.home()
        scenario.start(.b)
        #expect(scenario.pressure(.critical).filter { $0.hasPrefix("kill") }.count == 1)
        let later = scenario.run(.milliseconds(500))
        #expect(later.filter { $0.hasPrefix("kill b") }.count == 1)
        #expect(!later.contains("measure available memory"))
    }

    @Test("Normal ends it: nobody is warned or killed any more, and nothing is armed where nobody has memory watched")
    func normal() {
        let scenario = Scenario()
        scenario.pressure(.critical)
        #expect(scenario.pressure(.normal) == ["pressure normal"])
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.run(.seconds(5)).isEmpty)
        #expect(scenario.pressure(.normal).isEmpty)
    }

    @Test("What is measured meanwhile counts for nothing; after it, it is measured anew")
    func watched() {
        let scenario = Scenario()
        scenario.watchMemory(low: 1000)
        scenario.memoryLeft(2000)
        scenario.pressure(.warning)
        #expect(scenario.memoryLeft(499).isEmpty)
        #expect(scenario.pressure(.normal) == ["pressure normal"])
        #expect(scenario.tick() == ["measure available memory"])
        #expect(scenario.memoryLeft(999).first == "pressure warning at 999")
    }

    @Test("Watched from the middle of it on, memory is measured once it is over")
    func watchedMeanwhile() {
        let scenario = Scenario()
        scenario.pressure(.warning)
        scenario.watchMemory(low: 1000)
        #expect(scenario.memoryLeft(499).isEmpty)
        #expect(scenario.pressure(.normal) == ["pressure normal"])
        #expect(scenario.tick() == ["measure available memory"])
    }

    @Test("Nothing changes where nothing was said")
    func nothing() {
        let scenario = Scenario()
        #expect(scenario.pressure(.normal).isEmpty)
        #expect(scenario.untilDeadline == nil)
    }
}
