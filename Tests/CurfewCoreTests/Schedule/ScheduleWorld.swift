@testable import CurfewCore

/// A server's schedules through a life, held against the reference after each step.
struct ScheduleWorld {
    private typealias Kept = ReferenceSchedules.Kept

    private var all = Schedules()
    private var reference = ReferenceSchedules(apps: ScheduleStep.apps)
    /// In microseconds since 1970 began.
    private var clock: Int64 = 1_774_569_600_000_000
    /// On the server's disk, by what it is told.
    private var kept: [Kept] = []
    /// Who was pushed out last: whoever kills the server may come before that is written.
    private var unwritten: [Kept] = []
    private var lastTitle = 0
    /// What has happened that doesn't in each life.
    private(set) var reached: Set<String> = []

    private static let names = (0..<ScheduleStep.apps).map { "app\($0)" }
    /// From June 2025 to the end of 2029: all that comes of it is on a page of the calendar.
    private static let years: ClosedRange<Int64> = 1_748_736_000_000_000...1_893_456_000_000_000
    /// The rest is due in the next step, too.
    private static let deliveriesPerStep = 16
    /// Of one app, however many it has; the others are planned anew in the next steps.
    private static let plansPerStep = 1

    /// What went wrong first; nil: nothing.
    static func violation(of steps: [ScheduleStep]) -> String? {
        var world = ScheduleWorld()
        for (index, step) in steps.enumerated() {
            do throws(Violation) { try world.step(step) } catch { return "step \(index + 1): \(error.text)" }
        }
        return nil
    }

    /// What happens in it that doesn't in each.
    static func reached(by steps: [ScheduleStep]) -> Set<String> {
        var world = ScheduleWorld()
        for step in steps {
            do throws(Violation) { try world.step(step) } catch { break }
        }
        return world.reached
    }

    private var now: WallTime { WallTime(microseconds: clock) }

    mutating func step(_ step: ScheduleStep) throws(Violation) {
        switch step.pause {
        case .span(let span): setClock(to: clock + Self.microseconds(span))
        case .toDeadline(let span): setClock(to: max(clock, reference.nextDue ?? clock) + Self.microseconds(span))
        }
        try act(step.action)
        let (time, offsets) = (now, reference.zones.offsets)
        all.plan(Self.plansPerStep, at: time, offsets)
        for _ in 0..<Self.deliveriesPerStep {
            guard try deliverNext() else { break }
        }
        try judge()
    }

    private static func microseconds(_ span: Span) -> Int64 { span.nanoseconds / 1_000 }

    private mutating func setClock(to time: Int64) {
        clock = min(max(time, Self.years.lowerBound), Self.years.upperBound)
    }

    private mutating func act(_ action: ScheduleStep.Action) throws(Violation) {
        switch action {
        case .schedule(let app, let id, let wish): try schedule(app, "n\(id)", wish)
        case .cancel(let app, let id): try cancel(app, "n\(id)")
        case .cancelAll(let app): cancelAll(app)
        case .remove(let app):
            reference.remove(app)
            all.hold(Self.names[app], true)
        case .open(let app):
            reference.open(app)
            all.hold(Self.names[app], false)
        case .setClock(let seconds):
            setClock(to: clock + seconds * 1_000_000)
            all.forgetPlans()
        case .move(let zone): move(to: ReferenceZone.all[zone])
        case .restart(let zone, let order, let losesNotes):
            try restart(in: ReferenceZone.all[zone], order, losesNotes: losesNotes)
        case .nothing: break
        }
    }

    // MARK: What is asked for

    private mutating func schedule(_ app: Int, _ id: String, _ wish: ScheduleStep.Wish) throws(Violation) {
        let rule = ReferenceRule(
            clock + wish.delay * 1_000_000, minute: wish.minute, rest: wish.rest, wish.zone, wish.repetition)
        lastTitle += 1
        let notification = LocalNotification(
            id: id, rule: rule.rule,
            content: LocalNotification.Content(title: "title \(lastTitle)", badge: wish.badge))
        let (name, offsets) = (Self.names[app], reference.zones.offsets)
        let passed = LocalNotifications().passed(of: notification.rule, at: now, offsets)
        if all.unmoved.contains(name) { reached.insert("one more before its app is planned anew") }
        let answer = all.keep(notification, passed: passed, of: name, offsets)
        // Of whoever had nothing it isn't known whether it was removed: the server tells with each that it has.
        all.hold(name, reference.apps[app].isRemoved)
        let expected = reference.schedule(notification, rule, of: app, at: clock)
        guard answer == expected else { throw Violation("\(id) of \(name) is \(answer), expected \(expected)") }
        kept.removeAll { $0.app == app && $0.notification.id == id }
        kept.append(Kept(app: app, notification: notification, rule: rule, passed: passed))
        guard case .kept(_, let dropped?) = answer else { return }
        reached.insert(dropped == id ? "pushed out itself" : "another is pushed out")
        noteOver(dropped, of: app)
    }

    /// It was pushed out.
    private mutating func noteOver(_ id: String, of app: Int) {
        let over = kept.filter { $0.app == app && $0.notification.id == id }
        kept.removeAll { $0.app == app && $0.notification.id == id }
        unwritten = Array((unwritten + over).suffix(8))
    }

    private mutating func cancel(_ app: Int, _ id: String) throws(Violation) {
        let wasThere = all.change(Self.names[app]) { $0.notifications.cancel(id) }
        let isExpected = reference.cancel(id, of: app)
        guard wasThere == isExpected else { throw Violation("\(id) of \(Self.names[app]) was there: \(wasThere)") }
        kept.removeAll { $0.app == app && $0.notification.id == id }
    }

    private mutating func cancelAll(_ app: Int) {
        all.change(Self.names[app]) { $0.notifications.cancelAll() }
        reference.cancelAll(of: app)
        kept.removeAll { $0.app == app }
    }

    // MARK: What happens

    private mutating func move(to zone: ReferenceZone) {
        let before = reference.apps.map { $0.entries.map(\.due) }
        reference.move(to: zone)
        if before != reference.apps.map({ $0.entries.map(\.due) }) { reached.insert("another zone, another moment") }
        all.zoneChanged()
    }

    private mutating func restart(in zone: ReferenceZone, _ order: UInt64, losesNotes: Bool) throws(Violation) {
        try judgeKept()
        if losesNotes {
            for lost in unwritten where !kept.contains(where: { $0.isSame(as: lost) }) { kept.append(lost) }
        }
        unwritten = []
        var random = SplitMix64(seed: order)
        kept.shuffle(using: &random)
        let tooMany = reference.restart(with: kept, in: zone)
        all = Schedules()
        for app in Self.names.indices {
            let dropped = restore(app)
            guard dropped == tooMany[app] else {
                throw Violation("of \(Self.names[app]) \(dropped) are too many, expected \(tooMany[app])")
            }
            if !dropped.isEmpty { reached.insert("too many are found") }
            kept.removeAll { $0.app == app && dropped.contains($0.notification.id) }
        }
    }

    /// The ids of those that are too many.
    private mutating func restore(_ app: Int) -> [String] {
        let own = kept.filter { $0.app == app }.map { (notification: $0.notification, passed: $0.passed) }
        let (name, offsets, badge) = (Self.names[app], reference.zones.offsets, reference.apps[app].badge)
        let dropped = all.change(name) { $0.notifications.restore(all: own, offsets) }
        if badge != 0 { all.change(name) { $0.badge = badge } }
        all.hold(name, reference.apps[app].isRemoved)
        return dropped
    }

    /// False where nothing is due.
    private mutating func deliverNext() throws(Violation) -> Bool {
        let (time, offsets) = (now, reference.zones.offsets)
        let isDue = (reference.nextDue ?? .max) <= clock
        guard let task = all.takeDue(at: time, offsets) else {
            if isDue, all.hasUnplanned {
                reached.insert("due before all is planned anew")
            } else if isDue {
                throw Violation("something is due, and doesn't come")
            }
            return false
        }
        guard isDue, !all.hasUnplanned, case .deliver(let due) = task, let app = Self.names.firstIndex(of: due.app)
        else {
            throw Violation("\(task) isn't due")
        }
        try deliver(due, of: app)
        return true
    }

    private mutating func deliver(_ due: Schedules.Due, of app: Int) throws(Violation) {
        let (id, next, expected) = (due.notification.id, reference.nextDue, reference.apps[app])
        guard !expected.isRemoved, let first = expected.entries.first, first.due == next,
            first.notification == due.notification
        else { throw Violation("\(id) of \(due.app) comes, and isn't next") }
        noteTies(of: expected, next)
        let passed = reference.deliver(of: app, at: clock)
        guard passed == due.passed else {
            throw Violation("of \(id) of \(due.app) \(due.passed ?? -1) have come, expected \(passed ?? -1)")
        }
        reached.insert(passed == nil ? "it is over" : "it goes on")
        guard let index = kept.firstIndex(where: { $0.app == app && $0.notification.id == id }) else { return }
        if let passed { kept[index].passed = passed } else { kept.remove(at: index) }
    }

    private mutating func noteTies(of app: ReferenceSchedules.App, _ next: Int64?) {
        if app.entries.dropFirst().first?.due == next { reached.insert("two of one app at once") }
        let apps = reference.apps.filter { !$0.isRemoved && $0.entries.first?.due == next }
        if apps.count > 1 { reached.insert("two apps at once") }
    }

    // MARK: What can be seen

    private mutating func judge() throws(Violation) {
        let names = Self.names.indices.filter { !reference.apps[$0].isEmpty }.map { Self.names[$0] }
        guard all.names == names else { throw Violation("\(all.names) have something, expected \(names)") }
        guard !all.unmoved.isEmpty || all.nextDue?.microseconds == reference.nextDue else {
            throw Violation("the next is due at \(all.nextDue?.microseconds ?? 0), expected \(reference.nextDue ?? 0)")
        }
        for app in Self.names.indices { try judge(app) }
        if (reference.nextDue ?? .max) <= clock { reached.insert("more than come in a step") }
    }

    private mutating func judge(_ app: Int) throws(Violation) {
        let (name, expected) = (Self.names[app], reference.apps[app])
        let seen = all[name] ?? AppSchedule()
        guard seen.badge == expected.badge else {
            throw Violation("the badge of \(name) is \(seen.badge), expected \(expected.badge)")
        }
        guard seen.isHeld == (expected.isRemoved && !expected.isEmpty) else {
            throw Violation("\(name) is held: \(seen.isHeld)")
        }
        let isSame = all.unmoved.contains(name) ? Self.areSame : Self.isSame
        guard isSame(seen.notifications.pending, expected.entries) else {
            let (found, wanted) = (Self.text(seen.notifications.pending), Self.text(expected.entries))
            throw Violation("\(name) has\n    \(found)\n  expected\n    \(wanted)")
        }
        if expected.isRemoved, let first = expected.entries.first, first.due <= clock {
            reached.insert("due, and its app removed")
        }
    }

    private static func isSame(
        _ pending: [LocalNotifications.Pending], _ entries: [ReferenceSchedules.Entry]
    ) -> Bool {
        guard pending.count == entries.count else { return false }
        for (one, other) in zip(pending, entries) {
            guard one.due.microseconds == other.due, one.passed == other.passed,
                one.notification == other.notification
            else { return false }
        }
        return true
    }

    /// Of an app that goes by the zone before: when they are due, and so their order, isn't known yet.
    private static func areSame(
        _ pending: [LocalNotifications.Pending], _ entries: [ReferenceSchedules.Entry]
    ) -> Bool {
        guard pending.count == entries.count else { return false }
        return entries.allSatisfy { entry in
            pending.contains { $0.notification == entry.notification && $0.passed == entry.passed }
        }
    }

    private static func text(_ pending: [LocalNotifications.Pending]) -> String {
        pending.map { "\($0.notification.id) \($0.notification.content.title) \($0.passed) \($0.due.microseconds)" }
            .joined(separator: ", ")
    }

    private static func text(_ entries: [ReferenceSchedules.Entry]) -> String {
        entries.map { "\($0.notification.id) \($0.notification.content.title) \($0.passed) \($0.due)" }
            .joined(separator: ", ")
    }

    /// What a server would find is what there is.
    private func judgeKept() throws(Violation) {
        for app in Self.names.indices {
            let (entries, own) = (reference.apps[app].entries, kept.filter { $0.app == app })
            let isSame = entries.allSatisfy { entry in
                own.contains { $0.notification == entry.notification && $0.passed == entry.passed }
            }
            guard isSame, own.count == entries.count else {
                throw Violation("of \(Self.names[app]) \(own.count) are kept, not the \(entries.count) that wait")
            }
        }
    }
}
