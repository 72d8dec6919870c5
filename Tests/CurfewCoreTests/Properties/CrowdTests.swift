import Testing

@testable import CurfewCore

/// What a supervisor knows of all its apps without a look at each.
@Suite("Many apps")
struct CrowdTests {
    @Test(
        "Whatever comes, deadlines, counts, who is in front and who is leaving are what a look at each app says",
        arguments: [(1, 1), (4, 1), (33, 1), (4, 2), (33, 3), (33, 40)])
    func aggregates(slots: Int, places: Int) {
        for seed in UInt64(0)..<20 {
            var random = SplitMix64(seed: seed)
            var crowd = Crowd(slots: slots, places: places)
            for _ in 0..<150 {
                guard let violation = crowd.step(&random) else { continue }
                Issue.record("seed \(seed): \(violation)\n\(crowd.journal.joined(separator: "\n"))")
                return
            }
        }
    }

    @Test("Such crowds are big, come and go, and several are due at once")
    func reach() {
        var random = SplitMix64(seed: 1)
        var crowd = Crowd(slots: 33)
        var most = 0
        for _ in 0..<400 {
            _ = crowd.step(&random)
            most = max(most, crowd.mostPresent)
        }
        #expect(most > 16)
        #expect(crowd.mostDue > 1)
        #expect(crowd.mostLeaving > 1)
        #expect(crowd.givenUp > 0)
        #expect(crowd.supervisor.memoryPressure?.isWatched == true)
        #expect(crowd.supervisor.apps.contains { $0.id.generation > 0 })
    }

    @Test("All places in front are taken now and then", arguments: [1, 2, 5])
    func reachOfPlaces(places: Int) {
        var random = SplitMix64(seed: 1)
        var crowd = Crowd(slots: 33, places: places)
        for _ in 0..<400 { _ = crowd.step(&random) }
        #expect(crowd.mostInFront == places)
    }

    @Test("A slot that one has left can be another's, and what comes for the first is about nobody")
    func generations() {
        let first = AppID(slot: 7, generation: 0)
        let second = AppID(slot: 7, generation: 1)
        #expect(first == AppID(7))
        #expect(second != first)
        let scenario = Scenario.empty()
        scenario.start(first)
        scenario.leaderExits(0, first)
        scenario.treeGone(first)
        #expect(scenario.supervisor.canLaunch(second))
        scenario.start(second, inBackground: true)
        #expect(scenario.open(first).isEmpty)
        #expect(scenario.state(first) == nil)
        #expect(scenario.state(second) == .background)
        #expect(!scenario.supervisor.canLaunch(first))
    }

    @Test("Numbers of slots and generations are what they are made of", arguments: [0, 1, 5_000, AppID.slotLimit - 1])
    func numbers(slot: Int) {
        for generation in [0, 1, 1_000_000] {
            let id = AppID(slot: slot, generation: generation)
            #expect(id.slot == slot)
            #expect(id.generation == generation)
        }
    }
}
