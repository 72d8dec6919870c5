import CurfewCore
import Testing

/// The disk is too full with less than 1000 bytes free.
@Suite("The disk runs full")
struct DiskSpaceTests {
    /// a suspended, b in background with a task, c in front.
    private func three() -> Scenario {
        let scenario = Scenario()
        scenario.start(.b)
        scenario.begin("t", .b)
        scenario.start(.c)
        scenario.run(.seconds(10))
        scenario.send(.machine(.watchDisk(low: 1000)))
        return scenario
    }

    @Test("Not watched, nobody is killed and nothing is armed")
    func notWatched() {
        let scenario = Scenario.suspended()
        #expect(scenario.diskLeft(0).isEmpty)
        #expect(scenario.untilDeadline == nil)
    }

    @Test("Looked at once, and then every ten seconds")
    func looks() {
        let scenario = Scenario()
        scenario.send(.machine(.watchDisk(low: 1000)))
        #expect(scenario.tick() == ["measure free disk"])
        #expect(scenario.tick().isEmpty)
        #expect(scenario.diskLeft(1000).isEmpty)
        #expect(scenario.untilDeadline == "10s")
        #expect(scenario.run(.seconds(10)) == ["measure free disk"])
    }

    @Test("With as much free as there should be nobody is killed")
    func enough() {
        #expect(three().diskLeft(1000).isEmpty)
    }

    @Test("A byte less: the lowest goes, and then the next, half a second apart")
    func victims() {
        let scenario = three()
        #expect(
            scenario.diskLeft(999) == [
                "kill a disk-space in suspended, available 999, wanted 1000", "a suspended -> notRunning",
            ])
        #expect(scenario.untilDeadline == "0.5s")
        #expect(scenario.run(.milliseconds(500)) == ["measure free disk"])
        #expect(scenario.diskLeft(0).first?.hasPrefix("kill b disk-space in background, available 0") == true)
        #expect(scenario.treeGone() == ["ended a exit 137 disk-space"])
    }

    @Test("The app in front is never killed for it")
    func front() {
        let scenario = three()
        scenario.diskLeft(0)
        scenario.diskLeft(0)
        #expect(scenario.diskLeft(0).isEmpty)
        #expect(scenario.untilDeadline == "10s")
        scenario.interrupt(.c)
        #expect(scenario.diskLeft(0).isEmpty)
        #expect(scenario.state(.c) == .inactive)
    }

    @Test("Once it is home it may be")
    func home() {
        let scenario = Scenario()
        scenario.send(.machine(.watchDisk(low: 1000)))
        scenario.diskLeft(0)
        scenario.home()
        #expect(scenario.diskLeft(0).last == "a suspended -> notRunning")
    }

    @Test("Enough is free again: nobody else goes")
    func freed() {
        let scenario = three()
        scenario.diskLeft(999)
        #expect(scenario.diskLeft(1000).isEmpty)
        #expect(scenario.untilDeadline == "10s")
    }

    @Test("One that is ending already is let be")
    func ending() {
        let scenario = three()
        scenario.quit(.b)
        scenario.diskLeft(0)
        #expect(scenario.diskLeft(0).isEmpty)
    }

    @Test("A second request to watch changes nothing")
    func watchedTwice() {
        let scenario = three()
        scenario.send(.machine(.watchDisk(low: .max)))
        #expect(scenario.diskLeft(1000).isEmpty)
    }

    @Test("While everybody is suspended and enough is free it isn't looked at, and again when one is opened")
    func nobodyRuns() {
        let scenario = Scenario()
        scenario.send(.machine(.watchDisk(low: 1000)))
        scenario.diskLeft(1000)
        scenario.home()
        #expect(scenario.untilDeadline == nil)
        #expect(scenario.after(.seconds(11)).tick().isEmpty)
        scenario.open()
        #expect(scenario.untilDeadline == "-1s", "it is due already")
        scenario.home()
        scenario.diskLeft(1000)
        #expect(scenario.untilDeadline == nil)
        scenario.open()
        #expect(scenario.untilDeadline == "0s")
    }
}
