import Testing

@testable import CurfewCore

@Suite("When one app fetches")
struct FetchScheduleTests {
    private static let now = Zones.moment(2026, 3, 2, 12)

    @Test("What it asks for itself counts more than its manifest")
    func intervals() {
        var fetch = FetchSchedule()
        #expect(fetch.due == nil)
        #expect(!fetch.learns)
        fetch.define(.zero, at: Self.now, offset: Zones.utc)
        #expect(fetch.due == Self.now)
        #expect(fetch.rule.interval == FetchRule.shortestInterval)
        fetch.ask(for: .seconds(7200), at: Self.now, offset: Zones.utc)
        #expect(fetch.rule.interval == .seconds(7200))
        fetch.ask(for: .infinite, at: Self.now, offset: Zones.utc)
        #expect(fetch.due == nil)
        #expect(!fetch.learns)
        #expect(!fetch.isEmpty)
        fetch.define(nil, at: Self.now, offset: Zones.utc)
        #expect(fetch.due == nil)
    }

    @Test("The result adapts the interval")
    func results() {
        var fetch = FetchSchedule()
        fetch.define(.seconds(3600), at: Self.now, offset: Zones.utc)
        fetch.began(at: Self.now, offset: Zones.utc)
        #expect(fetch.due == Self.now + .seconds(3600))
        fetch.completed(.noData, at: Self.now, offset: Zones.utc)
        #expect(fetch.due == Self.now + .seconds(7200))
        fetch.completed(.failed, at: Self.now, offset: Zones.utc)
        #expect(fetch.due == Self.now + .seconds(7200))
        fetch.completed(.newData, at: Self.now, offset: Zones.utc)
        #expect(fetch.due == Self.now + .seconds(3600))
    }

    @Test("As it was kept it goes on")
    func restored() {
        var fetch = FetchSchedule()
        fetch.restore(asked: .seconds(3600), lastFetch: Self.now, fruitless: 1)
        fetch.plan(at: Self.now, offset: Zones.utc)
        #expect(fetch.due == Self.now + .seconds(7200))
        // A clock that was put back: what it fetched in its future says nothing.
        fetch.plan(at: Self.now - .seconds(86_400), offset: Zones.utc)
        #expect(fetch.due == Self.now - .seconds(86_400))
    }

    @Test("What was kept outlives the moment until its manifest is read, and counts then")
    func restoredBeforeItsManifest() {
        var schedules = Schedules()
        schedules.change("mail") { $0.fetch.restore(asked: nil, lastFetch: Self.now, fruitless: 1) }
        let opened = UseHabits.Opening(Self.now, shown: Zones.shown(Self.now))
        schedules.change("news") { $0.fetch.restore(opened) }
        #expect(schedules["mail"] != nil)
        #expect(schedules["news"]?.fetch.habits.openings == [opened])
        #expect(schedules.nextDue == nil)
        schedules.change("mail") { $0.fetch.define(.seconds(3600), at: Self.now, offset: Zones.utc) }
        #expect(schedules["mail"]?.fetch.due == Self.now + .seconds(7200))
    }

    @Test("Learned, it comes shortly before it is opened, and not in the hours between")
    func learned() {
        var fetch = FetchSchedule()
        fetch.define(.zero, at: Self.now, offset: Zones.utc)
        for day in 0..<4 as Range<Int64> {
            let opened = Zones.moment(2026, 3, 2, 8) + .seconds(day * 86_400)
            fetch.opened(UseHabits.Opening(opened, shown: Zones.shown(opened)), offset: Zones.utc)
        }
        let due = fetch.due ?? .distantFuture
        #expect(Zones.moment(2026, 3, 6, 7, 30) <= due)
        #expect(due < Zones.moment(2026, 3, 6, 8))
    }

    @Test("Put off, it is looked at again in five minutes")
    func postponed() {
        var fetch = FetchSchedule()
        fetch.define(.zero, at: Self.now, offset: Zones.utc)
        fetch.postpone(because: .shortOfCPU, at: Self.now)
        #expect(fetch.due == Self.now + .seconds(300))
        #expect(fetch.obstacle == .shortOfCPU)
        fetch.ask(for: .infinite, at: Self.now, offset: Zones.utc)
        #expect(fetch.obstacle == nil)
    }
}
