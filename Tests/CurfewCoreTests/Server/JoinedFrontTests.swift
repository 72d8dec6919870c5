import CurfewCore
import Testing

@Suite("Apps of other supervisors in the front")
struct JoinedFrontTests {
    /// Two of other supervisors.
    private let vim = AppID(7)
    private let less = AppID(8)

    private func joined(_ scenario: Scenario, _ app: AppID, _ input: JoinedInput) -> [String] {
        scenario.send(.machine(.joined(app, input)))
    }

    @Test("It takes the place of whoever is held here, who goes home")
    func comes() {
        let scenario = Scenario()
        #expect(
            joined(scenario, vim, .opened) == ["a active -> background", "suspend a", "a background -> suspended"])
        #expect(scenario.supervisor.foregroundApps == [vim])
        #expect(scenario.supervisor.isFrontFull)
        #expect(scenario.supervisor.previousForegroundApp == .a)
    }

    @Test("Who is opened here sends it home, and it counts as gone at once")
    func leaves() {
        let scenario = Scenario()
        _ = joined(scenario, vim, .opened)
        #expect(scenario.open(.a).first == "send joined 7 home")
        #expect(scenario.supervisor.foregroundApps == [.a])
        #expect(scenario.supervisor.previousForegroundApp == vim)
        #expect(joined(scenario, vim, .wentHome).isEmpty)
        #expect(scenario.supervisor.foregroundApps == [.a])
    }

    @Test("A launch in front sends it home, too, and one in background doesn't")
    func launches() {
        let scenario = Scenario.empty()
        _ = joined(scenario, vim, .opened)
        scenario.start(.b, inBackground: true)
        #expect(scenario.supervisor.foregroundApps == [vim])
        #expect(scenario.start(.a).first == "send joined 7 home")
        #expect(scenario.supervisor.foregroundApps == [.a])
    }

    @Test("One sends another home; opened twice nothing happens")
    func two() {
        let scenario = Scenario.empty()
        _ = joined(scenario, vim, .opened)
        #expect(joined(scenario, vim, .opened).isEmpty)
        #expect(joined(scenario, less, .opened) == ["send joined 7 home"])
        #expect(scenario.supervisor.foregroundApps == [less])
        #expect(joined(scenario, less, .wentHome).isEmpty)
        #expect(scenario.supervisor.foregroundApps == [])
        #expect(joined(scenario, vim, .opened).isEmpty)
    }

    @Test("Gone, it is in nobody's way, and nobody switches to it")
    func gone() {
        let scenario = Scenario()
        _ = joined(scenario, vim, .opened)
        _ = joined(scenario, vim, .left)
        #expect(scenario.supervisor.foregroundApps == [])
        #expect(scenario.supervisor.previousForegroundApp == .a)
        _ = joined(scenario, vim, .left)
        _ = joined(scenario, vim, .wentHome)
        #expect(scenario.supervisor.foregroundApps == [])
    }

    @Test("With two places, opened again it isn't the next to go")
    func reopened() {
        let scenario = Scenario.empty(foregroundPlaces: 2)
        _ = joined(scenario, vim, .opened)
        scenario.start(.a)
        _ = joined(scenario, vim, .opened)
        #expect(joined(scenario, less, .opened).first == "a active -> background")
        #expect(scenario.supervisor.foregroundApps == [less, vim])
    }

    @Test("Whatever happens, the front is a list of who was opened last", arguments: 0..<40 as Range<UInt64>)
    func model(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let places = Int(random.next() % 3) + 1
        let scenario = Scenario.empty(foregroundPlaces: places)
        let (held, others): ([AppID], [AppID]) = ([.a, .b, .c], [vim, less])
        for app in held { scenario.start(app, inBackground: true) }
        var front: [AppID] = []
        for _ in 0..<200 {
            let opens = random.next() % 3 != 0
            let app = (held + others)[Int(random.next() % 5)]
            let leaver = opens && !front.contains(app) && front.count == places ? front.last : nil
            let lines: [String]
            if others.contains(app) {
                lines = joined(scenario, app, opens ? .opened : random.next() % 2 == 0 ? .wentHome : .left)
            } else {
                lines = opens ? scenario.open(app) : scenario.home(app)
            }
            front.removeAll { $0 == app || $0 == leaver }
            if opens { front.insert(app, at: 0) }
            #expect(scenario.supervisor.foregroundApps == front)
            let isAsked = lines.contains { $0.hasPrefix("send joined") }
            #expect(isAsked == (leaver.map { others.contains($0) } ?? false), "\(lines)")
        }
    }
}
