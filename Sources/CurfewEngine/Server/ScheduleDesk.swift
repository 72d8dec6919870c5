import CCurfew
import CurfewCore
import CurfewLinux
import CurfewWire
import Glibc

/// What the apps of a server have scheduled: takes it in, and delivers what is due.
///
/// The files beside this one hold its parts: `+Requests`, `+Delivery`, `+Fetch`, `+Push`, `+Tasks`.
final class ScheduleDesk {
    unowned let host: ServeHost
    let zones: any ZoneTables
    var schedules = Schedules()
    private var timer = WallTimer()
    private var zoneWatch: FileWatch?
    /// Shows what no app in front is told; nil where no process could be had for that.
    var desktop: DesktopRunner?
    var shown = ShownNotifications()
    /// What waits for an answer, by its number there.
    var notices: [Int: Notice] = [:]
    /// The words of those that sum up others.
    var summaries: [Int: String] = [:]
    /// Whose button was pressed while its app was being ended, by the app: the last of each.
    var pressed: [String: Notice] = [:]
    /// What takes another's place once it is kept for good; what was delivered of the other meanwhile is noted only if it isn't.
    var replacements = Replacements()
    /// The same of requests.
    var requestReplacements = Replacements()
    var lastPush = 0
    /// Pushes whose id came before, in one that is being kept for good: answered as that one is.
    var repeatedPushes: [Replacements.Key: [ControlRequest]] = [:]
    /// Pushes that a server before has left undelivered, the oldest first.
    var backlog: [PushRecord] = []
    /// The silent push of each app that waits, for too many came.
    var keptBack: [String: PushRecord] = [:]
    /// What apps work on that they have asked for, by their names.
    var works: [String: Work] = [:]
    /// When it is looked again whether they may go on; nil where none works.
    var nextWorkLook: Instant?
    var processorUse = ProcessorUse()
    var lastGenerated = 0
    /// That no notification can be shown is said once, until one was.
    var hasComplained = false

    typealias Due = Schedules.Due
    /// When what is shown is due, and its words.
    typealias Entry = (due: WallTime, fields: [Field])

    /// What is shown, or told to an app that is in front.
    struct Notice {
        let app: String
        let notification: LocalNotification
        /// How its app hears of it, and what it is told.
        let event: String
        let info: [Info]
    }

    /// More that is due at once waits until others had their turn.
    static let deliveriesPerTurn = 16
    /// The same of what is planned anew: notifications of whole apps, and when apps fetch.
    static let plansPerTurn = 16
    /// Its link tells which zone the machine is in.
    private static let zoneFile = "/etc/localtime"

    init(host: ServeHost, zones: any ZoneTables) {
        self.host = host
        self.zones = zones
    }

    func offset(_ zone: CalendarRule.Zone, _ time: WallTime) -> Int64 { zones.offset(of: zone, at: time) }

    // MARK: At the start

    /// As it was kept by a server before.
    func restore(_ kept: KeptServer) {
        for (app, all) in kept.notifications {
            // The soonest are kept where there are too many: the last may not have been written as gone.
            let dropped = schedules.change(app) { $0.notifications.restore(all: all, offset) }
            for id in dropped { host.noteOver(id, of: app) }
        }
        for record in kept.fetches {
            schedules.change(record.app) {
                $0.fetch.restore(asked: record.asked, lastFetch: record.lastFetch, fruitless: record.fruitless)
            }
        }
        for (app, opening) in kept.openings { schedules.change(app) { $0.fetch.restore(opening) } }
        restore(kept.pushes, at: WallTimer.now)
        restore(kept.requests)
        for (app, badge) in kept.badges { schedules.change(app) { $0.badge = badge } }
        for app in kept.apps where app.isRemoved { schedules.hold(app.name, true) }
    }

    /// From now on what is due is delivered.
    func begin() {
        desktop?.wait(in: host.loop)
        schedules.forgetPlans()
        schedules.plan(.max, at: WallTimer.now, offset)
        watchZone()
        arm()
    }

    private func watchZone() {
        do throws(KernelError) {
            let watch = try FileWatch(path: Self.zoneFile)
            host.loop.add(watch.descriptor, EventLoop.Kind.zone.token())
            zoneWatch = watch
        } catch {
            // Where there is none, clocks show UTC, and go on to.
            if error.errno != ENOENT { host.complain("a change of the time zone won't be noticed: \(error.text)") }
        }
    }

    // MARK: Time

    /// The timer has told of its time, or of a clock that was set.
    func timeCame() {
        if timer.wasHeard() { schedules.forgetPlans() }
        deliverDue()
    }

    func zoneMayHaveChanged() {
        guard zoneWatch?.readChanges() != nil else { return }
        zoneChanged()
    }

    /// What goes by its clocks is planned anew, so many in a turn; the rest by the timer, which is in the past till then.
    func zoneChanged() {
        zones.reload()
        schedules.zoneChanged()
        schedules.plan(Self.plansPerTurn, at: WallTimer.now, offset)
        arm()
    }

    func arm() {
        guard !host.isEnding else { return _ = timer.arm(nil, in: host.loop) }
        let next = backlog.isEmpty && !schedules.hasUnplanned ? schedules.nextDue : .never
        if !timer.arm(next, in: host.loop) {
            host.complain("no descriptor is left to wait for what is scheduled; it is tried again with the next change")
        }
    }

    private func deliverDue() {
        guard !host.isEnding else { return }
        let now = WallTimer.now
        if schedules.hasUnplanned {
            schedules.plan(Self.plansPerTurn, at: now, offset)
            return arm()
        }
        for _ in 0..<Self.deliveriesPerTurn {
            if !backlog.isEmpty {
                deliver(backlog.removeFirst())
                continue
            }
            switch schedules.takeDue(at: now, offset) {
            case .push(let app, let number): deliverKept(app, number)
            case .deliver(let due): deliver(due)
            case .fetch(let app): fetch(app)
            case .request(let app): workIsDue(for: app)
            case nil: return arm()
            }
        }
        arm()
    }

    // MARK: Apps

    /// It was removed, or is on the list again.
    func held(_ app: String, _ isHeld: Bool) {
        schedules.hold(app, isHeld)
        arm()
    }
}
