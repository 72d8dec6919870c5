import Testing

@testable import CurfewCore

@Suite("What all apps of a server have scheduled")
struct SchedulesTests {
    private static let now = Zones.moment(2026, 3, 1)

    private static func offsets(_ zone: CalendarRule.Zone, _ time: WallTime) -> Int64 { Zones.berlin(time) }

    private func notification(_ id: String, in seconds: Int64, badge: Int? = nil) -> LocalNotification {
        LocalNotification(
            id: id, rule: CalendarRule(.moment(Self.now + .seconds(seconds))),
            content: LocalNotification.Content(title: id, badge: badge))
    }

    private func schedule(_ all: inout Schedules, _ app: String, _ notification: LocalNotification) {
        _ = all.change(app) { $0.notifications.schedule(notification, at: Self.now, Self.offsets) }
    }

    private func takeDue(_ all: inout Schedules, at seconds: Int64) -> [Schedules.Due] {
        var found: [Schedules.Due] = []
        while case .deliver(let due)? = all.takeDue(at: Self.now + .seconds(seconds), Self.offsets) {
            found.append(due)
        }
        return found
    }

    private func expectDue(in all: inout Schedules, at seconds: Int64, _ ids: [String]) {
        let due = takeDue(&all, at: seconds)
        #expect(due.map(\.notification.id) == ids)
    }

    @Test("The soonest of all apps comes first, and only what is due")
    func order() {
        var all = Schedules()
        #expect(all.nextDue == nil)
        schedule(&all, "mail", notification("late", in: 30))
        schedule(&all, "chat", notification("soon", in: 10))
        schedule(&all, "mail", notification("sooner", in: 5))
        #expect(all.nextDue == Self.now + .seconds(5))
        #expect(all.names == ["chat", "mail"])
        expectDue(in: &all, at: 4, [])
        expectDue(in: &all, at: 10, ["sooner", "soon"])
        #expect(all.names == ["mail"])
        expectDue(in: &all, at: 99, ["late"])
        #expect(all.nextDue == nil)
        #expect(all["mail"] == nil)
    }

    @Test("A badge stands from the delivery on")
    func badge() {
        var all = Schedules()
        schedule(&all, "mail", notification("a", in: 1, badge: 3))
        #expect(all["mail"]?.badge == 0)
        _ = takeDue(&all, at: 1)
        #expect(all["mail"]?.badge == 3)
        schedule(&all, "mail", notification("b", in: 2, badge: 0))
        _ = takeDue(&all, at: 2)
        #expect(all["mail"] == nil)
    }

    @Test("It is told what goes on, and what is over")
    func passed() {
        var all = Schedules()
        let rule = CalendarRule(.moment(Self.now + .seconds(60)), .every(.seconds(60)))
        schedule(&all, "mail", LocalNotification(id: "again", rule: rule))
        schedule(&all, "mail", notification("once", in: 61))
        let due = takeDue(&all, at: 200)
        #expect(due.map(\.notification.id) == ["again", "once"])
        #expect(due.map(\.passed) == [3, nil])
        #expect(all.nextDue == Self.now + .seconds(240))
    }

    @Test("Of an app that was removed nothing is due until it is opened; then all of it")
    func removed() {
        var all = Schedules()
        schedule(&all, "mail", notification("a", in: 1))
        all.hold("mail", true)
        #expect(all.nextDue == nil)
        expectDue(in: &all, at: 9, [])
        #expect(all["mail"]?.obstacle(Self.now, at: Self.now) == .appRemoved)
        all.hold("mail", false)
        #expect(all.nextDue == Self.now + .seconds(1))
        expectDue(in: &all, at: 9, ["a"])
        all.hold("mail", true)
        #expect(all["mail"] == nil)
    }

    @Test("Why it waits: for its time, and for nothing once that has come")
    func obstacle() {
        let schedule = AppSchedule()
        let later = Self.now + .seconds(1)
        #expect(schedule.obstacle(later, at: Self.now) == .tooEarly(until: later))
        #expect(schedule.obstacle(later, at: later) == nil)
    }

    @Test("In another zone what goes by its clocks is due at another moment")
    func zone() {
        var all = Schedules()
        let local = CalendarRule(.civil(Zones.civil(2026, 3, 2, 8), .local))
        schedule(&all, "mail", LocalNotification(id: "a", rule: local))
        #expect(all.nextDue == Zones.moment(2026, 3, 2, 7))
        all.zoneChanged()
        all.plan(1, at: Self.now) { _, time in Zones.newYork(time) }
        #expect(all.nextDue == Zones.moment(2026, 3, 2, 13))
        #expect(!all.hasUnplanned)
    }

    /// So many apps, each with so many at eight o'clock by the machine's clocks, on one day after the other.
    private func local(_ apps: Int, _ count: Int) -> Schedules {
        var all = Schedules()
        for (app, day) in (0..<apps).flatMap({ app in (1...count).map { (app, $0) } }) {
            let rule = CalendarRule(.civil(Zones.civil(2026, 3, day, 8), .local))
            schedule(&all, "app\(app)", LocalNotification(id: "\(day)", rule: rule))
        }
        return all
    }

    @Test("In another zone so many are found anew at a time, whole apps; nothing comes before, and nothing is lost")
    func zoneByParts() {
        var all = local(10, 8)
        all.zoneChanged()
        let noon = Zones.moment(2026, 3, 1, 12)
        let offsets = { (_: CalendarRule.Zone, time: WallTime) in Zones.newYork(time) }
        var left: [Int] = []
        while all.hasUnplanned, left.count < 20 {
            let early = all.takeDue(at: noon, offsets)
            #expect(early == nil)
            all.plan(16, at: noon, offsets)
            left.append(all.unmoved.count)
        }
        #expect(left == [8, 6, 4, 2, 0])
        #expect(all.nextDue == Zones.moment(2026, 3, 1, 13))
        #expect(all.names.allSatisfy { all[$0]?.notifications.pending.count == 8 })
    }

    @Test("A zone that changes again meanwhile, and a clock that is set, leave none by the zone before")
    func zoneTwice() {
        var all = local(4, 2)
        let (time, offsets) = (Self.now, { (_: CalendarRule.Zone, time: WallTime) in Zones.newYork(time) })
        all.zoneChanged()
        all.plan(3, at: time, Self.offsets)
        #expect(all.unmoved.count == 2)
        all.forgetPlans()
        all.plan(1, at: time, Self.offsets)
        all.zoneChanged()
        all.plan(.max, at: time, offsets)
        #expect(all.unmoved.isEmpty && !all.hasUnplanned)
        #expect(all.names.allSatisfy { all[$0]?.notifications.nextDue == Zones.moment(2026, 3, 1, 13) })
    }

    @Test("Of too many the soonest stay, by the clocks as they are now, whether it was the app's turn or not")
    func zoneAndTooMany() {
        var all = Schedules()
        for number in 0..<LocalNotifications.maximumCount {
            let rule = CalendarRule(.civil(Zones.civil(2026, 3, 2, 8 + number / 60, number % 60), .local))
            schedule(&all, "mail", LocalNotification(id: "\(number)", rule: rule))
        }
        all.zoneChanged()
        // Behind all of them in Berlin, and in front of them in New York.
        let moment = LocalNotification(id: "new", rule: CalendarRule(.moment(Zones.moment(2026, 3, 2, 12))))
        let answer = all.keep(moment, passed: 0, of: "mail") { _, time in Zones.newYork(time) }
        #expect(answer == .kept(due: Zones.moment(2026, 3, 2, 12), dropped: "63"))
        #expect(all.nextDue == Zones.moment(2026, 3, 2, 12))
    }

    @Test("A fetch is due until it was begun or put off; a notification of the same app doesn't wait for it")
    func fetch() {
        var all = Schedules()
        all.change("mail") { $0.fetch.define(.seconds(3600), at: Self.now, offset: Zones.utc) }
        #expect(all.nextDue == Self.now)
        schedule(&all, "mail", notification("a", in: 1))
        let (first, second) = (all.takeDue(at: Self.now, Self.offsets), all.takeDue(at: Self.now, Self.offsets))
        #expect(first == .fetch("mail"))
        #expect(second == .fetch("mail"))
        expectDue(in: &all, at: 1, ["a"])
        all.change("mail") { $0.fetch.postpone(because: .offline, at: Self.now) }
        #expect(all.nextDue == Self.now + FetchSchedule.pause)
        #expect(all["mail"]?.fetch.obstacle == .offline)
        all.change("mail") { $0.fetch.began(at: Self.now, offset: Zones.utc) }
        #expect(all.nextDue == Self.now + .seconds(3600))
        #expect(all["mail"]?.fetch.obstacle == nil)
        all.hold("mail", true)
        #expect(all.nextDue == nil)
    }

    @Test("When the clock was set fetches are planned anew, so many at a time")
    func planning() {
        var all = Schedules()
        for number in 0..<10 {
            all.change("app\(number)") { $0.fetch.define(.seconds(3600), at: Self.now, offset: Zones.utc) }
            all.change("app\(number)") { $0.fetch.began(at: Self.now, offset: Zones.utc) }
        }
        #expect(all.nextDue == Self.now + .seconds(3600))
        #expect(!all.hasUnplanned)
        let before = Self.now - Span.seconds(86_400)
        all.forgetPlans()
        // One that has gone meanwhile is nothing to plan.
        all.change("app3") { $0.fetch = FetchSchedule() }
        var planned: [Int] = []
        while all.hasUnplanned, planned.count < 10 {
            all.plan(4, at: before, Self.offsets)
            planned.append(all.names.count { all[$0]?.fetch.due == before })
        }
        #expect(planned.last == 9)
        #expect(planned.count == 3)
        #expect(planned[0] <= 4)
        #expect(planned[1] <= 8)
    }

    @Test("A silent push that was kept back is due an hour after the first of three")
    func push() {
        var all = Schedules()
        for number in 1...3 {
            let isAdmitted = all.change("chat") { $0.admit(push: number, at: Self.now).isAdmitted }
            #expect(isAdmitted)
        }
        #expect(all.nextDue == nil)
        let fourth = all.change("chat") { $0.admit(push: 4, at: Self.now) }
        let fifth = all.change("chat") { $0.admit(push: 5, at: Self.now) }
        #expect(!fourth.isAdmitted && fourth.replaced == nil)
        #expect(!fifth.isAdmitted && fifth.replaced == 4)
        #expect(all.nextDue == Self.now + .seconds(3600))
        let due = all.takeDue(at: Self.now + .seconds(3600), Self.offsets)
        #expect(due == .push("chat", 5))
        #expect(all.nextDue == nil)
    }

    @Test("The same id is the same push, of the last 64")
    func ids() {
        var schedule = AppSchedule()
        var isNew = schedule.isNew(push: "a")
        #expect(isNew)
        isNew = schedule.isNew(push: "a")
        #expect(!isNew)
        schedule.forget(push: "a")
        isNew = schedule.isNew(push: "a")
        #expect(isNew)
        for number in 0..<64 { _ = schedule.isNew(push: "\(number)") }
        isNew = schedule.isNew(push: "a")
        #expect(isNew)
    }

    @Test("Requests are due until they were looked at; the app's notifications don't wait for them")
    func requests() {
        var all = Schedules()
        let request = TaskRequest(id: "r", kind: .refresh, earliest: Self.now + .seconds(5))
        let isKept = all.change("mail") { schedule in
            defer { schedule.requests.plan(at: Self.now) }
            return schedule.requests.submit(request)
        }
        #expect(isKept)
        #expect(all.nextDue == Self.now + .seconds(5))
        schedule(&all, "mail", notification("a", in: 5))
        expectDue(in: &all, at: 5, ["a"])
        let due = all.takeDue(at: Self.now + .seconds(5), Self.offsets)
        #expect(due == .request("mail"))
        all.change("mail") { $0.requests.postpone(because: nil, at: Self.now + .seconds(5)) }
        #expect(all.nextDue == Self.now + .seconds(305))
        // The clock is put back: it is too early again.
        all.forgetPlans()
        all.plan(1, at: Self.now, Self.offsets)
        #expect(!all.hasUnplanned)
        #expect(all.nextDue == Self.now + .seconds(5))
        all.hold("mail", true)
        #expect(all.nextDue == nil)
        all.change("mail") { $0.requests.cancelAll() }
        #expect(all["mail"] == nil)
    }

    // MARK: Lives

    @Test(
        "They are as somebody has them on paper, in lives of too many, of apps that go, clocks that jump, zones, restarts",
        arguments: Lives.blocks)
    func lives(block: Int) {
        for seed in Lives.seeds(of: block, usually: 16) {
            let life = ScheduleStep.life(seed: seed)
            guard ScheduleWorld.violation(of: life) != nil else { continue }
            Issue.record("\(Self.report(life, seed: seed))")
            return
        }
    }

    @Test("Such lives come to all that is seldom")
    func reach() {
        var unreached: Set = [
            "another is pushed out", "pushed out itself", "too many are found", "another zone, another moment",
            "it is over", "it goes on", "two of one app at once", "two apps at once", "more than come in a step",
            "due, and its app removed", "due before all is planned anew", "one more before its app is planned anew",
        ]
        for seed in UInt64(0)..<100 {
            unreached.subtract(ScheduleWorld.reached(by: ScheduleStep.life(seed: seed)))
            if unreached.isEmpty { return }
        }
        #expect(unreached == [])
    }

    /// The shortest life that still goes wrong, as text.
    private static func report(_ life: [ScheduleStep], seed: UInt64) -> String {
        let shortest = life.shrunk { ScheduleWorld.violation(of: $0) != nil }
        guard let text = ScheduleWorld.violation(of: shortest) else { return "seed \(seed): not repeatable" }
        let steps = shortest.map { "  \($0.pause), \($0.action)" }
        return (["seed \(seed), \(shortest.count) steps left: \(text)"] + steps).joined(separator: "\n")
    }
}

@Suite("Notifications on the desktop")
struct ShownNotificationsTests {
    private typealias Way = ShownNotifications.Way

    private func show(_ shown: inout ShownNotifications, _ apps: [String], hasAction: Bool) -> [Way] {
        apps.map { shown.show(of: $0, hasAction: hasAction) }
    }

    @Test("16 wait for an answer; more are shown without a button")
    func waiting() {
        var shown = ShownNotifications()
        let ways = show(&shown, Array(repeating: "mail", count: 17), hasAction: true)
        #expect(ways == (1...16).map { Way.waiting($0) } + [.passing(17)])
        let summary = shown.ended(3)
        #expect(summary == nil)
        let next = show(&shown, ["mail"], hasAction: true)
        #expect(next == [.waiting(18)])
    }

    @Test("More than can be shown at once are summed up, and told when there is room")
    func summary() {
        var shown = ShownNotifications()
        let ways = show(&shown, Array(repeating: "mail", count: 17) + ["chat", "mail"], hasAction: false)
        #expect(ways == (1...16).map { Way.passing($0) } + [.summedUp, .summedUp, .summedUp])
        let (first, second) = (shown.ended(1), shown.ended(2))
        #expect(first == ShownNotifications.Summary(number: 17, apps: ["mail": 2, "chat": 1]))
        #expect(second == nil)
        let next = show(&shown, ["mail"], hasAction: false)
        #expect(next == [.passing(18)])
    }
}
