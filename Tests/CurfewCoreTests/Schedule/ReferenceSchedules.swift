@testable import CurfewCore

/// What apps have scheduled, as a list of each that is put in order with every change and read through with every question.
struct ReferenceSchedules {
    struct Entry {
        let notification: LocalNotification
        let rule: ReferenceRule
        /// Of two that are due at once the lower one comes first.
        let number: Int
        /// How many of its moments have come.
        var passed: Int64
        /// In microseconds since 1970 began.
        var due: Int64
    }

    struct App {
        /// The soonest first.
        fileprivate(set) var entries: [Entry] = []
        fileprivate(set) var badge = 0
        fileprivate(set) var isRemoved = false

        var isEmpty: Bool { entries.isEmpty && badge == 0 }
    }

    /// What a server has on its disk of one that waits.
    struct Kept {
        let app: Int
        let notification: LocalNotification
        let rule: ReferenceRule
        var passed: Int64

        func isSame(as other: Kept) -> Bool { app == other.app && notification.id == other.notification.id }
    }

    private(set) var apps: [App]
    private(set) var zones = ReferenceZones()
    private var lastNumber = 0

    init(apps count: Int) { apps = Array(repeating: App(), count: count) }

    var nextDue: Int64? { apps.filter { !$0.isRemoved }.compactMap { $0.entries.first?.due }.min() }

    // MARK: Changes

    mutating func schedule(
        _ notification: LocalNotification, _ rule: ReferenceRule, of app: Int, at now: Int64
    ) -> LocalNotifications.Scheduling {
        let passed = rule.repetition == nil ? 0 : rule.passed(by: now, atLeast: 0, zones)
        guard let due = rule.moment(passed, zones) else { return .never }
        _ = cancel(notification.id, of: app)
        add(notification, rule, passed: passed, to: app)
        let dropped = putInOrder(app)
        return .kept(due: WallTime(microseconds: due), dropped: dropped.first)
    }

    /// Whether there was one.
    mutating func cancel(_ id: String, of app: Int) -> Bool {
        let count = apps[app].entries.count
        apps[app].entries.removeAll { $0.notification.id == id }
        return apps[app].entries.count < count
    }

    mutating func cancelAll(of app: Int) { apps[app].entries = [] }

    mutating func remove(_ app: Int) { apps[app].isRemoved = true }

    mutating func open(_ app: Int) { apps[app].isRemoved = false }

    mutating func move(to zone: ReferenceZone) {
        zones.local = zone
        for app in apps.indices {
            let entries = apps[app].entries
            apps[app].entries = []
            for entry in entries {
                guard let due = entry.rule.moment(entry.passed, zones) else { continue }
                var entry = entry
                entry.due = due
                apps[app].entries.append(entry)
            }
            _ = putInOrder(app)
        }
    }

    /// Of each app, the ids of those that are too many.
    mutating func restart(with kept: [Kept], in zone: ReferenceZone) -> [[String]] {
        zones.local = zone
        for app in apps.indices { cancelAll(of: app) }
        for one in kept { add(one.notification, one.rule, passed: one.passed, to: one.app) }
        return apps.indices.map { putInOrder($0) }
    }

    /// The app's first; returns how many of its moments have come, nil where it waits no more.
    mutating func deliver(of app: Int, at now: Int64) -> Int64? {
        var entry = apps[app].entries.removeFirst()
        if let badge = entry.notification.content.badge { apps[app].badge = badge }
        entry.passed = entry.rule.passed(by: now, atLeast: entry.passed + 1, zones)
        guard let due = entry.rule.moment(entry.passed, zones) else { return nil }
        entry.due = due
        apps[app].entries.append(entry)
        _ = putInOrder(app)
        return entry.passed
    }

    private mutating func add(_ notification: LocalNotification, _ rule: ReferenceRule, passed: Int64, to app: Int) {
        guard let due = rule.moment(passed, zones) else { return }
        lastNumber += 1
        apps[app].entries.append(
            Entry(notification: notification, rule: rule, number: lastNumber, passed: passed, due: due))
    }

    /// Returns the ids of all behind the 64th, which are gone.
    private mutating func putInOrder(_ app: Int) -> [String] {
        apps[app].entries.sort { ($0.due, $0.number) < ($1.due, $1.number) }
        let excess = apps[app].entries.dropFirst(64).map(\.notification.id)
        apps[app].entries.removeLast(excess.count)
        return excess
    }
}
