/// What the apps of a server have scheduled, by their names, and what of it is due next.
///
/// Only what is due costs anything, however much waits: a change costs the logarithm of how many apps there are.
public struct Schedules: Sendable {
    private var apps: [String: AppSchedule] = [:]
    private var deadlines = NamedDeadlines<WallTime>()
    /// Of whom something is still to be planned anew.
    private var unplanned: [String] = []
    /// Whose notifications still go by the zone before.
    private(set) var unmoved: Set<String> = []

    /// What is to be done now.
    public enum Task: Sendable, Hashable {
        case deliver(Due)
        /// The app of that name is to fetch, unless something is in the way.
        case fetch(String)
        /// It is to be looked whether that app can be launched for a request of its own.
        case request(String)
        /// Its silent push of that number, which was kept back.
        case push(String, Int)
    }

    /// What is to be delivered.
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

    /// Keeps a notification of an app, as `LocalNotifications` does: the soonest stay, by the clocks as they are now.
    public mutating func keep(
        _ notification: LocalNotification, passed: Int64, of app: String, _ offsets: LocalNotifications.Offsets
    ) -> LocalNotifications.Scheduling {
        move(app, offsets)
        return change(app) { $0.notifications.keep(notification, passed: passed, offsets) }
    }

    // MARK: Planning anew

    /// The zone has changed, or its rules: what its clocks tell is due when they tell it now. That is to be planned anew, and what
    /// goes by habit as well.
    public mutating func zoneChanged() {
        unmoved.formUnion(apps.keys)
        forgetPlans()
    }

    /// The clock was set, or the zone is another: what is planned by habit is to be planned anew, and requests are looked at.
    public mutating func forgetPlans() { unplanned = Array(apps.keys) }

    /// Until then nothing is due: when it is isn't known yet.
    public var hasUnplanned: Bool { !unplanned.isEmpty }

    /// Plans what is to be planned anew of some apps, a whole one at a time: `count` are planned, where each notification counts that
    /// goes by another zone now.
    public mutating func plan(_ count: Int, at now: WallTime, _ offsets: LocalNotifications.Offsets) {
        var left = count
        while left > 0, let app = unplanned.popLast() {
            left -= max(1, move(app, offsets))
            if apps[app]?.fetch.learns == true { change(app) { $0.fetch.plan(at: now) { offsets(.local, $0) } } }
            if apps[app]?.requests.pending.isEmpty == false { change(app) { $0.requests.plan(at: now) } }
        }
    }

    /// Has an app's notifications due by the zone as it is now, before it is their turn; returns how many still went by the one before.
    @discardableResult
    public mutating func move(_ app: String, _ offsets: LocalNotifications.Offsets) -> Int {
        guard unmoved.remove(app) != nil, let count = apps[app]?.notifications.pending.count, count > 0
        else { return 0 }
        change(app) { $0.notifications.zoneChanged(offsets) }
        return count
    }

    private mutating func settle(_ app: String) {
        guard let schedule = apps[app], !schedule.isEmpty else {
            apps[app] = nil
            unmoved.remove(app)
            return deadlines.remove(app)
        }
        if let due = schedule.nextDue { deadlines.set(due, for: app) } else { deadlines.remove(app) }
    }

    // MARK: Being due

    /// The soonest of all that is due; nil where nothing is. Whoever asks again and again has all of it. While something is to be
    /// planned anew nothing is due.
    ///
    /// A fetch that is due goes on being so until it was begun or postponed, and so does a request.
    public mutating func takeDue(at now: WallTime, _ offsets: LocalNotifications.Offsets) -> Task? {
        guard !hasUnplanned, let due = nextDue, due <= now, let app = deadlines.nextName else { return nil }
        if let number = change(app, { $0.takePush(at: now) }) { return .push(app, number) }
        guard apps[app]?.notifications.nextDue.map({ $0 > now }) ?? true else {
            return takeNotification(of: app, at: now, offsets).map { .deliver($0) }
        }
        return apps[app]?.fetch.due.map { $0 <= now } == true ? .fetch(app) : .request(app)
    }

    private mutating func takeNotification(
        of app: String, at now: WallTime, _ offsets: LocalNotifications.Offsets
    ) -> Due? {
        change(app) { schedule in
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
    public var fetch = FetchSchedule()
    public var requests = TaskRequests()
    public private(set) var pushes = SilentPushes()
    /// When the silent push that was kept back is delivered; nil where none was.
    public private(set) var pushDue: WallTime?
    /// The ids of its latest pushes, the oldest first.
    public private(set) var pushIDs: [String] = []
    /// Whether it was removed from the task list: nothing of it is due until somebody opens it.
    public var isHeld = false

    public init() {}

    /// When something is due next; nil where nothing is.
    public var nextDue: WallTime? {
        guard !isHeld else { return nil }
        return [notifications.nextDue, fetch.due, requests.due, pushDue].compactMap { $0 }.min()
    }

    /// Of one that was pushed something once it is known how much was.
    var isEmpty: Bool {
        notifications.pending.isEmpty && badge == 0 && fetch.isEmpty && requests.pending.isEmpty
            && pushes == SilentPushes() && pushIDs.isEmpty
    }

    // MARK: Pushes

    /// So many ids are known: one of them again is the same push.
    public static let knownPushes = 64

    /// False for one that came before.
    public mutating func isNew(push id: String) -> Bool {
        guard !pushIDs.contains(id) else { return false }
        pushIDs.append(id)
        pushIDs.removeFirst(max(0, pushIDs.count - Self.knownPushes))
        return true
    }

    /// It couldn't be kept, and may come again.
    public mutating func forget(push id: String) { pushIDs.removeAll { $0 == id } }

    /// As they were kept.
    public mutating func restore(_ pushes: SilentPushes, ids: [String], at now: WallTime) {
        self.pushes = pushes
        pushIDs = Array(ids.suffix(Self.knownPushes))
        pushDue = pushes.nextDelivery(at: now)
    }

    /// Whether a silent one is delivered now; else it waits, and returned is which one doesn't any more.
    public mutating func admit(push number: Int, at now: WallTime) -> (isAdmitted: Bool, replaced: Int?) {
        let waiting = pushes.kept
        let isAdmitted = pushes.admit(number, at: now)
        pushDue = pushes.nextDelivery(at: now)
        return (isAdmitted, waiting)
    }

    fileprivate mutating func takePush(at now: WallTime) -> Int? {
        guard let due = pushDue, due <= now else { return nil }
        let number = pushes.takeKept(at: now)
        pushDue = pushes.nextDelivery(at: now)
        return number
    }

    /// Why what is due at that moment isn't delivered now; nil: nothing keeps it.
    public func obstacle(_ due: WallTime, at now: WallTime) -> ScheduleObstacle? {
        if isHeld { return .appRemoved }
        return due > now ? .tooEarly(until: due) : nil
    }
}
