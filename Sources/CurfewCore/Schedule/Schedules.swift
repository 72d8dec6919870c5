/// What the apps of a server have scheduled, by their names, and what of it is due next.
///
/// Only what is due costs anything, however much waits: a change costs the logarithm of how many apps there are.
public struct Schedules: Sendable {
    private var apps: [String: AppSchedule] = [:]
    private var deadlines = NamedDeadlines<WallTime>()

    /// What is to be delivered now.
    public struct Due: Sendable, Hashable {
        public let app: String
        public let notification: LocalNotification
        /// How many of its moments have come; nil: it waits no more.
        public let passed: Int64?
    }

    public init() {}

    /// When something is due next; nil where nothing is.
    public var nextDue: WallTime? { deadlines.next }

    /// Of an app that has nothing scheduled and no badge: nil.
    public subscript(app: String) -> AppSchedule? { apps[app] }

    /// Of the apps that have something, in order.
    public var names: [String] { apps.keys.sorted() }

    // MARK: Changes

    /// Changes what an app has, and says what came of it.
    public mutating func change<Result>(_ app: String, _ body: (inout AppSchedule) -> Result) -> Result {
        let result = body(&apps[app, default: AppSchedule()])
        settle(app)
        return result
    }

    /// It was removed, or somebody has opened it since.
    public mutating func hold(_ app: String, _ isHeld: Bool) {
        // Of whoever has nothing it is told again when it comes to have something.
        guard let schedule = apps[app], schedule.isHeld != isHeld else { return }
        change(app) { $0.isHeld = isHeld }
    }

    /// The zone has changed, or its rules: what its clocks tell is due when they tell it now.
    public mutating func zoneChanged(_ offsets: LocalNotifications.Offsets) {
        for app in apps.keys { change(app) { $0.notifications.zoneChanged(offsets) } }
    }

    private mutating func settle(_ app: String) {
        guard let schedule = apps[app], !schedule.isEmpty else {
            apps[app] = nil
            return deadlines.remove(app)
        }
        if let due = schedule.nextDue { deadlines.set(due, for: app) } else { deadlines.remove(app) }
    }

    // MARK: Being due

    /// The soonest of all that is due; nil where nothing is. Whoever asks again and again has all of it.
    public mutating func takeDue(at now: WallTime, _ offsets: LocalNotifications.Offsets) -> Due? {
        guard let due = nextDue, due <= now, let app = deadlines.nextName else { return nil }
        return change(app) { schedule in
            guard let notification = schedule.notifications.takeDue(at: now, offsets) else { return nil }
            if let badge = notification.content.badge { schedule.badge = badge }
            return Due(app: app, notification: notification, passed: schedule.notifications[notification.id]?.passed)
        }
    }
}

/// What one app has scheduled.
public struct AppSchedule: Sendable, Hashable {
    public var notifications = LocalNotifications()
    /// The number at its name; 0: none.
    public var badge = 0
    /// Whether it was removed from the task list: nothing of it is due until somebody opens it.
    public var isHeld = false

    public init() {}

    /// When something is due next; nil where nothing is.
    public var nextDue: WallTime? { isHeld ? nil : notifications.nextDue }

    var isEmpty: Bool { notifications.pending.isEmpty && badge == 0 }

    /// Why what is due at that moment isn't delivered now; nil: nothing keeps it.
    public func obstacle(_ due: WallTime, at now: WallTime) -> ScheduleObstacle? {
        if isHeld { return .appRemoved }
        return due > now ? .tooEarly(until: due) : nil
    }
}
