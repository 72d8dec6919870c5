import Testing

@testable import CurfewCore

@Suite("Local notifications of one app")
struct LocalNotificationsTests {
    private static let now = Zones.moment(2026, 3, 1)

    private static func offsets(_ zone: CalendarRule.Zone, _ time: WallTime) -> Int64 {
        zone == .local ? Zones.berlin(time) : Zones.newYork(time)
    }

    private func once(_ id: String, at time: WallTime) -> LocalNotification {
        LocalNotification(id: id, rule: CalendarRule(.moment(time)))
    }

    private func daily(_ id: String, _ hour: Int, zone: CalendarRule.Zone = .local) -> LocalNotification {
        LocalNotification(id: id, rule: CalendarRule(.civil(Zones.civil(2026, 3, 1, hour), zone), .daily))
    }

    private func ids(_ all: LocalNotifications) -> [String] { all.pending.map(\.notification.id) }

    /// The ids of all that are due.
    private func deliver(_ all: inout LocalNotifications, at now: WallTime) -> [String] {
        var delivered: [String] = []
        while let notification = all.takeDue(at: now, Self.offsets) { delivered.append(notification.id) }
        return delivered
    }

    private func expectDelivery(of ids: [String], from all: inout LocalNotifications, at now: WallTime) {
        let delivered = deliver(&all, at: now)
        #expect(delivered == ids)
    }

    @Test("The soonest first; of two at once the one that was asked for first")
    func order() {
        var all = LocalNotifications()
        for (id, minute) in [("c", 3), ("a", 1), ("b", 1), ("d", 2)] {
            _ = all.schedule(once(id, at: Zones.moment(2026, 3, 2, 0, minute)), at: Self.now, Self.offsets)
        }
        #expect(ids(all) == ["a", "b", "d", "c"])
        #expect(all.nextDue == Zones.moment(2026, 3, 2, 0, 1))
    }

    @Test("One of the same id takes its place")
    func replaced() {
        var all = LocalNotifications()
        _ = all.schedule(once("a", at: Zones.moment(2026, 3, 2)), at: Self.now, Self.offsets)
        _ = all.schedule(once("a", at: Zones.moment(2026, 3, 3)), at: Self.now, Self.offsets)
        #expect(all.pending.map(\.due) == [Zones.moment(2026, 3, 3)])
    }

    @Test("The soonest 64 are kept, and it is told who isn't")
    func dropped() {
        var all = LocalNotifications()
        for number in 1...64 {
            _ = all.schedule(once("\(number)", at: Self.now + .seconds(Int64(number))), at: Self.now, Self.offsets)
        }
        let (sooner, later) = (Self.now + Span.milliseconds(500), Self.now + .seconds(99))
        let last = all.schedule(once("late", at: later), at: Self.now, Self.offsets)
        #expect(last == .kept(due: later, dropped: "late"))
        let first = all.schedule(once("soon", at: sooner), at: Self.now, Self.offsets)
        #expect(first == .kept(due: sooner, dropped: "64"))
        #expect(all.pending.count == 64)
        // In another's place nobody goes.
        let replacing = all.schedule(once("soon", at: later), at: Self.now, Self.offsets)
        #expect(replacing == .kept(due: later, dropped: nil))
    }

    @Test("What was due before it was asked for is due at once; of what repeats only what comes")
    func past() {
        var all = LocalNotifications()
        _ = all.schedule(once("old", at: Self.now - .seconds(60)), at: Self.now, Self.offsets)
        _ = all.schedule(daily("daily", 0), at: Self.now, Self.offsets)
        expectDelivery(of: ["old"], from: &all, at: Self.now)
        #expect(all["daily"]?.due == Zones.moment(2026, 3, 1, 23))
    }

    @Test("However many moments were missed, it is delivered once, and goes on")
    func missed() {
        var all = LocalNotifications()
        _ = all.schedule(daily("daily", 8), at: Self.now, Self.offsets)
        expectDelivery(of: ["daily"], from: &all, at: Zones.moment(2026, 3, 10, 12))
        #expect(all.nextDue == Zones.moment(2026, 3, 11, 7))
    }

    @Test("What has come doesn't come again when the clock is put back")
    func clockPutBack() {
        var all = LocalNotifications()
        _ = all.schedule(daily("daily", 8), at: Self.now, Self.offsets)
        expectDelivery(of: ["daily"], from: &all, at: Zones.moment(2026, 3, 10, 12))
        expectDelivery(of: [], from: &all, at: Zones.moment(2026, 3, 5, 12))
        #expect(all.nextDue == Zones.moment(2026, 3, 11, 7))
    }

    @Test("In another zone a local one comes when clocks there say so, a named one as before")
    func zoneChanged() {
        var all = LocalNotifications()
        _ = all.schedule(daily("local", 8), at: Self.now, Self.offsets)
        _ = all.schedule(daily("there", 8, zone: .named("America/New_York")), at: Self.now, Self.offsets)
        all.zoneChanged { _, time in Zones.newYork(time) }
        #expect(all["local"]?.due == Zones.moment(2026, 3, 1, 13))
        #expect(all["there"]?.due == Zones.moment(2026, 3, 1, 13))
    }

    @Test("A zone whose clocks are behind repeats nothing")
    func zoneBehind() {
        var all = LocalNotifications()
        _ = all.schedule(daily("local", 8), at: Self.now, Self.offsets)
        expectDelivery(of: ["local"], from: &all, at: Zones.moment(2026, 3, 1, 7))
        all.zoneChanged { _, time in Zones.newYork(time) }
        #expect(all.nextDue == Zones.moment(2026, 3, 2, 13))
    }

    @Test("Cancelled, it doesn't come")
    func cancelled() {
        var all = LocalNotifications()
        _ = all.schedule(daily("a", 8), at: Self.now, Self.offsets)
        let answers = [all.cancel("a"), all.cancel("a")]
        #expect(answers == [true, false])
        #expect(all.nextDue == nil)
    }

    @Test("What comes no more isn't scheduled, nor restored")
    func never() {
        var all = LocalNotifications()
        let ended = once("a", at: Self.now)
        let answers = [1, 0, 0].map { all.restore(ended, passed: $0, Self.offsets) }
        #expect(answers == [false, true, false])
    }

    @Test("All that was kept is there again, the soonest first; of too many the last are told of")
    func restored() {
        var all = LocalNotifications()
        let kept = (0..<66).map { number in
            (notification: once("\(number)", at: Self.now + .seconds(Int64(number / 2 * 7 % 66))), passed: Int64(0))
        }
        let ended = (notification: once("ended", at: Self.now), passed: Int64(1))
        let dropped = all.restore(all: [ended] + kept, Self.offsets)
        var expected = LocalNotifications()
        for (notification, _) in kept { _ = expected.schedule(notification, at: Self.now, Self.offsets) }
        #expect(ids(all) == ids(expected))
        #expect(Set(dropped) == Set(kept.map(\.notification.id)).subtracting(ids(expected)))
        // Later than any of its moment that was kept.
        _ = all.schedule(once("new", at: Self.now), at: Self.now, Self.offsets)
        #expect(ids(all).prefix(3) == ["0", "1", "new"])
    }

    @Test("What is written down is read when somebody looks at it, and not before")
    func written() {
        let read: @Sendable (String) -> LocalNotification.Content = { LocalNotification.Content(title: $0) }
        let written = LocalNotification(id: "a", rule: CalendarRule(.moment(Self.now)), written: "A", read: read)
        let same = LocalNotification(id: "a", rule: written.rule, content: .init(title: "A"))
        #expect(written == same && written.hashValue == same.hashValue)
        #expect(written != LocalNotification(id: "a", rule: written.rule, written: "B", read: read))
        var all = LocalNotifications()
        let unread = LocalNotification(id: "a", rule: written.rule, written: "A") { text in
            Issue.record("\(text) is read")
            return LocalNotification.Content()
        }
        let dropped = all.restore(all: [(notification: unread, passed: 0)], Self.offsets)
        #expect(dropped == [] && ids(all) == ["a"])
    }

    @Test("Random lives with clocks that jump: nothing is lost, nothing comes twice", arguments: Lives.blocks)
    func lives(block: Int) throws {
        for seed in Lives.seeds(of: block, usually: 24) { try live(seed) }
    }

    /// Against a list of moments that is worked out anew at each step.
    private func live(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var all = LocalNotifications()
        var now = Self.now
        var expected: [String: (rule: CalendarRule, passed: Int64)] = [:]
        for step in 0..<400 {
            let place = "seed \(seed), step \(step)"
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let id = "\(Int.random(in: 0..<40, using: &random))"
                let rule = Self.rule(near: now, &random)
                let passed =
                    rule.repetition == nil ? 0 : rule.count(upTo: now) { Self.offsets(rule.zone ?? .local, $0) }
                let answer = all.schedule(LocalNotification(id: id, rule: rule), at: now, Self.offsets)
                guard case .kept = answer else {
                    Issue.record("\(place): \(answer)")
                    return
                }
                expected[id] = (rule, passed)
            case 4:
                let id = "\(Int.random(in: 0..<40, using: &random))"
                let (wasThere, isThere) = (all.cancel(id), expected.removeValue(forKey: id) != nil)
                try #require(wasThere == isThere, "\(place)")
            case 5: now = now - .seconds(Int64.random(in: 0..<200_000, using: &random))
            default: now = now + .seconds(Int64.random(in: 0..<100_000, using: &random))
            }
            let due = expected.filter { Self.moment($0.value.rule, $0.value.passed).map { $0 <= now } == true }
            let delivered = deliver(&all, at: now)
            try #require(Set(delivered) == Set(due.keys) && delivered.count == due.count, "\(place)")
            for (id, entry) in due {
                let rule = entry.rule
                var passed = entry.passed + 1
                while let next = Self.moment(rule, passed), next <= now { passed += 1 }
                expected[id] = Self.moment(rule, passed) == nil ? nil : (rule, passed)
            }
            let next = expected.values.compactMap { Self.moment($0.rule, $0.passed) }.min()
            try #require(all.nextDue == next, "\(place)")
        }
    }

    private static func moment(_ rule: CalendarRule, _ count: Int64) -> WallTime? {
        rule.occurrence(count) { offsets(rule.zone ?? .local, $0) }
    }

    private static func rule(near now: WallTime, _ random: inout SplitMix64) -> CalendarRule {
        let time = now + .seconds(Int64.random(in: -100_000..<400_000, using: &random))
        let repetitions: [CalendarRule.Repetition?] = [nil, nil, .daily, .weekly, .monthly, .every(.seconds(3600))]
        let repetition = random.pick(repetitions)
        if Bool.random(using: &random) { return CalendarRule(.moment(time), repetition) }
        let zone: CalendarRule.Zone = Bool.random(using: &random) ? .local : .named("America/New_York")
        return CalendarRule(.civil(Zones.shown(time), zone), repetition)
    }
}
